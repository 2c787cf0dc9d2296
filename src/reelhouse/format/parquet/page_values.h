#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/type_fwd.h>
#include <parquet/types.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// The values (those that are not NULL) of the pages of one flat column, decoded straight into the buffers of an array.
/// Every size that the bytes name is checked. What the bytes break is Invalid; an encoding that is not known here is
/// NotImplemented. Not thread safe.
class PageValues {
 public:
  static constexpr int32_t kNull = -1;
  /// Most values of one call that picks.
  static constexpr int64_t kMostValues = 4096;

  /// Null if values of this kind are not decoded here.
  static std::unique_ptr<PageValues> Make(parquet::Type::type stored, const std::shared_ptr<arrow::DataType>& type);
  virtual ~PageValues() = default;

  /// Starts an array of `rows` rows.
  virtual Status BeginArray(int64_t rows) = 0;
  /// Buffers behind the validity bitmap of the array that was begun and filled.
  virtual Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() = 0;

  virtual Status SetDictionary(std::span<const uint8_t> bytes, int64_t count) = 0;
  /// `bytes` stay valid until the next call.
  virtual Status BeginPage(parquet::Encoding::type encoding, std::span<const uint8_t> bytes) = 0;

  virtual Status Skip(int64_t count) = 0;
  virtual Status AppendAll(int64_t count) = 0;
  /// Consumes `count` values and appends a row for each of `picks`: one of the values, or kNull.
  virtual Status AppendPicked(int64_t count, std::span<const int32_t> picks) = 0;
};

}  // namespace reelhouse
