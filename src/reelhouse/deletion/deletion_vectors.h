#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/index_manifest.h"

namespace reelhouse {

/// Positions of dead rows in one data file (its anchor file). A value; copies share the bitmap.
class DeletionVector {
 public:
  DeletionVector();
  explicit DeletionVector(const std::vector<uint32_t>& positions);
  /// The bytes between size and CRC of an index file: magic and bitmap.
  static Result<DeletionVector> Deserialize(std::string_view bytes, std::string_view path);
  std::string Serialize() const;

  bool empty() const { return cardinality() == 0; }
  int64_t cardinality() const;
  bool Contains(uint32_t position) const;
  /// Dead positions in [begin, end), ascending.
  std::vector<uint32_t> PositionsIn(uint32_t begin, uint32_t end) const;
  int64_t CardinalityIn(uint32_t begin, uint32_t end) const;
  DeletionVector Union(const DeletionVector& other) const;

 private:
  struct Bitmap;
  std::shared_ptr<const Bitmap> bitmap_;
};

/// Deletion vectors of one partition, by data file name.
using DeletionVectors = std::unordered_map<std::string, DeletionVector>;

/// Reads all vectors that an index file lists (CRCs are checked). Thread safe.
Result<DeletionVectors> ReadDeletionVectors(FileStore& files, const std::string& path, const IndexFile& index_file);

/// Writes one index file with all `vectors`; the result lacks partition and bucket.
Result<IndexFile> WriteDeletionVectors(FileStore& files, const std::string& folder, const DeletionVectors& vectors);

}  // namespace reelhouse
