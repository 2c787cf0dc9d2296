#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/catalog/catalog.h"
#include "reelhouse/table/table.h"

namespace reelhouse {

struct CreateTableOptions {
  std::map<std::string, std::string> options;
  std::vector<std::string> partition_keys;
  bool ignore_if_exists = false;
  std::optional<std::string> comment;
  /// First rows: the table appears together with them, or not at all.
  std::optional<RowInput> data;
  WriteOptions write;
};

/// A warehouse with a default database. Thread safe.
class Connection {
 public:
  /// Options: `warehouse` (required), `commit.fsync`, `reelhouse.external-roots`.
  static Result<std::shared_ptr<Connection>> Open(std::map<std::string, std::string> options,
                                                  std::string database = "default");
  /// The same over a store of the caller's.
  static Result<std::shared_ptr<Connection>> Open(std::map<std::string, std::string> options, std::string database,
                                                  std::shared_ptr<FileStore> files);

  /// `schema` by the mapping of the contract: large_binary is BLOB, fixed_size_list is VECTOR.
  Result<Table> CreateTable(std::string_view name, const arrow::Schema& schema, const CreateTableOptions& options = {});
  Result<Table> GetTable(std::string_view name);
  Status DropTable(std::string_view name, bool ignore_if_not_exists = false);
  Status RenameTable(std::string_view from, std::string_view to);
  Result<std::vector<std::string>> ListTables(std::optional<std::string> database = {});
  Result<std::vector<std::string>> ListDatabases();
  Status CreateDatabase(std::string_view name, bool ignore_if_exists = false);
  Status DropDatabase(std::string_view name, bool ignore_if_not_exists = false);

  const std::string& database() const { return database_; }
  FileSystemCatalog& catalog() { return catalog_; }
  const std::map<std::string, std::string>& options() const { return options_; }

 private:
  Connection(FileSystemCatalog catalog, std::string database, std::map<std::string, std::string> options,
             std::vector<std::string> roots);
  Status BuildTable(const Identifier& identifier, const std::string& path, const TableSchema& schema,
                    const CreateTableOptions& options) const;
  std::shared_ptr<const TableContext> ContextOf(const Identifier& identifier, std::string path) const;

  FileSystemCatalog catalog_;
  std::string database_;
  std::map<std::string, std::string> options_;
  std::vector<std::string> roots_;
  std::shared_ptr<ManifestCache> manifests_;
};

}  // namespace reelhouse
