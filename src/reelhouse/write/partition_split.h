#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/write/checked_batch.h"

namespace reelhouse {

/// Divides rows by the values of their partition columns; NULL, "" and " " are three partitions. Remembers the
/// partitions in the order in which they first appeared. Not thread safe.
class PartitionSplit {
 public:
  explicit PartitionSplit(const TableSchema& schema);

  struct Part {
    size_t partition = 0;  ///< ordinal of appearance
    CheckedBatch rows;     ///< in input order
  };
  /// The parts of a batch, by first appearance in it.
  Result<std::vector<Part>> Split(const CheckedBatch& batch);

  /// BinaryRows of the partitions so far.
  const std::vector<std::string>& partitions() const { return partitions_; }

 private:
  Result<size_t> OrdinalOf(const CheckedBatch& batch, int64_t row, std::string key);

  std::vector<DataField> keys_;
  std::vector<DataType> types_;
  std::vector<std::string> partitions_;
  std::unordered_map<std::string, size_t> ordinals_;
};

}  // namespace reelhouse
