#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/table/table_context.h"

namespace reelhouse {

/// What a check of a table found.
struct VerifyReport {
  struct Problem {
    int64_t snapshot_id = 0;
    std::string path;
    std::string text;
  };
  int64_t snapshots_checked = 0;
  int64_t files_checked = 0;
  int64_t videos_checked = 0;
  int64_t rows_checked = 0;
  int64_t bytes_checked = 0;
  std::vector<Problem> problems;

  bool ok() const { return problems.empty(); }
  std::string ToText() const;
};

struct VerifyOptions {
  bool deep = false;  ///< also decode every video and read every row
  ProgressCallback progress;
  CancellationCheck cancelled;
};

/// Checks every snapshot: each file that it names is there with its size, groups are whole, indexes parse, and every
/// video opens and has as many frames as its rows need. A broken table gives a report with problems, not a failure.
Result<VerifyReport> VerifyTable(const TableContext& table, const VerifyOptions& options = {});

}  // namespace reelhouse
