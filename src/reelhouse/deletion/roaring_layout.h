#pragma once

#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Checks every byte of a 32-bit roaring bitmap in the portable form (format notes, 7.2): sizes, offsets, the order of
/// keys and values, and that each container holds as many values as its header says. CRoaring believes these numbers,
/// so nothing may reach it unchecked. Values beyond 2^31 - 1 are refused: they are no row positions.
Status CheckPortableBitmap(std::string_view bytes);

}  // namespace reelhouse
