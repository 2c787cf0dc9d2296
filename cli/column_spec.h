#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse::cli {

/// A description of a new table.
struct TableSpec {
  std::vector<DataField> fields;
  std::vector<std::string> partition_keys;
  std::map<std::string, std::string> options;
  std::optional<std::string> comment;
};

/// Columns from a text such as `episode bigint not null, state vector<float, 7>, video blob`: name and Paimon type,
/// names with other characters in backticks. Errors name the column.
Result<std::vector<DataField>> ParseColumns(std::string_view text);

/// From JSON: `{"episode": "bigint", ...}` in this order, or the form of schema files, `{"fields": [{"name": ..,
/// "type": ..}], "partitionKeys": [..], "options": {..}, "comment": ..}`. `path` names it in errors.
Result<TableSpec> ParseSchemaJson(std::string_view text, std::string_view path);

/// Refuses columns whose type would be stored as another one, naming it, and columns without a type of their own.
Status CheckStorable(const std::vector<DataField>& fields);

}  // namespace reelhouse::cli
