#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/write/checked_videos.h"

namespace reelhouse {

/// Rows that may be written: all that can be checked before was checked. A value; arrays and videos are shared.
struct CheckedBatch {
  std::shared_ptr<arrow::RecordBatch> columns;  ///< all but video columns, in table order
  std::map<std::string, std::vector<CheckedRun>> videos;
  std::map<std::string, std::set<int64_t>> literal_blobs;

  int64_t row_count() const;
  /// Bytes in memory that the rows keep alive, videos in memory included.
  int64_t MemoryBytes() const;
  CheckedBatch Slice(int64_t first_row, int64_t row_count) const;
  /// The rows at `rows`, which ascend.
  Result<CheckedBatch> Select(const std::vector<int64_t>& rows) const;
};

std::vector<CheckedRun> SliceRuns(const std::vector<CheckedRun>& runs, int64_t first_row, int64_t row_count);
std::vector<CheckedRun> SelectRuns(const std::vector<CheckedRun>& runs, const std::vector<int64_t>& rows);

/// Consecutive rows that show the same videos in all video columns (format notes, 4.4). Files may be cut before each,
/// and anywhere in rows without any video.
struct VideoSegment {
  int64_t first_row = 0;
  int64_t row_count = 0;
  std::string videos;  ///< identities, empty if all are NULL
};
std::vector<VideoSegment> SegmentsOf(const CheckedBatch& batch);

}  // namespace reelhouse
