#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// Paimon's BinaryRow (format notes, 3.1) as Arrow scalars: one scalar a field, null scalars for nulls. Scalars have
/// the type of `DataType::ToArrow()`.
Result<std::string> EncodeBinaryRow(std::span<const DataType> types,
                                    std::span<const std::shared_ptr<arrow::Scalar>> values);

/// Checks every bound; errors say which field broke.
Result<std::vector<std::shared_ptr<arrow::Scalar>>> DecodeBinaryRow(std::string_view row,
                                                                    std::span<const DataType> types);

/// One field of a row that may have more or fewer fields than the schema of today.
Result<std::shared_ptr<arrow::Scalar>> DecodeBinaryRowField(std::string_view row, int32_t field, const DataType& type);

/// The same without a scalar, for pruning: a number of TINYINT to BIGINT or DATE, and the bytes of a text or binary
/// type. Nothing if the field is null, is not there or is broken.
std::optional<int64_t> IntegerOfBinaryRow(std::string_view row, int32_t field, TypeRoot type);
std::optional<std::string_view> BytesOfBinaryRow(std::string_view row, int32_t field);

/// The arity that the row itself gives.
Result<int32_t> BinaryRowArity(std::string_view row);

/// The row of arity 0.
const std::string& EmptyBinaryRow();

}  // namespace reelhouse
