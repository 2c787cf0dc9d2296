#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/interfaces.h>

#include "reelhouse/base/status.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/picture_limits.h"

namespace reelhouse {

/// The bytes of one encoded video: a range of a file (or memory). Cheap to copy; the file is shared.
struct VideoBytes {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
  std::string name;  ///< for errors
  /// Most pixels of a frame; videos with larger ones are refused by their headers.
  int64_t max_pixels = kDefaultMaxPixels;
};

/// How much is asked of a video before it is stored: table option `reelhouse.video.validation`.
enum class VideoValidation { kNone, kContainer, kFrames, kDecode };
Result<VideoValidation> ParseVideoValidation(std::string_view text);

/// One presentable frame of a video, in presentation order.
struct FrameTime {
  int64_t pts = 0;
  int64_t duration = 0;  ///< 0 where unknown
};

/// What a look at a video found. `frame_count` is -1 where it was not asked for.
struct VideoInspection {
  std::string codec;
  int width = 0;  ///< as shown (display matrix applied)
  int height = 0;
  int64_t frame_count = -1;
  bool counted_by_decoding = false;
  KeyframeIndex index;  ///< empty where none can be had that is certainly right
};

/// Opens the video, finds the first real video stream (no attached picture), counts presentable frames from packets,
/// or by decoding where packets cannot tell, and makes the keyframe index without decoding for ISO BMFF.
/// A file without video, cut, empty, ... is refused: Invalid, text starts with the name of the video.
/// kNone returns an inspection without codec and count, with the index where one can be made, and never fails on
/// content.
Result<VideoInspection> InspectVideo(const VideoBytes& video, VideoValidation validation);

}  // namespace reelhouse
