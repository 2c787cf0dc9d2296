#include "reelhouse/manifest/manifest_list.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <arrow/scalar.h>

#include "reelhouse/avro/block_codec.h"
#include "reelhouse/avro/container_writer.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/manifest_layout.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {
namespace {

// How often the size of a manifest is looked at, as in pypaimon (format notes, 3.5).
constexpr size_t kEntriesBetweenChecks = 1000;

using Scalars = std::vector<std::shared_ptr<arrow::Scalar>>;

/// Minimum, maximum and null counts over the partition values of entries.
class PartitionStatistics {
 public:
  explicit PartitionStatistics(const std::vector<DataType>& types)
      : types_(types), min_(types.size()), max_(types.size()), null_counts_(types.size(), 0) {}

  Status Add(const std::string& partition) {
    // Entries of one partition follow each other; a value is decoded once.
    auto found = decoded_.find(partition);
    if (found == decoded_.end()) {
      ARROW_ASSIGN_OR_RAISE(Scalars values, DecodeBinaryRow(partition, types_));
      for (size_t i = 0; i < values.size(); ++i) {
        if (!values[i]->is_valid) continue;
        if (min_[i] == nullptr || CompareScalars(*values[i], *min_[i]) < 0) min_[i] = values[i];
        if (max_[i] == nullptr || CompareScalars(*values[i], *max_[i]) > 0) max_[i] = values[i];
      }
      found = decoded_.emplace(partition, std::move(values)).first;
    }
    for (size_t i = 0; i < types_.size(); ++i) null_counts_[i] += found->second[i]->is_valid ? 0 : 1;
    return Status::OK();
  }

  Result<ColumnStatistics> Finish() const {
    ColumnStatistics statistics;
    ARROW_ASSIGN_OR_RAISE(statistics.min_values, EncodeBinaryRow(types_, min_));
    ARROW_ASSIGN_OR_RAISE(statistics.max_values, EncodeBinaryRow(types_, max_));
    statistics.null_counts.emplace(null_counts_.begin(), null_counts_.end());
    return statistics;
  }

 private:
  const std::vector<DataType>& types_;
  Scalars min_;
  Scalars max_;
  std::vector<int64_t> null_counts_;
  std::unordered_map<std::string, Scalars> decoded_;
};

void Widen(std::optional<int32_t>& min, std::optional<int32_t>& max, int32_t value) {
  min = min ? std::min(*min, value) : value;
  max = max ? std::max(*max, value) : value;
}

Result<ManifestFile> Summarise(const ManifestEntry* begin, const ManifestEntry* end,
                               const std::vector<DataType>& partition_types) {
  ManifestFile manifest;
  PartitionStatistics partitions(partition_types);
  bool all_have_row_ids = true;
  manifest.schema_id = begin->file.schema_id;
  manifest.total_buckets = begin->total_buckets;
  for (const ManifestEntry* entry = begin; entry != end; ++entry) {
    const DataFile& file = entry->file;
    ++(entry->kind == FileChangeKind::kAdd ? manifest.num_added_files : manifest.num_deleted_files);
    ARROW_RETURN_NOT_OK(Prefixed("partition of " + file.file_name, partitions.Add(entry->partition)));
    manifest.schema_id = std::max(manifest.schema_id, file.schema_id);
    Widen(manifest.min_bucket, manifest.max_bucket, entry->bucket);
    Widen(manifest.min_level, manifest.max_level, file.level);
    // Only a common, positive count may be used to prune buckets.
    if (manifest.total_buckets != entry->total_buckets) manifest.total_buckets = -1;
    // A range that ends beyond the numbers bounds nothing; who reads the entry refuses it.
    int64_t end_row_id = 0;
    if (file.first_row_id && !__builtin_add_overflow(*file.first_row_id, file.row_count, &end_row_id)) {
      const int64_t last = end_row_id - 1;
      manifest.min_row_id = std::min(manifest.min_row_id.value_or(*file.first_row_id), *file.first_row_id);
      manifest.max_row_id = std::max(manifest.max_row_id.value_or(last), last);
    } else {
      all_have_row_ids = false;
    }
  }
  if (manifest.total_buckets <= 0) manifest.total_buckets.reset();
  if (!all_have_row_ids) {
    manifest.min_row_id.reset();
    manifest.max_row_id.reset();
  }
  ARROW_ASSIGN_OR_RAISE(manifest.partition_stats, partitions.Finish());
  return manifest;
}

}  // namespace

ManifestStore::ManifestStore(std::shared_ptr<FileStore> files, std::string table_path, std::string compression)
    : files_(std::move(files)), folder_(JoinLocation(table_path, "manifest")), compression_(std::move(compression)) {}

std::string ManifestStore::PathOf(const std::string& file_name) const { return JoinLocation(folder_, file_name); }

Result<std::vector<ManifestFile>> ManifestStore::ReadList(const std::string& file_name) {
  const std::string path = PathOf(file_name);
  ARROW_ASSIGN_OR_RAISE(std::string bytes, files_->ReadAll(path));
  return DecodeManifestList(bytes, path);
}

Result<std::vector<ManifestEntry>> ManifestStore::ReadManifest(const std::string& file_name) {
  const std::string path = PathOf(file_name);
  ARROW_ASSIGN_OR_RAISE(std::string bytes, files_->ReadAll(path));
  return DecodeManifest(bytes, path);
}

Result<WrittenFile> ManifestStore::WriteList(const std::string& uuid, int ordinal,
                                             const std::vector<ManifestFile>& manifests) {
  ARROW_ASSIGN_OR_RAISE(std::string codec, AvroCodecName(compression_));
  ARROW_ASSIGN_OR_RAISE(AvroContainerWriter writer, AvroContainerWriter::Make(kManifestListSchema, codec));
  for (const ManifestFile& manifest : manifests) ARROW_RETURN_NOT_OK(PutRecord(writer, manifest));
  ARROW_ASSIGN_OR_RAISE(std::string bytes, writer.Finish());
  const std::string file_name = "manifest-list-" + uuid + "-" + std::to_string(ordinal);
  ARROW_RETURN_NOT_OK(WriteWholeFile(*files_, PathOf(file_name), bytes));
  return WrittenFile{file_name, static_cast<int64_t>(bytes.size())};
}

Result<std::vector<ManifestFile>> ManifestStore::WriteManifests(const std::string& uuid,
                                                                const std::vector<ManifestEntry>& entries,
                                                                const std::vector<DataType>& partition_types,
                                                                int64_t target_file_size) {
  ARROW_ASSIGN_OR_RAISE(std::string codec, AvroCodecName(compression_));
  std::vector<ManifestFile> manifests;
  size_t begin = 0;
  while (begin < entries.size()) {
    ARROW_ASSIGN_OR_RAISE(AvroContainerWriter writer, AvroContainerWriter::Make(kManifestSchema, codec));
    size_t end = begin;
    do {
      ARROW_RETURN_NOT_OK(PutRecord(writer, entries[end++]));
    } while (end < entries.size() && (end % kEntriesBetweenChecks != 0 || writer.flushed_bytes() < target_file_size));
    ARROW_ASSIGN_OR_RAISE(std::string bytes, writer.Finish());
    ARROW_ASSIGN_OR_RAISE(ManifestFile manifest,
                          Summarise(entries.data() + begin, entries.data() + end, partition_types));
    manifest.file_name = "manifest-" + uuid + "-" + std::to_string(manifests.size());
    manifest.file_size = static_cast<int64_t>(bytes.size());
    ARROW_RETURN_NOT_OK(WriteWholeFile(*files_, PathOf(manifest.file_name), bytes));
    manifests.push_back(std::move(manifest));
    begin = end;
  }
  return manifests;
}

Status ManifestStore::Delete(const std::string& file_name) { return files_->Delete(PathOf(file_name)); }

}  // namespace reelhouse
