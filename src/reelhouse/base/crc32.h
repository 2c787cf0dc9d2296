#pragma once

#include <cstdint>
#include <string_view>

#include <zlib.h>

namespace reelhouse {

/// The CRC-32 (polynomial of zlib, as in gzip and PNG) of `bytes` that follow bytes whose CRC-32 is `before`.
inline uint32_t Crc32(std::string_view bytes, uint32_t before = 0) {
  return static_cast<uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace reelhouse
