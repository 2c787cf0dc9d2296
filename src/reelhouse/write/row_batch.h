#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// One encoded video that rows refer to: a range of a file, or bytes in memory. Immutable; identity, not content,
/// decides whether rows share it (format notes, 6.5).
struct VideoPayload {
  std::string name;      ///< for errors: what the user called it
  std::string location;  ///< empty for bytes in memory
  int64_t offset_bytes = 0;
  int64_t length_bytes = -1;  ///< -1 = to the end of the file
  std::shared_ptr<arrow::Buffer> bytes;
  /// The keyframe index of the payload where the source has one (a `.video` file): location is the same file.
  int64_t keyframe_index_offset_bytes = -1;
  int64_t keyframe_index_length_bytes = 0;

  std::string Identity() const;
};

/// Consecutive rows that show consecutive frames of one payload, or NULLs (null payload).
struct VideoRun {
  std::shared_ptr<const VideoPayload> payload;
  int64_t first_frame_index = 0;
  int64_t row_count = 0;
};

/// Which files a reference in a row may name. References given as bytes are followed only under `roots`.
struct ReferencePolicy {
  std::vector<std::string> roots;                ///< warehouse and `reelhouse.external-roots`
  std::unordered_set<std::string> trusted_uris;  ///< named by the caller's own objects

  /// Invalid, with the hint to pass a `Blob`, if `uri` may not be followed.
  Status Check(const std::string& uri, std::string_view column, int64_t row) const;
};

/// Rows on their way into a table: all columns but video columns as Arrow, in table order with the types of the table;
/// video columns as runs that sum up to the row count. A video column that is not named is NULL.
struct RowBatch {
  std::shared_ptr<arrow::RecordBatch> columns;
  std::map<std::string, std::vector<VideoRun>> videos;
  /// Cells of BLOB columns that are content whatever they look like (they came as `Blob` objects): column -> rows.
  std::map<std::string, std::set<int64_t>> literal_blobs;
  ReferencePolicy references;
};

/// Arrow input brought to the columns of a table by name: safe casts, missing columns NULL, unknown columns refused
/// (naming them and the nearest known name), a NULL in a NOT NULL column refused. A video column in the input holds
/// serialized VideoFrameDescriptors or NULL and becomes runs. `ignored` columns may be there and are dropped.
Result<RowBatch> AlignRows(const std::shared_ptr<arrow::RecordBatch>& input, const TableSchema& schema,
                           const ReferencePolicy& references, const std::set<std::string>& ignored = {});

}  // namespace reelhouse
