#pragma once

#include <cstdint>
#include <memory>

#include "reelhouse/base/status.h"
#include "reelhouse/media/av.h"
#include "reelhouse/media/video_reader.h"

namespace reelhouse {

/// Decoder of one stream that says of every picture which packet it comes from: packet numbers travel through it in
/// the place of timestamps, so that missing, equal or wrong timestamps do no harm. Not thread safe.
class PictureDecoder {
 public:
  /// `reorder_depth`: known from timestamps; a decoder that guesses too little would drop pictures.
  static Result<std::unique_ptr<PictureDecoder>> Open(const VideoReader& reader, int threads, int reorder_depth);

  /// Takes a packet; its timestamps are overwritten. Broken data is no failure, but counted in `damage_count`.
  /// All pictures must have been received before.
  Status Feed(AVPacket* packet, int64_t number);
  /// Tells that no packet follows; the pictures that are left can be received.
  Status Finish();
  /// The next picture and its packet (-1 where the decoder does not say). False: feed more, or it was the last.
  Result<bool> Receive(AVFrame* picture, int64_t* number);
  /// Forgets everything, to start at another packet.
  void Flush();

  int64_t damage_count() const { return damage_count_; }
  /// Why pictures were refused whose size, as they say inside of the stream, is beyond the limit; else OK.
  const Status& refused_size() const { return refused_size_; }

 private:
  explicit PictureDecoder(std::string name) : name_(std::move(name)) {}
  void NoteDamage(const AvLogCapture& log);

  std::string name_;
  AvCodec codec_;
  int64_t damage_count_ = 0;
  int64_t max_pixels_ = 0;
  Status refused_size_;
};

/// True for a picture that the decoder had to make up, in part or whole.
bool IsConcealed(const AVFrame& picture);
bool IsKeyPicture(const AVFrame& picture);

}  // namespace reelhouse
