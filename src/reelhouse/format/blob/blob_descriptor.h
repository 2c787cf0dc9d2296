#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Reference to a byte range of a file (format notes, 5.4; wire version 2 written, 1 read). `length_bytes` -1 = to the
/// end.
struct BlobDescriptor {
  std::string uri;
  int64_t offset_bytes = 0;
  int64_t length_bytes = -1;

  std::string Serialize() const;
  /// Wire versions 1 and 2; bytes behind the descriptor are ignored, as in the contract, with its error texts.
  static Result<BlobDescriptor> Deserialize(std::string_view bytes);
  /// The descriptor if `bytes` are exactly one of version 2, else nothing.
  static std::optional<BlobDescriptor> Parse(std::string_view bytes);
  /// True if the bytes begin with version 2 and its magic.
  static bool HasMagic(std::string_view bytes);

  bool operator==(const BlobDescriptor&) const = default;
};

}  // namespace reelhouse
