#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/manifest_list.h"

namespace reelhouse {

/// Where the deletion vector of one data file lies in an index file.
struct DeletionVectorRange {
  std::string data_file_name;
  int32_t offset_bytes = 0;
  int32_t length_bytes = 0;
  std::optional<int64_t> cardinality;
  bool operator==(const DeletionVectorRange&) const = default;
};

/// Carried through unchanged: an index of another engine.
struct GlobalIndex {
  int64_t row_range_start = 0;
  int64_t row_range_end = 0;
  int32_t index_field_id = 0;
  std::optional<std::vector<int32_t>> extra_field_ids;
  std::optional<std::string> index_meta;
  std::optional<std::string> source_meta;
  bool operator==(const GlobalIndex&) const = default;
};

/// One live index file: a record of the index manifest (format notes, 3.6).
struct IndexFile {
  std::string partition;
  int32_t bucket = 0;
  std::string index_type;
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::optional<std::vector<DeletionVectorRange>> deletion_vectors;
  std::optional<std::string> external_path;
  std::optional<GlobalIndex> global_index;
  bool operator==(const IndexFile&) const = default;
};

inline constexpr char kDeletionVectorsIndex[] = "DELETION_VECTORS";

/// Reads and writes index manifests: the whole state of a snapshot's indexes. Thread safe.
class IndexManifestStore {
 public:
  IndexManifestStore(std::shared_ptr<FileStore> files, std::string table_path, std::string compression = "zstd");
  Result<std::vector<IndexFile>> Read(const std::string& file_name);
  /// A new file `index-manifest-<uuid>`.
  Result<WrittenFile> Write(const std::string& uuid, const std::vector<IndexFile>& files);

 private:
  std::shared_ptr<FileStore> files_;
  std::string folder_;
  std::string compression_;
};

}  // namespace reelhouse
