#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reelhouse/base/status.h"
#include "reelhouse/format/blob/blob_descriptor.h"

namespace reelhouse {

/// Reference to one frame of one encoded video (format notes, 6.6). Without keyframe index: -1, 0.
struct VideoFrameDescriptor {
  std::string uri;
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
  int64_t frame_index = 0;
  int64_t keyframe_index_offset_bytes = -1;
  int64_t keyframe_index_length_bytes = 0;

  std::string Serialize() const;
  void AppendTo(std::string* out) const;
  int64_t SerializedSize() const { return 53 + static_cast<int64_t>(uri.size()); }
  /// Exact length; error texts of the contract.
  static Result<VideoFrameDescriptor> Deserialize(std::string_view bytes);
  static std::optional<VideoFrameDescriptor> Parse(std::string_view bytes);
  static bool HasMagic(std::string_view bytes);

  BlobDescriptor payload() const { return {uri, offset_bytes, length_bytes}; }
  bool operator==(const VideoFrameDescriptor&) const = default;
};

}  // namespace reelhouse
