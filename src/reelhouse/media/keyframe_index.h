#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Where decoding of one video may start: the keyframe index of a `.video` payload (format notes, 6.2).
/// All positions are bytes from the start of the video.
struct KeyframeIndex {
  struct Range {
    int64_t offset_bytes = 0;
    int64_t length_bytes = 0;
    bool operator==(const Range&) const = default;
  };
  struct Keyframe {
    int64_t frame_index = 0;  ///< presentation order, from 0
    int64_t pts = 0;          ///< in the time base of the stream
    int64_t offset_bytes = 0;
    bool operator==(const Keyframe&) const = default;
  };

  std::vector<Range> metadata_ranges;  ///< container boxes, without the bodies of mdat, free and skip
  std::vector<Keyframe> keyframes;

  bool empty() const { return keyframes.empty(); }
  bool operator==(const KeyframeIndex&) const = default;

  /// The bytes that are stored; empty for an empty index. More than 65,536 keyframes are thinned evenly.
  Result<std::string> Serialize() const;

  /// Checks every rule of the format; `video_length_bytes` bounds the positions.
  static Result<KeyframeIndex> Deserialize(std::string_view bytes, int64_t video_length_bytes);

  /// Invalid with the rule that is broken.
  Status Validate(int64_t video_length_bytes) const;
};

}  // namespace reelhouse
