#pragma once

#include <string>

namespace reelhouse {

/// A random UUID (version 4) as text, e.g. `3f2c1b9e-8d7a-4c55-9f10-2b6e4a1d0c33`. From the kernel on every call, so
/// that a forked child never repeats a name of its parent. Thread safe.
std::string NewUuid();

}  // namespace reelhouse
