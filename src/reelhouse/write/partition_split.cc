#include "reelhouse/write/partition_split.h"

#include <arrow/api.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/manifest/binary_row.h"

namespace reelhouse {
namespace {

// Appends bytes that are equal exactly where values are, for types that can be partition keys.
Status AppendKey(const arrow::Array& values, int64_t row, std::string* key) {
  if (values.IsNull(row)) {
    key->push_back('\0');
    return Status::OK();
  }
  key->push_back('\1');
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      key->push_back(static_cast<const arrow::BooleanArray&>(values).Value(row) ? '\1' : '\0');
      return Status::OK();
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const std::string_view view = static_cast<const arrow::BinaryArray&>(values).GetView(row);
      AppendLe64(*key, view.size());
      key->append(view);
      return Status::OK();
    }
    default: {
      const int bits = values.type()->bit_width();
      if (bits <= 0 || bits % 8 != 0) {
        return Status::NotImplemented("partition columns of type ", values.type()->ToString());
      }
      const int bytes = bits / 8;
      const auto& data = *values.data();
      key->append(reinterpret_cast<const char*>(data.buffers[1]->data()) + (data.offset + row) * bytes,
                  static_cast<size_t>(bytes));
      return Status::OK();
    }
  }
}

bool IsContiguous(const std::vector<int64_t>& rows) {
  return rows.back() - rows.front() + 1 == static_cast<int64_t>(rows.size());
}

}  // namespace

PartitionSplit::PartitionSplit(const TableSchema& schema) : keys_(schema.PartitionFields()) {
  for (const DataField& key : keys_) types_.push_back(key.type);
}

Result<size_t> PartitionSplit::OrdinalOf(const CheckedBatch& batch, int64_t row, std::string key) {
  const auto found = ordinals_.find(key);
  if (found != ordinals_.end()) return found->second;
  std::vector<std::shared_ptr<arrow::Scalar>> values;
  for (const DataField& field : keys_) {
    ARROW_ASSIGN_OR_RAISE(auto value, batch.columns->GetColumnByName(field.name)->GetScalar(row));
    values.push_back(std::move(value));
  }
  ARROW_ASSIGN_OR_RAISE(auto partition, EncodeBinaryRow(types_, values));
  const size_t ordinal = partitions_.size();
  partitions_.push_back(std::move(partition));
  ordinals_.emplace(std::move(key), ordinal);
  return ordinal;
}

Result<std::vector<PartitionSplit::Part>> PartitionSplit::Split(const CheckedBatch& batch) {
  std::vector<Part> parts;
  if (batch.row_count() == 0) return parts;
  if (keys_.empty()) {
    if (partitions_.empty()) partitions_.push_back(EmptyBinaryRow());
    parts.push_back({0, batch});
    return parts;
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const DataField& field : keys_) columns.push_back(batch.columns->GetColumnByName(field.name));

  std::vector<std::vector<int64_t>> rows_of;
  std::vector<size_t> order;                  // partitions by first appearance in the batch
  std::unordered_map<size_t, size_t> places;  // partition -> position in rows_of
  std::string last_key;
  size_t place = 0;
  for (int64_t row = 0; row < batch.row_count(); ++row) {
    std::string key;
    for (const auto& column : columns) ARROW_RETURN_NOT_OK(AppendKey(*column, row, &key));
    if (row == 0 || key != last_key) {
      last_key = key;
      ARROW_ASSIGN_OR_RAISE(const size_t partition, OrdinalOf(batch, row, std::move(key)));
      const auto [found, is_new] = places.emplace(partition, rows_of.size());
      if (is_new) {
        rows_of.emplace_back();
        order.push_back(partition);
      }
      place = found->second;
    }
    rows_of[place].push_back(row);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    if (IsContiguous(rows_of[i])) {
      parts.push_back({order[i], batch.Slice(rows_of[i].front(), static_cast<int64_t>(rows_of[i].size()))});
    } else {
      ARROW_ASSIGN_OR_RAISE(auto rows, batch.Select(rows_of[i]));
      parts.push_back({order[i], std::move(rows)});
    }
  }
  return parts;
}

}  // namespace reelhouse
