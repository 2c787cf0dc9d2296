#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// Minimum, maximum (BinaryRows) and null counts of columns; a null count may be unknown.
struct ColumnStatistics {
  std::string min_values;
  std::string max_values;
  std::optional<std::vector<std::optional<int64_t>>> null_counts;
  bool operator==(const ColumnStatistics&) const = default;
};

/// What kind of data a file holds; only its name tells (format notes, 1.2).
enum class DataFileKind { kNormal, kBlob, kVideo, kVector };
DataFileKind KindOfFile(std::string_view file_name);

/// Paimon's DataFileMeta: one data file (format notes, 3.2).
struct DataFile {
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::string min_key;
  std::string max_key;
  ColumnStatistics key_stats;
  ColumnStatistics value_stats;
  int64_t min_sequence_number = 0;
  int64_t max_sequence_number = 0;
  int64_t schema_id = 0;
  int32_t level = 0;
  std::vector<std::string> extra_files;
  std::optional<int64_t> creation_time_millis;
  std::optional<int64_t> delete_row_count;
  std::optional<std::string> embedded_file_index;
  std::optional<int32_t> file_source;  ///< 0 = APPEND, 1 = COMPACT
  std::optional<std::vector<std::string>> value_stats_cols;
  std::optional<std::string> external_path;
  std::optional<int64_t> first_row_id;
  std::optional<std::vector<std::string>> write_cols;
  std::optional<std::vector<int64_t>> write_cols_sequences;

  DataFileKind kind() const { return KindOfFile(file_name); }
  bool operator==(const DataFile&) const = default;
};

/// The columns that a file holds, as fields of the schema that it was written with (`_WRITE_COLS`, or its null meaning,
/// format notes 3.2). System columns that are physically in the file come with their system ids.
std::vector<DataField> ColumnsOfFile(const DataFile& file, const TableSchema& file_schema);

}  // namespace reelhouse
