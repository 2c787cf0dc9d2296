#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// The bytes of a memory size as options spell it: `256 mb`, `2kb`, `1048576`, `1 GiB`. Units are steps of 1024, in any
/// case; without one the number counts bytes.
Result<int64_t> ParseMemorySize(std::string_view text);

/// A count of bytes for people: `512 B`, `1.5 KiB`, `20.0 GiB`.
std::string FormatBytes(int64_t size_bytes);

}  // namespace reelhouse
