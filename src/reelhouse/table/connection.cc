#include "reelhouse/table/connection.h"

#include <utility>

#include <arrow/type.h>
#include <fmt/format.h>

#include "reelhouse/base/log.h"
#include "reelhouse/io/location.h"
#include "reelhouse/schema/known_options.h"
#include "reelhouse/table/add.h"

namespace reelhouse {

namespace {

constexpr char kFsync[] = "commit.fsync";
constexpr char kExternalRoots[] = "reelhouse.external-roots";
constexpr char kManifestCacheSize[] = "reelhouse.manifest-cache-size";
constexpr int64_t kDefaultManifestCacheBytes = 64 << 20;

/// Options that the multimodal connection writes into every new table (format notes, 1.5).
const std::map<std::string, std::string>& DefaultTableOptions() {
  static const std::map<std::string, std::string> defaults = {
      {"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"},   {"deletion-vectors.enabled", "true"},
      {"blob-as-descriptor", "true"},   {"global-index.search-mode", "full"}, {"vector.file.format", "parquet"},
  };
  return defaults;
}

Status CheckMultimodal(const Identifier& identifier, const TableSchema& schema) {
  ARROW_ASSIGN_OR_RAISE(bool data_evolution, schema.options.GetBool("data-evolution.enabled", false));
  if (!data_evolution) {
    return Status::Invalid("Table ", identifier.ToText(),
                           " is not a data-evolution table; data-evolution.enabled must be true.");
  }
  if (!schema.primary_keys.empty()) {
    return Status::Invalid("Table ", identifier.ToText(), " has primary keys [",
                           fmt::format("{}", fmt::join(schema.primary_keys, ", ")),
                           "]; multimodal tables must not have primary keys.");
  }
  return Status::OK();
}

}  // namespace

Connection::Connection(FileSystemCatalog catalog, std::string database, std::map<std::string, std::string> options,
                       std::vector<std::string> roots)
    : catalog_(std::move(catalog)),
      database_(std::move(database)),
      options_(std::move(options)),
      roots_(std::move(roots)) {}

Result<std::shared_ptr<Connection>> Connection::Open(std::map<std::string, std::string> options, std::string database) {
  ARROW_ASSIGN_OR_RAISE(bool fsync, Options(options).GetBool(kFsync, true));
  return Open(std::move(options), std::move(database), MakeLocalFileStore({.fsync = fsync}));
}

Result<std::shared_ptr<Connection>> Connection::Open(std::map<std::string, std::string> options, std::string database,
                                                     std::shared_ptr<FileStore> files) {
  if (options.empty()) return Status::Invalid("options is required.");
  const Options typed(options);
  const std::string warehouse = SpelledLocation(typed.GetText("warehouse", ""));
  if (warehouse.empty()) return Status::Invalid("Paimon 'warehouse' path must be set");
  if (database.empty()) return Status::Invalid("database is required.");
  const std::string metastore = typed.GetText("metastore", "filesystem");
  if (metastore != "filesystem") {
    return Status::NotImplemented("metastore '", metastore, "': only 'filesystem' is supported");
  }
  ARROW_RETURN_NOT_OK(LocalPath(warehouse).status());
  std::vector<std::string> roots = {warehouse};
  for (const std::string& root : typed.GetList(kExternalRoots)) roots.push_back(SpelledLocation(root));
  ARROW_ASSIGN_OR_RAISE(const int64_t cache_bytes, typed.GetBytes(kManifestCacheSize, kDefaultManifestCacheBytes));
  auto connection = std::shared_ptr<Connection>(new Connection(
      FileSystemCatalog(std::move(files), warehouse), std::move(database), std::move(options), std::move(roots)));
  connection->manifests_ = std::make_shared<ManifestCache>(cache_bytes);
  return connection;
}

std::shared_ptr<const TableContext> Connection::ContextOf(const Identifier& identifier, std::string path) const {
  return MakeTableContext(identifier, std::move(path), catalog_.files(), roots_, manifests_);
}

Result<Table> Connection::CreateTable(std::string_view name, const arrow::Schema& schema,
                                      const CreateTableOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Identifier identifier, Identifier::Parse(name, database_));
  ARROW_ASSIGN_OR_RAISE(bool exists, catalog_.TableExists(identifier));
  if (exists) {
    if (options.ignore_if_exists) return GetTable(name);
    return MakeError(ErrorKind::kTableAlreadyExist, "Table " + identifier.ToText() + " already exists");
  }
  std::map<std::string, std::string> table_options = options.options;
  table_options.insert(DefaultTableOptions().begin(), DefaultTableOptions().end());
  ARROW_ASSIGN_OR_RAISE(
      TableSchema table_schema,
      TableSchema::Make(schema, options.partition_keys, Options(std::move(table_options)), options.comment));
  ARROW_RETURN_NOT_OK(CheckMultimodal(identifier, table_schema));
  ARROW_RETURN_NOT_OK(ValidateKnownOptions(table_schema.options));

  ARROW_RETURN_NOT_OK(catalog_.CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  // Built aside and renamed into place, so that the table appears whole, with its first rows, or not at all.
  const std::string staging = catalog_.StagingTablePath(identifier);
  Status built = BuildTable(identifier, staging, table_schema, options);
  if (built.ok()) built = catalog_.PublishTable(staging, identifier);
  if (!built.ok()) {
    // The first error is the one that matters; what could not be removed is dot-named and seen by no reader.
    LogFailure(catalog_.files()->DeleteTree(staging));
    if (options.ignore_if_exists && IsKind(built, ErrorKind::kTableAlreadyExist)) return GetTable(name);
    return built;
  }
  return Table(ContextOf(identifier, catalog_.TablePath(identifier)));
}

Status Connection::BuildTable(const Identifier& identifier, const std::string& path, const TableSchema& schema,
                              const CreateTableOptions& options) const {
  std::shared_ptr<const TableContext> context = ContextOf(identifier, path);
  ARROW_ASSIGN_OR_RAISE(bool created, context->schemas->Create(schema));
  if (!created) return Status::IOError(path, ": the staging folder is in use");
  if (options.data) ARROW_RETURN_NOT_OK(AddRows(*context, OneRowInput(*options.data), options.write).status());
  return Status::OK();
}

Result<Table> Connection::GetTable(std::string_view name) {
  ARROW_ASSIGN_OR_RAISE(Identifier identifier, Identifier::Parse(name, database_));
  std::shared_ptr<const TableContext> context = ContextOf(identifier, catalog_.TablePath(identifier));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, context->LatestSchema());
  ARROW_RETURN_NOT_OK(CheckMultimodal(identifier, *schema));
  return Table(std::move(context));
}

Status Connection::DropTable(std::string_view name, bool ignore_if_not_exists) {
  ARROW_ASSIGN_OR_RAISE(Identifier identifier, Identifier::Parse(name, database_));
  return catalog_.DropTable(identifier, ignore_if_not_exists);
}

Status Connection::RenameTable(std::string_view from, std::string_view to) {
  ARROW_ASSIGN_OR_RAISE(Identifier old_identifier, Identifier::Parse(from, database_));
  ARROW_ASSIGN_OR_RAISE(Identifier new_identifier, Identifier::Parse(to, database_));
  return catalog_.RenameTable(old_identifier, new_identifier);
}

Result<std::vector<std::string>> Connection::ListTables(std::optional<std::string> database) {
  return catalog_.ListTables(database.value_or(database_));
}

Result<std::vector<std::string>> Connection::ListDatabases() { return catalog_.ListDatabases(); }

Status Connection::CreateDatabase(std::string_view name, bool ignore_if_exists) {
  return catalog_.CreateDatabase(name, ignore_if_exists);
}

Status Connection::DropDatabase(std::string_view name, bool ignore_if_not_exists) {
  return catalog_.DropDatabase(name, ignore_if_not_exists);
}

}  // namespace reelhouse
