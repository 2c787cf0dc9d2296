#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// The row ids of a list such as `1,2,5-9`, ends of ranges included.
Result<std::vector<int64_t>> ParseRowIds(std::string_view text);

}  // namespace reelhouse::cli
