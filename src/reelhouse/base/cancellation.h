#pragma once

#include <cstdint>
#include <functional>

#include <arrow/status.h>

namespace reelhouse {

/// Asks whether long work should stop: returns OK to go on, Cancelled to stop. Called on the calling thread only,
/// often enough that a user who presses Ctrl-C waits well under a second. Empty = never cancelled.
using CancellationCheck = std::function<arrow::Status()>;

/// Told of progress on the calling thread: `total` is -1 where it is not known.
using ProgressCallback = std::function<void(int64_t done, int64_t total)>;

}  // namespace reelhouse
