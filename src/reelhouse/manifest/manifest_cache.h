#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/avro/schema_cache.h"
#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/manifest/unpacked_manifest.h"

namespace reelhouse {

/// What was read of manifests and manifest lists, bounded by bytes, the least recently used given up first; and the
/// decoders for the schemas of their writers. Files are known by their full path: they never change, and their names
/// are never used again. Thread safe.
class ManifestCache {
 public:
  using Lists = std::shared_ptr<const std::vector<ManifestFile>>;

  /// With 0 no file is kept, only decoders are.
  explicit ManifestCache(int64_t most_bytes) : most_bytes_(most_bytes) {}
  ManifestCache(const ManifestCache&) = delete;
  ManifestCache& operator=(const ManifestCache&) = delete;

  /// Null if it is not there.
  std::shared_ptr<const UnpackedManifest> FindManifest(const std::string& path);
  Lists FindList(const std::string& path);
  void Keep(const std::string& path, std::shared_ptr<const UnpackedManifest> manifest);
  void Keep(const std::string& path, Lists list, int64_t size_bytes);

  AvroSchemaCache& schemas() { return schemas_; }
  Result<std::shared_ptr<const ManifestDecoder>> DecoderOf(const AvroWriterSchemaPtr& writer);

  int64_t size_bytes() const;

 private:
  /// One of the two is there.
  struct Item {
    std::string path;
    std::shared_ptr<const UnpackedManifest> manifest;
    Lists list;
    int64_t size_bytes = 0;
  };

  const Item* Find(const std::string& path);
  void Keep(Item item);

  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Item> items_;  // the most recently used first
  std::unordered_map<std::string, std::list<Item>::iterator> by_path_;
  int64_t size_bytes_ = 0;
  AvroSchemaCache schemas_;
  std::unordered_map<AvroWriterSchemaPtr, std::shared_ptr<const ManifestDecoder>> decoders_;
};

}  // namespace reelhouse
