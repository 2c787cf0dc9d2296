#pragma once

#include <cstdint>
#include <optional>

#include "reelhouse/reelhouse.h"

namespace reelhouse::cli {

/// Numbers of files of a version of a table, by kind of content.
struct StoredFiles {
  int64_t rows = 0;  ///< rows that a scan gives
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t video_files = 0;
  int64_t video_bytes = 0;
  int64_t blob_files = 0;
  int64_t blob_bytes = 0;
};

/// From manifests alone. `row_ids`: only what holds these rows.
Result<StoredFiles> FilesOf(const Table& table, const Snapshot& snapshot, std::optional<RowIdRange> row_ids = {});

/// The rows that a snapshot added, by their ids; nothing if the snapshot before it is gone or there are none. (The
/// counts in a snapshot are of no use here: they count a row once for each file that holds a part of it.)
Result<std::optional<RowIdRange>> RowsAddedBy(const Table& table, const Snapshot& snapshot);

/// `2024-01-02 03:04:05Z`.
std::string MomentText(int64_t epoch_millis);

/// `1 row`, `2 rows`, `1,234 rows`.
std::string Counted(int64_t count, std::string_view singular);

/// Most pixels that a frame of the table's videos may have: option `reelhouse.video.max-pixels`.
Result<int64_t> MostPixelsOfFrames(const Table& table);

}  // namespace reelhouse::cli
