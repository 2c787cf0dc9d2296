#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/catalog/catalog.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/manifest_cache.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "reelhouse/snapshot/tag_store.h"

namespace reelhouse {

/// One table as its operations see it: where it lies and the stores of its folders. Shared, immutable, thread safe.
struct TableContext {
  Identifier identifier;
  std::string path;
  std::shared_ptr<FileStore> files;
  std::shared_ptr<SchemaStore> schemas;
  std::shared_ptr<SnapshotStore> snapshots;
  std::shared_ptr<TagStore> tags;
  /// What scans of the tables of one connection read of manifests; null keeps nothing.
  std::shared_ptr<ManifestCache> manifests;
  /// Where references inside rows may point: the warehouse and `reelhouse.external-roots`.
  std::vector<std::string> roots;

  /// The newest schema; kTableNotExist if the table is gone.
  Result<std::shared_ptr<const TableSchema>> LatestSchema() const;
};

std::shared_ptr<const TableContext> MakeTableContext(Identifier identifier, std::string path,
                                                     std::shared_ptr<FileStore> files, std::vector<std::string> roots,
                                                     std::shared_ptr<ManifestCache> manifests = nullptr);

}  // namespace reelhouse
