#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A sequence of numbers as the differences of neighbours, zig-zagged, 7 bits a byte, lowest first. Without a count:
/// an empty sequence is zero bytes. Differences that leave 64 bits wrap around, which decoding refuses; sequences of
/// offsets, lengths and indexes never get there.
std::string EncodeDeltaVarints(std::span<const int64_t> values);

/// The sequence behind these bytes. Invalid if a number has more than 10 bytes or 64 bits, the last one is cut, or the
/// running sum leaves 64 bits. At most as many values as bytes.
Result<std::vector<int64_t>> DecodeDeltaVarints(std::string_view bytes);

}  // namespace reelhouse
