// Any bytes as the partition of an entry and as the statistics of its file: values come out or a failure, and the
// folder of a partition is one level a key below the table.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/scalar.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"
#include "reelhouse/manifest/table_paths.h"

namespace {

using namespace reelhouse;

constexpr const char* kTypes[] = {
    "BOOLEAN",        "TINYINT",        "SMALLINT",     "INT",          "BIGINT",          "FLOAT", "DOUBLE",
    "DECIMAL(18, 2)", "DECIMAL(38, 5)", "STRING",       "CHAR(3)",      "BYTES",           "DATE",  "TIME(0)",
    "TIMESTAMP(0)",   "TIMESTAMP(3)",   "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(3)"};

std::shared_ptr<const TableSchema> SchemaOf(const uint8_t* choices, size_t count, bool is_legacy) {
  auto schema = std::make_shared<TableSchema>();
  for (size_t i = 0; i < count; ++i) {
    DataField& field = schema->fields.emplace_back();
    field.id = static_cast<int32_t>(i);
    field.name = "c" + std::to_string(i);
    field.type = DataType::FromText(kTypes[choices[i] % std::size(kTypes)]).ValueOrDie();
    schema->partition_keys.push_back(field.name);
  }
  if (!is_legacy) schema->options.Set("partition.legacy-name", "false");
  return schema;
}

void CheckFolder(const std::shared_ptr<const TableSchema>& schema, std::string_view row) {
  const TablePaths paths("/wh/d.db/t", schema);
  const auto folder = paths.BucketFolder(row, 3);
  if (!folder.ok()) return;
  const auto slashes = static_cast<size_t>(std::count(folder->begin(), folder->end(), '/'));
  if (slashes != 3 + schema->partition_keys.size() + 1) std::abort();
  if (!folder->starts_with("/wh/d.db/t/") || !folder->ends_with("/bucket-3")) std::abort();
}

void CheckStatistics(const TableSchema& schema, std::string_view min, std::string_view max) {
  DataFile file;
  file.file_name = "data-0.parquet";
  file.row_count = 10;
  file.value_stats.min_values = min;
  file.value_stats.max_values = max;
  file.value_stats.null_counts.emplace();
  file.value_stats.null_counts->assign({0, -1, 11, std::nullopt, INT64_MAX});
  for (const DataField& field : schema.fields) {
    const auto known = StatisticsOf(file, schema, field.name);
    if (!known.ok() || !*known) continue;
    const StatisticsOfColumn& column = **known;
    if (column.null_count && (*column.null_count < 0 || *column.null_count > file.row_count)) std::abort();
    if (column.min->is_valid && column.max->is_valid) {
      const int order = CompareScalars(*column.min, *column.max);
      const int reverse = CompareScalars(*column.max, *column.min);
      if ((order < 0) != (reverse > 0) || (order == 0) != (reverse == 0)) std::abort();
    }
  }
}

}  // namespace

// Input: number of columns, their types, one byte of options and the length of the first row, two rows.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1 || data[0] > 16 || size < size_t{3} + data[0]) return 0;
  const size_t count = data[0];
  const auto schema = SchemaOf(data + 1, count, (data[1 + count] & 1) == 0);
  std::string_view rest(reinterpret_cast<const char*>(data) + 3 + count, size - 3 - count);
  const std::string_view first = rest.substr(0, std::min<size_t>(data[2 + count] * size_t{2}, rest.size()));
  rest.remove_prefix(first.size());
  CheckFolder(schema, first);
  CheckStatistics(*schema, first, rest.empty() ? first : rest);
  return 0;
}
