#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// A type as schema files spell it: a text (`"DECIMAL(10, 2) NOT NULL"`) or an object (ARRAY, VECTOR, MULTISET, MAP,
/// ROW). Failures are Invalid and say what is wrong; the caller adds where.
Result<DataType> DataTypeFromJson(const nlohmann::json& json);

/// The members in pypaimon's order.
nlohmann::ordered_json DataTypeToJson(const DataType& type);

/// `{"id": 0, "name": "x", "type": ...}` with `description` and `defaultValue` where they are set.
Result<DataField> DataFieldFromJson(const nlohmann::json& json);
nlohmann::ordered_json DataFieldToJson(const DataField& field);

}  // namespace reelhouse
