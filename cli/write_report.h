#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "cli/invocation.h"

namespace reelhouse::cli {

/// What a write did, for the user: one line, or a JSON object.
class WriteReport {
 public:
  /// The clock starts here.
  WriteReport() : start_(std::chrono::steady_clock::now()) {}

  /// Nothing committed = no rows.
  Status Print(Invocation& invocation, const Table& table, const std::optional<Snapshot>& snapshot, int64_t bytes_in,
               int64_t files_in) const;

 private:
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace reelhouse::cli
