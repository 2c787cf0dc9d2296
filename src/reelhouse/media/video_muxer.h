#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "reelhouse/media/av.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_sink.h"

namespace reelhouse {

/// A Writer of one MP4 or MOV file into a sink, in one pass, which makes the keyframe index on the way.
///
/// Packets come in decode order, their PTS being the frame number. Nothing is appended before `Start`; a muxer that is
/// not finished leaves half a file, which the owner of the sink drops. One thread at a time.
class VideoMuxer {
 public:
  /// The header of the file for what `encoder` makes.
  static Result<std::unique_ptr<VideoMuxer>> Start(const char* container, const AVCodecContext& encoder,
                                                   VideoSink& sink);
  ~VideoMuxer();
  VideoMuxer(const VideoMuxer&) = delete;
  VideoMuxer& operator=(const VideoMuxer&) = delete;

  /// Takes the content of the packet.
  Status Write(AVPacket* packet);

  /// Writes what follows the packets. Call exactly once.
  Status Finish();

  int64_t length_bytes() const;

  /// After `Finish`. Empty where none can be had that is certainly right.
  KeyframeIndex TakeIndex();

 private:
  struct Output;

  VideoMuxer() = default;
  Status Check(int code, const char* what, AvLogCapture& log) const;
  std::vector<KeyframeIndex::Range> MetadataRanges() const;

  std::unique_ptr<Output> output_;
  AvIo io_;
  AvOutput muxer_;
  AVRational frame_time_base_{};
  AVCodecID codec_id_ = AV_CODEC_ID_NONE;
  std::vector<KeyframeIndex::Keyframe> keyframes_;
};

}  // namespace reelhouse
