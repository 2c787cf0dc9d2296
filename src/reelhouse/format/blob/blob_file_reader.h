#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// The rows of one `.blob` file: where each payload lies (format notes, 5.1). A value, read once.
struct BlobFileIndex {
  static constexpr int64_t kNull = -1;
  static constexpr int64_t kPlaceholder = -2;
  /// Payload offset in the file, and payload length or kNull or kPlaceholder.
  std::vector<int64_t> offsets_bytes;
  std::vector<int64_t> lengths_bytes;
  int64_t row_count() const { return static_cast<int64_t>(lengths_bytes.size()); }
};

/// Reads and checks the index of a `.blob` file of `file_size` bytes.
Result<BlobFileIndex> ReadBlobFileIndex(FileStore& files, const std::string& path, int64_t file_size);

}  // namespace reelhouse
