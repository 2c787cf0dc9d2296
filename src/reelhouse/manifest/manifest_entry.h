#pragma once

#include <cstdint>
#include <string>

#include "reelhouse/manifest/data_file.h"

namespace reelhouse {

enum class FileChangeKind : int8_t { kAdd = 0, kDelete = 1 };

/// One change of the set of data files: a record of a manifest.
struct ManifestEntry {
  FileChangeKind kind = FileChangeKind::kAdd;
  std::string partition;  ///< BinaryRow of the partition keys
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  DataFile file;

  /// What makes two entries mean the same file (format notes, 3.4).
  std::string Identity() const;
  bool operator==(const ManifestEntry&) const = default;
};

}  // namespace reelhouse
