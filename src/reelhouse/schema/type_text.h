#pragma once

#include <string>
#include <string_view>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// The one-line language of types: `DECIMAL(10, 2) NOT NULL`, `TIMESTAMP(6) WITH LOCAL TIME ZONE`, `ARRAY<STRING>`,
/// `MAP<STRING, INT>`, `VECTOR<FLOAT, 3>`, `ROW<x: DOUBLE, y: DOUBLE>`. Any case.
Result<DataType> ParseTypeText(std::string_view text);

/// The text in pypaimon's spelling.
std::string PrintTypeText(const DataType& type);

/// True for what a VECTOR may hold: BOOLEAN, TINYINT to BIGINT, FLOAT, DOUBLE.
bool IsVectorElement(const DataType& type);

}  // namespace reelhouse
