#pragma once

#include <cstdint>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// The milliseconds of a duration as options spell it: `10 ms`, `30 s`, `5 min`, `2 h`, `1 d`. Units in any case;
/// without one the number counts milliseconds.
Result<int64_t> ParseDurationMillis(std::string_view text);

}  // namespace reelhouse
