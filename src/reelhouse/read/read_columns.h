#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// One column that a read needs, whatever file it will come from.
struct ReadColumn {
  enum class Kind { kField, kPartitionKey, kRowId, kSequenceNumber };
  enum class Content {
    kAsStored,          ///< values, or descriptors of blobs in files of their own
    kPayload,           ///< content of blobs in files of their own
    kReferencedPayload  ///< content behind descriptors that are stored inline
  };

  Kind kind = Kind::kField;
  DataField field;
  ColumnStorage storage = ColumnStorage::kNormal;
  int partition_key = -1;  ///< place among the partition keys
  Content content = Content::kAsStored;
};

/// The columns of a read: each once, with what the filter and the result need. A value.
struct ReadColumns {
  std::vector<ReadColumn> columns;
  std::vector<size_t> of_filter;  ///< places in `columns`
  std::vector<size_t> of_result;  ///< places in `columns`, in the order of the result, with repeats
  std::shared_ptr<arrow::Schema> filter_schema;
  std::shared_ptr<arrow::Schema> result_schema;

  /// Unknown names are refused with the nearest known one.
  static Result<ReadColumns> Of(const TableSchema& schema, const std::vector<std::string>& result_columns,
                                const Predicate& predicate, bool blob_as_descriptor);
};

}  // namespace reelhouse
