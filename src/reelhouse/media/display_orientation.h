#pragma once

#include "reelhouse/media/av.h"

namespace reelhouse {

/// How decoded pictures of a stream are turned for display: rows and columns exchanged first, then mirrored.
struct DisplayOrientation {
  bool is_transposed = false;
  bool is_x_flipped = false;
  bool is_y_flipped = false;

  bool is_upright() const { return !is_transposed && !is_x_flipped && !is_y_flipped; }
};

/// What the display matrix of the stream says; upright where it has none, or one that is no turn by a right angle.
DisplayOrientation OrientationOf(const AVStream& stream);

}  // namespace reelhouse
