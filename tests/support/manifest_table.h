#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/deletion/deletion_vectors.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/manifest/statistics.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/schema_store.h"
#include "tests/support/arrow_json.h"

namespace reelhouse {

/// A table in a temporary folder whose manifests are made by hand, one manifest a commit. Its data files need not be
/// there.
class ManifestTable {
 public:
  explicit ManifestTable(const arrow::Schema& schema, std::vector<std::string> partition_keys = {},
                         std::map<std::string, std::string> options = {}) {
    options.try_emplace("row-tracking.enabled", "true");
    options.try_emplace("data-evolution.enabled", "true");
    options.try_emplace("deletion-vectors.enabled", "true");
    auto made = TableSchema::Make(schema, std::move(partition_keys), Options(std::move(options)));
    schema_ = std::make_shared<const TableSchema>(made.ValueOrDie());
    schemas_->Create(*schema_).ValueOrDie();
  }

  const std::shared_ptr<FileStore>& files() const { return files_; }
  const std::shared_ptr<SchemaStore>& schemas() const { return schemas_; }
  const std::shared_ptr<const TableSchema>& schema() const { return schema_; }
  const std::string& path() const { return path_; }
  TablePaths paths() const { return TablePaths(path_, schema_); }
  std::string PathOf(const ManifestEntry& entry) const { return paths().DataFilePath(entry).ValueOrDie(); }

  /// The next version of the schema: a column more, at the end.
  void AddColumn(const std::string& name, DataType type) {
    TableSchema next = *schema_;
    ++next.id;
    next.fields.push_back({++next.highest_field_id, name, std::move(type), {}, {}});
    SetSchema(std::move(next));
  }
  void SetSchema(TableSchema next) {
    schemas_->Create(next).ValueOrDie();
    schema_ = std::make_shared<const TableSchema>(std::move(next));
  }

  /// The partition row of values that are given as JSON, in the order of the keys.
  std::string Partition(const std::vector<std::string>& json_values) const {
    std::vector<DataType> types;
    std::vector<std::shared_ptr<arrow::Scalar>> values;
    for (const DataField& key : schema_->PartitionFields()) {
      auto array = ArrayOf(key.type.ToArrow(), "[" + json_values[types.size()] + "]");
      values.push_back(array->GetScalar(0).ValueOrDie());
      types.push_back(key.type);
    }
    return EncodeBinaryRow(types, values).ValueOrDie();
  }

  /// Of the files that are made from now on.
  void set_partition(std::string partition) { partition_ = std::move(partition); }

  ManifestEntry Entry(std::string name, int64_t first_row_id, int64_t row_count, int64_t sequence_number = 1) const {
    ManifestEntry entry;
    entry.partition = partition_;
    entry.file.file_name = std::move(name);
    entry.file.file_size = 1000;
    entry.file.row_count = row_count;
    entry.file.first_row_id = first_row_id;
    entry.file.min_sequence_number = entry.file.max_sequence_number = sequence_number;
    entry.file.schema_id = schema_->id;
    entry.file.min_key = entry.file.max_key = EmptyBinaryRow();
    entry.file.key_stats = entry.file.value_stats = NoStatistics();
    entry.file.key_stats.null_counts.emplace();
    entry.file.value_stats_cols.emplace();
    entry.file.file_source = 0;
    return entry;
  }

  /// Statistics of all columns of the table, from a batch that has them.
  static void SetStatistics(ManifestEntry* entry, const std::vector<DataField>& columns,
                            const arrow::RecordBatch& batch) {
    StatisticsCollector collector(columns);
    if (!collector.Add(batch).ok()) std::abort();
    entry->file.value_stats = collector.Finish().ValueOrDie();
    entry->file.value_stats_cols.reset();
  }

  /// A snapshot more, with one manifest of these entries.
  void Commit(const std::vector<ManifestEntry>& entries) {
    ManifestStore store(files_, path_);
    std::vector<DataType> types;
    for (const DataField& key : schema_->PartitionFields()) types.push_back(key.type);
    const std::string id = std::to_string(++snapshot_.id);
    auto delta = store.WriteManifests("m" + id, entries, types).ValueOrDie();
    snapshot_.base_manifest_list = store.WriteList("l" + id, 0, manifests_).ValueOrDie().file_name;
    snapshot_.delta_manifest_list = store.WriteList("l" + id, 1, delta).ValueOrDie().file_name;
    manifests_.insert(manifests_.end(), delta.begin(), delta.end());
    snapshot_.commit_kind = "APPEND";
    snapshot_.schema_id = schema_->id;
    snapshot_.time_millis = 1700000000000;
  }

  /// Dead rows by data file, in one index file. Without `with_cardinality` the manifest does not say how many.
  void Delete(const std::map<std::string, std::vector<uint32_t>>& positions, std::string partition = EmptyBinaryRow(),
              bool with_cardinality = true) {
    DeletionVectors vectors;
    for (const auto& [file, dead] : positions) vectors.emplace(file, DeletionVector(dead));
    IndexFile file = WriteDeletionVectors(*files_, path_ + "/index", vectors).ValueOrDie();
    file.partition = std::move(partition);
    if (!with_cardinality) {
      for (auto& range : *file.deletion_vectors) range.cardinality.reset();
    }
    index_files_.push_back(std::move(file));
    IndexManifestStore store(files_, path_);
    snapshot_.index_manifest =
        store.Write("i" + std::to_string(index_files_.size()), index_files_).ValueOrDie().file_name;
  }

  Snapshot& snapshot() { return snapshot_; }

  Result<Plan> PlanOf(std::string_view where = "", std::optional<std::vector<RowIdRange>> row_ids = {}) {
    PlanRequest request;
    if (snapshot_.id > 0) request.snapshot = snapshot_;
    request.schema = schema_;
    request.row_ids = std::move(row_ids);
    ARROW_ASSIGN_OR_RAISE(request.predicate, ParsePredicate(where, schema_->fields));
    return MakePlan(files_, path_, *schemas_, std::move(request));
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
  std::string path_ = folder_.PathOf("robots.db/frames");
  std::shared_ptr<SchemaStore> schemas_ = std::make_shared<SchemaStore>(files_, path_);
  std::shared_ptr<const TableSchema> schema_;
  std::vector<ManifestFile> manifests_;
  std::vector<IndexFile> index_files_;
  std::string partition_ = EmptyBinaryRow();
  Snapshot snapshot_;
};

}  // namespace reelhouse
