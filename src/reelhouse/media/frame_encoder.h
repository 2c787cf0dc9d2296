#pragma once

#include <memory>

#include "reelhouse/media/av.h"
#include "reelhouse/media/encoder_choice.h"

namespace reelhouse {

/// An opened video encoder of FFmpeg: pictures in, packets out, in units of 1/fps. One thread at a time.
class FrameEncoder {
 public:
  /// Opens the encoder for pictures of this size. Invalid with the encoder's own words where it refuses the size or an
  /// option.
  static Result<std::unique_ptr<FrameEncoder>> Open(const EncodingOptions& options, const EncoderChoice& choice,
                                                    int width, int height);

  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  /// The next picture with its PTS, or null after the last one.
  Status Send(AVFrame* picture);
  /// True with a packet; false where the encoder wants another picture, or has given everything.
  Result<bool> Receive(AVPacket* packet);

  const AVCodecContext& context() const { return *codec_; }
  const EncoderPicture& picture() const { return picture_; }

 private:
  FrameEncoder() = default;

  AvCodec codec_;
  EncoderPicture picture_;
  bool is_open_ = false;
  bool has_sent_ = false;
};

}  // namespace reelhouse
