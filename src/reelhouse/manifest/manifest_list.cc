#include "reelhouse/manifest/manifest_list.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include <arrow/scalar.h>

#include "reelhouse/avro/block_codec.h"
#include "reelhouse/avro/container_writer.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/manifest_cache.h"
#include "reelhouse/manifest/manifest_layout.h"
#include "reelhouse/manifest/statistics.h"
#include "reelhouse/manifest/unpacked_manifest.h"

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

// The wider of two bounds of which each may be unknown.
template <typename T>
void WidenBounds(std::optional<T>& min, std::optional<T>& max, const std::optional<T>& other_min,
                 const std::optional<T>& other_max) {
  min = min && other_min ? std::make_optional(std::min(*min, *other_min)) : std::nullopt;
  max = max && other_max ? std::make_optional(std::max(*max, *other_max)) : std::nullopt;
}

int64_t EntryCount(const ManifestFile& manifest) {
  int64_t count = 0;
  const bool overflows = __builtin_add_overflow(manifest.num_added_files, manifest.num_deleted_files, &count);
  return overflows ? std::numeric_limits<int64_t>::max() : count;
}

/// Partition statistics of a manifest that holds the entries of several.
class JoinedPartitionStatistics {
 public:
  explicit JoinedPartitionStatistics(const std::vector<DataType>& types)
      : types_(types), min_(types.size()), max_(types.size()), is_known_(types.size(), true) {
    joined_.null_counts.emplace(types.size(), 0);
  }

  Status Add(const ManifestFile& manifest) {
    const ColumnStatistics& stats = manifest.partition_stats;
    ARROW_ASSIGN_OR_RAISE(Scalars min, DecodeBinaryRow(stats.min_values, types_));
    ARROW_ASSIGN_OR_RAISE(Scalars max, DecodeBinaryRow(stats.max_values, types_));
    for (size_t i = 0; i < types_.size(); ++i) {
      std::optional<int64_t> nulls;
      if (stats.null_counts && i < stats.null_counts->size()) nulls = (*stats.null_counts)[i];
      // A manifest without a bound has no values there, or does not tell.
      const bool has_no_values = nulls == EntryCount(manifest);
      is_known_[i] = is_known_[i] && ((min[i]->is_valid && max[i]->is_valid) || has_no_values);
      if (min[i]->is_valid && (min_[i] == nullptr || CompareScalars(*min[i], *min_[i]) < 0)) min_[i] = min[i];
      if (max[i]->is_valid && (max_[i] == nullptr || CompareScalars(*max[i], *max_[i]) > 0)) max_[i] = max[i];
      std::optional<int64_t>& count = (*joined_.null_counts)[i];
      int64_t sum = 0;
      const bool counts = count && nulls && *nulls >= 0 && !__builtin_add_overflow(*count, *nulls, &sum);
      count = counts ? std::make_optional(sum) : std::nullopt;
    }
    return Status::OK();
  }

  Result<ColumnStatistics> Finish() && {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (!is_known_[i]) min_[i] = max_[i] = nullptr;
    }
    ARROW_ASSIGN_OR_RAISE(joined_.min_values, EncodeBinaryRow(types_, min_));
    ARROW_ASSIGN_OR_RAISE(joined_.max_values, EncodeBinaryRow(types_, max_));
    return std::move(joined_);
  }

 private:
  const std::vector<DataType>& types_;
  Scalars min_;
  Scalars max_;
  std::vector<bool> is_known_;
  ColumnStatistics joined_;
};

// The record of a manifest that holds the entries of all of `manifests`, but for name and size.
Result<ManifestFile> Join(std::span<const ManifestFile> manifests, const std::vector<DataType>& partition_types) {
  ManifestFile whole = manifests.front();
  whole.extra_files.reset();
  JoinedPartitionStatistics partitions(partition_types);
  for (const ManifestFile& manifest : manifests) {
    ARROW_RETURN_NOT_OK(Prefixed("partition statistics of " + manifest.file_name, partitions.Add(manifest)));
    whole.schema_id = std::max(whole.schema_id, manifest.schema_id);
    WidenBounds(whole.min_bucket, whole.max_bucket, manifest.min_bucket, manifest.max_bucket);
    WidenBounds(whole.min_level, whole.max_level, manifest.min_level, manifest.max_level);
    WidenBounds(whole.min_row_id, whole.max_row_id, manifest.min_row_id, manifest.max_row_id);
    if (whole.total_buckets != manifest.total_buckets) whole.total_buckets.reset();
  }
  ARROW_ASSIGN_OR_RAISE(whole.partition_stats, std::move(partitions).Finish());
  return whole;
}

// What a list takes in memory, roughly.
int64_t BytesOf(const std::vector<ManifestFile>& list) {
  int64_t bytes = static_cast<int64_t>(list.size() * sizeof(ManifestFile));
  for (const ManifestFile& manifest : list) {
    bytes += static_cast<int64_t>(manifest.file_name.size() + manifest.partition_stats.min_values.size() +
                                  manifest.partition_stats.max_values.size() + 64);
  }
  return bytes;
}

}  // namespace

ManifestStore::ManifestStore(std::shared_ptr<FileStore> files, std::string table_path, std::string compression,
                             std::shared_ptr<ManifestCache> cache)
    : files_(std::move(files)),
      folder_(JoinLocation(table_path, "manifest")),
      compression_(std::move(compression)),
      cache_(cache != nullptr ? std::move(cache) : std::make_shared<ManifestCache>(0)) {}

std::string ManifestStore::PathOf(const std::string& file_name) const { return JoinLocation(folder_, file_name); }

Result<std::shared_ptr<const std::vector<ManifestFile>>> ManifestStore::List(const std::string& file_name,
                                                                             std::optional<int64_t> size_bytes) {
  const std::string path = PathOf(file_name);
  if (auto known = cache_->FindList(path)) return known;
  ARROW_ASSIGN_OR_RAISE(std::string bytes, files_->ReadAll(path));
  if (size_bytes && *size_bytes != static_cast<int64_t>(bytes.size())) {
    return AvroFileError(
        path, static_cast<int64_t>(bytes.size()), "",
        "the snapshot says " + std::to_string(*size_bytes) + " bytes, the file has " + std::to_string(bytes.size()));
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<ManifestFile> decoded, DecodeManifestList(bytes, path));
  auto list = std::make_shared<const std::vector<ManifestFile>>(std::move(decoded));
  cache_->Keep(path, list, BytesOf(*list));
  return list;
}

Result<std::vector<ManifestFile>> ManifestStore::ReadList(const std::string& file_name,
                                                          std::optional<int64_t> size_bytes) {
  ARROW_ASSIGN_OR_RAISE(auto list, List(file_name, size_bytes));
  return *list;
}

Result<std::shared_ptr<const UnpackedManifest>> ManifestStore::Unpack(const std::string& file_name) {
  const std::string path = PathOf(file_name);
  if (auto known = cache_->FindManifest(path)) return known;
  ARROW_ASSIGN_OR_RAISE(std::string bytes, files_->ReadAll(path));
  ARROW_ASSIGN_OR_RAISE(AvroUnpackedRecords records, UnpackAvroRecords(bytes, path, &cache_->schemas()));
  auto decoder = cache_->DecoderOf(records.writer);
  if (!decoder.ok()) return AvroFileError(path, -1, "", decoder.status().message());
  auto manifest = std::make_shared<const UnpackedManifest>(std::move(records), *std::move(decoder));
  cache_->Keep(path, manifest);
  return manifest;
}

Result<std::shared_ptr<const UnpackedManifest>> ManifestStore::Unpack(const ManifestFile& named) {
  ARROW_ASSIGN_OR_RAISE(auto manifest, Unpack(named.file_name));
  int64_t found = 0;
  for (const AvroUnpackedRecords::Block& block : manifest->records().blocks) found += block.record_count;
  if (found == EntryCount(named)) return manifest;
  return AvroFileError(PathOf(named.file_name), -1, "",
                       "its manifest list says " + std::to_string(named.num_added_files) + " ADD and " +
                           std::to_string(named.num_deleted_files) + " DELETE entries, the file has " +
                           std::to_string(found) + " entries");
}

Result<std::vector<ManifestEntry>> ManifestStore::ReadManifest(const std::string& file_name) {
  ARROW_ASSIGN_OR_RAISE(auto manifest, Unpack(file_name));
  std::vector<ManifestEntry> entries;
  for (size_t part = 0; part < manifest->part_count(); ++part) {
    ARROW_RETURN_NOT_OK(manifest->AppendEntries(part, &entries));
  }
  return entries;
}

Status ManifestStore::Write(const std::string& file_name, std::string_view content, FileBatch* batch) {
  const std::string path = PathOf(file_name);
  return batch != nullptr ? batch->Write(path, content) : WriteWholeFile(*files_, path, content);
}

Result<WrittenFile> ManifestStore::WriteList(const std::string& uuid, int ordinal,
                                             const std::vector<ManifestFile>& manifests, FileBatch* batch) {
  ARROW_ASSIGN_OR_RAISE(std::string codec, AvroCodecName(compression_));
  ARROW_ASSIGN_OR_RAISE(AvroContainerWriter writer, AvroContainerWriter::Make(kManifestListSchema, codec));
  for (const ManifestFile& manifest : manifests) ARROW_RETURN_NOT_OK(PutRecord(writer, manifest));
  ARROW_ASSIGN_OR_RAISE(std::string bytes, writer.Finish());
  const std::string file_name = "manifest-list-" + uuid + "-" + std::to_string(ordinal);
  ARROW_RETURN_NOT_OK(Write(file_name, bytes, batch));
  return WrittenFile{file_name, static_cast<int64_t>(bytes.size())};
}

Result<std::vector<ManifestFile>> ManifestStore::WriteManifests(const std::string& uuid,
                                                                const std::vector<ManifestEntry>& entries,
                                                                const std::vector<DataType>& partition_types,
                                                                int64_t target_file_size, FileBatch* batch) {
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
    ARROW_RETURN_NOT_OK(Write(manifest.file_name, bytes, batch));
    manifests.push_back(std::move(manifest));
    begin = end;
  }
  return manifests;
}

Result<std::vector<ManifestFile>> ManifestStore::Concatenate(
    const std::string& uuid, std::span<const ManifestFile> named,
    std::span<const std::shared_ptr<const UnpackedManifest>> manifests, const std::vector<DataType>& partition_types,
    int64_t target_file_size, FileBatch* batch) {
  ARROW_ASSIGN_OR_RAISE(std::string codec, AvroCodecName(compression_));
  std::vector<ManifestFile> written;
  size_t begin = 0;
  while (begin < named.size()) {
    ARROW_ASSIGN_OR_RAISE(AvroContainerWriter writer, AvroContainerWriter::Make(kManifestSchema, codec));
    int64_t record_count = 0;
    size_t end = begin;
    while (end < named.size() && (end == begin || writer.flushed_bytes() < target_file_size)) {
      const AvroUnpackedRecords& records = manifests[end++]->records();
      for (const AvroUnpackedRecords::Block& block : records.blocks) {
        ARROW_RETURN_NOT_OK(writer.PutRecords(records.BytesOf(block), block.record_count));
        record_count += block.record_count;
      }
    }
    ARROW_ASSIGN_OR_RAISE(ManifestFile whole, Join(named.subspan(begin, end - begin), partition_types));
    ARROW_ASSIGN_OR_RAISE(std::string bytes, writer.Finish());
    whole.num_added_files = record_count;
    whole.num_deleted_files = 0;
    whole.file_name = "manifest-" + uuid + "-" + std::to_string(written.size());
    whole.file_size = static_cast<int64_t>(bytes.size());
    ARROW_RETURN_NOT_OK(Write(whole.file_name, bytes, batch));
    written.push_back(std::move(whole));
    begin = end;
  }
  return written;
}

Status ManifestStore::Delete(const std::string& file_name) { return files_->Delete(PathOf(file_name)); }

}  // namespace reelhouse
