#pragma once

#include <cstdint>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A positive frame rate, kept exactly.
struct Rational {
  int64_t numerator = 0;
  int64_t denominator = 1;
  bool operator==(const Rational&) const = default;
};

/// `"N"` or `"N/D"`, both positive. Decimal text such as `29.97` is refused with the hint `30000/1001`.
/// Errors start with `fps must be a positive int`.
Result<Rational> ParseFrameRate(std::string_view text);

}  // namespace reelhouse
