#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// What a cast may do to values that do not fit the new type exactly.
enum class CastRule {
  kExact,   ///< refuses them, for rows that come in: `Float value 1.500000 was truncated converting to int64`
  kStored,  ///< truncates, wraps and rounds as other engines do, for files written before a change of the schema
};

/// `values` as an array of exactly this type, however they are encoded: dictionaries, large and view types, lists of
/// any kind to lists of any kind, structs by member name (a missing member is NULL). Without a change of type the array
/// comes back as it is.
Result<std::shared_ptr<arrow::Array>> CastColumn(const std::shared_ptr<arrow::Array>& values,
                                                 const std::shared_ptr<arrow::DataType>& type, CastRule rule);

}  // namespace reelhouse
