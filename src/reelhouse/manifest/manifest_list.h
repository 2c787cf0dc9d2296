#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_batch.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/data_file.h"
#include "reelhouse/manifest/manifest_entry.h"

namespace reelhouse {

/// Paimon's ManifestFileMeta: one manifest as a manifest list names it.
struct ManifestFile {
  std::string file_name;
  int64_t file_size = 0;
  int64_t num_added_files = 0;
  int64_t num_deleted_files = 0;
  ColumnStatistics partition_stats;
  int64_t schema_id = 0;
  std::optional<int32_t> min_bucket, max_bucket, min_level, max_level;
  std::optional<int64_t> min_row_id, max_row_id;
  std::optional<int32_t> total_buckets;
  std::optional<std::vector<std::string>> extra_files;

  bool operator==(const ManifestFile&) const = default;
};

struct WrittenFile {
  std::string file_name;
  int64_t file_size = 0;
};

class ManifestCache;
class UnpackedManifest;

/// Reads and writes the files of the folder `manifest/` of one table. Thread safe.
class ManifestStore {
 public:
  /// `compression`: option `manifest.compression`. What is read is kept in `cache`, if given.
  ManifestStore(std::shared_ptr<FileStore> files, std::string table_path, std::string compression = "zstd",
                std::shared_ptr<ManifestCache> cache = nullptr);

  /// `size_bytes`: what the snapshot says of the list, where it does. A list that was cut between two blocks looks
  /// whole by itself, so one of another size is a CorruptFile.
  Result<std::vector<ManifestFile>> ReadList(const std::string& file_name, std::optional<int64_t> size_bytes = {});
  Result<std::shared_ptr<const std::vector<ManifestFile>>> List(const std::string& file_name,
                                                                std::optional<int64_t> size_bytes = {});
  Result<std::vector<ManifestEntry>> ReadManifest(const std::string& file_name);
  Result<std::shared_ptr<const UnpackedManifest>> Unpack(const std::string& file_name);
  /// A CorruptFile also where the manifest has another number of entries than its list says.
  Result<std::shared_ptr<const UnpackedManifest>> Unpack(const ManifestFile& named);

  /// New files; names are `manifest-list-<uuid>-<ordinal>` and `manifest-<uuid>-<ordinal>`. With a `batch` they are
  /// durable when that is finished.
  Result<WrittenFile> WriteList(const std::string& uuid, int ordinal, const std::vector<ManifestFile>& manifests,
                                FileBatch* batch = nullptr);
  /// Entries in order, cut at `target_file_size`; with the records that name them.
  Result<std::vector<ManifestFile>> WriteManifests(const std::string& uuid, const std::vector<ManifestEntry>& entries,
                                                   const std::vector<DataType>& partition_types,
                                                   int64_t target_file_size = 8 << 20, FileBatch* batch = nullptr);
  /// The entries of `manifests`, whose records in a list are `named`, byte for byte one after the other, cut between
  /// two of them at `target_file_size`. They must encode like ours and have no DELETE.
  Result<std::vector<ManifestFile>> Concatenate(const std::string& uuid, std::span<const ManifestFile> named,
                                                std::span<const std::shared_ptr<const UnpackedManifest>> manifests,
                                                const std::vector<DataType>& partition_types, int64_t target_file_size,
                                                FileBatch* batch);
  Status Delete(const std::string& file_name);
  std::string PathOf(const std::string& file_name) const;

 private:
  Status Write(const std::string& file_name, std::string_view content, FileBatch* batch);

  std::shared_ptr<FileStore> files_;
  std::string folder_;
  std::string compression_;
  std::shared_ptr<ManifestCache> cache_;
};

/// Entries that survive: all ADDs minus those that a DELETE of the same identity names, in order (format notes, 3.4).
std::vector<ManifestEntry> LiveEntries(std::vector<ManifestEntry> entries);

}  // namespace reelhouse
