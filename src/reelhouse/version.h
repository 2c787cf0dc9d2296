#pragma once

namespace reelhouse {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace reelhouse
