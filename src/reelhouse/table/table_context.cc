#include "reelhouse/table/table_context.h"

#include <utility>

namespace reelhouse {

Result<std::shared_ptr<const TableSchema>> TableContext::LatestSchema() const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, schemas->LoadLatest());
  if (!schema) {
    return MakeError(ErrorKind::kTableNotExist, "Table " + identifier.ToText() + " does not exist");
  }
  return schema;
}

std::shared_ptr<const TableContext> MakeTableContext(Identifier identifier, std::string path,
                                                     std::shared_ptr<FileStore> files, std::vector<std::string> roots,
                                                     std::shared_ptr<ManifestCache> manifests) {
  auto context = std::make_shared<TableContext>();
  context->identifier = std::move(identifier);
  context->schemas = std::make_shared<SchemaStore>(files, path);
  context->snapshots = std::make_shared<SnapshotStore>(files, path);
  context->tags = std::make_shared<TagStore>(files, path);
  context->path = std::move(path);
  context->files = std::move(files);
  context->roots = std::move(roots);
  context->manifests = std::move(manifests);
  return context;
}

}  // namespace reelhouse
