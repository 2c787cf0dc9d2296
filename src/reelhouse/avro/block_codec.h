#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// How the blocks of an Avro container are packed, by the name in its header. Not thread safe.
class BlockCodec {
 public:
  virtual ~BlockCodec() = default;

  /// `null`, `deflate`, `snappy`, `zstandard` or `bzip2`; an empty name is `null`. Others are refused by name.
  static Result<std::unique_ptr<BlockCodec>> Make(std::string_view name);

  /// Replaces `raw`. Fails if the block would be longer than `most_bytes`, before that much memory is used.
  virtual Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) = 0;

  /// Replaces `packed`.
  virtual Status Pack(std::string_view raw, std::string* packed) = 0;
};

/// The name in an Avro header for a value of the option `manifest.compression`, e.g. `zstandard` for `zstd`.
Result<std::string> AvroCodecName(std::string_view compression);

}  // namespace reelhouse
