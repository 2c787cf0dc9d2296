#pragma once

#include <memory>
#include <string_view>

#include <arrow/api.h>
#if __has_include(<arrow/json/from_string.h>)
#include <arrow/json/from_string.h>
#else
#include <arrow/ipc/json_simple.h>
#endif

namespace reelhouse {

/// An array written as JSON, e.g. `[1, null, 3]`; structs as objects or lists, maps as lists of pairs.
inline std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type, std::string_view json) {
#if __has_include(<arrow/json/from_string.h>)
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
#else
  return arrow::ipc::internal::json::ArrayFromJSON(type, json).ValueOrDie();
#endif
}

/// A batch of columns that are written as JSON.
struct JsonColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::string_view json;
};

inline std::shared_ptr<arrow::RecordBatch> BatchOf(const std::vector<JsonColumn>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(ArrayOf(column.type, column.json));
  }
  const int64_t rows = arrays.empty() ? 0 : arrays[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, arrays);
}

}  // namespace reelhouse
