#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A unit that a quantity can be given in.
struct QuantityUnit {
  std::string_view name;
  int64_t factor;
};

/// A whole number with an optional unit of `units` (any case), as `256 mb` or `5 min`, times the factor of the unit;
/// without a unit times 1. `what` and `examples` are for the error: `what `text`: expected examples, found ...`.
Result<int64_t> ParseQuantity(std::string_view text, std::span<const QuantityUnit> units, std::string_view what,
                              std::string_view examples);

}  // namespace reelhouse
