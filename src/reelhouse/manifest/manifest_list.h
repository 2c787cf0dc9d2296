#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
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

/// Reads and writes the files of the folder `manifest/` of one table. Thread safe.
class ManifestStore {
 public:
  /// `compression`: option `manifest.compression`.
  ManifestStore(std::shared_ptr<FileStore> files, std::string table_path, std::string compression = "zstd");

  Result<std::vector<ManifestFile>> ReadList(const std::string& file_name);
  Result<std::vector<ManifestEntry>> ReadManifest(const std::string& file_name);

  /// New files; names are `manifest-list-<uuid>-<ordinal>` and `manifest-<uuid>-<ordinal>`.
  Result<WrittenFile> WriteList(const std::string& uuid, int ordinal, const std::vector<ManifestFile>& manifests);
  /// Entries in order, cut at `target_file_size`; with the records that name them.
  Result<std::vector<ManifestFile>> WriteManifests(const std::string& uuid, const std::vector<ManifestEntry>& entries,
                                                   const std::vector<DataType>& partition_types,
                                                   int64_t target_file_size = 8 << 20);
  Status Delete(const std::string& file_name);
  std::string PathOf(const std::string& file_name) const;

 private:
  std::shared_ptr<FileStore> files_;
  std::string folder_;
  std::string compression_;
};

/// Entries that survive: all ADDs minus those that a DELETE of the same identity names, in order (format notes, 3.4).
std::vector<ManifestEntry> LiveEntries(std::vector<ManifestEntry> entries);

}  // namespace reelhouse
