#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"
#include "reelhouse/schema/options.h"

namespace reelhouse {

/// How a column is stored in a table (options and type decide).
enum class ColumnStorage {
  kNormal,  ///< in the normal file, also blob columns kept inline (blob-descriptor-field, blob-view-field)
  kBlob,    ///< in `.blob` files of its own
  kVideo,   ///< in `.video` files of its own (video-frame-field)
  kVector,  ///< with the other vector columns in `.vector.<format>` files
};

/// One version of a table's schema: the content of `schema/schema-<id>`. Immutable once stored.
struct TableSchema {
  int32_t version = 3;
  int64_t id = 0;
  std::vector<DataField> fields;
  int32_t highest_field_id = -1;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
  int64_t time_millis = 0;

  /// Parses a schema file; `path` names it in errors. Unknown keys are ignored.
  static Result<TableSchema> FromJsonText(std::string_view text, std::string_view path);
  /// The text that is stored, indented by 2 like pypaimon's.
  std::string ToJsonText() const;

  /// A new schema (id 0) with ids given depth first. Checks every rule of format notes 1.4 and the texts of the
  /// contract.
  static Result<TableSchema> Make(const arrow::Schema& schema, std::vector<std::string> partition_keys, Options options,
                                  std::optional<std::string> comment = {});
  /// The rules of 1.4 again, e.g. for a schema that another engine wrote.
  Status Validate() const;

  const DataField* FindField(std::string_view name) const;
  const DataField* FindFieldById(int32_t id) const;
  int FieldIndex(std::string_view name) const;  ///< -1 if there is none
  std::vector<std::string> FieldNames() const;
  std::vector<DataField> PartitionFields() const;

  ColumnStorage StorageOf(const DataField& field) const;
  std::vector<std::string> VideoColumns() const;  ///< names in `video-frame-field`, in table order
  bool HasSidecars() const;                       ///< any column that is not kNormal

  /// What a scan of all columns returns.
  std::shared_ptr<arrow::Schema> ToArrow() const;
};

/// Ids of system columns, never in a schema.
inline constexpr int32_t kRowIdFieldId = 2147483642;
inline constexpr int32_t kSequenceNumberFieldId = 2147483646;
inline constexpr std::string_view kRowIdColumn = "_ROW_ID";
inline constexpr std::string_view kSequenceNumberColumn = "_SEQUENCE_NUMBER";

}  // namespace reelhouse
