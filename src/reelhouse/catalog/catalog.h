#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// `database.table`.
struct Identifier {
  std::string database;
  std::string table;

  /// A name without a dot lies in `default_database`; empty -> Invalid `table name is required.` Names that cannot be
  /// folder names (empty parts, '/', '..', control characters) are refused.
  static Result<Identifier> Parse(std::string_view name, std::string_view default_database);
  std::string ToText() const { return database + "." + table; }
};

/// Databases and tables as folders of one warehouse (format notes, 1.1). Thread safe.
class FileSystemCatalog {
 public:
  /// `warehouse` as the user spelled it; see SpelledLocation.
  FileSystemCatalog(std::shared_ptr<FileStore> files, std::string warehouse);

  Result<std::vector<std::string>> ListDatabases();
  Result<bool> DatabaseExists(std::string_view name);
  Status CreateDatabase(std::string_view name, bool ignore_if_exists);
  /// Refused (kDatabaseNotEmpty) while it has tables.
  Status DropDatabase(std::string_view name, bool ignore_if_not_exists);

  /// kDatabaseNotExist `Database x does not exist`.
  Result<std::vector<std::string>> ListTables(std::string_view database);
  Result<bool> TableExists(const Identifier& identifier);
  std::string TablePath(const Identifier& identifier) const;
  /// A dot-named sibling of the table's folder, under which a new table is built before it is published.
  std::string StagingTablePath(const Identifier& identifier) const;
  /// Renames the staging folder to the table's; kTableAlreadyExist `Table a.b already exists` if somebody was faster.
  Status PublishTable(const std::string& staging_path, const Identifier& identifier);
  /// kTableNotExist `Table a.b does not exist`. The table vanishes at once (rename), then its files are deleted.
  Status DropTable(const Identifier& identifier, bool ignore_if_not_exists);
  Status RenameTable(const Identifier& from, const Identifier& to);

  const std::string& warehouse() const { return warehouse_; }
  const std::shared_ptr<FileStore>& files() const { return files_; }

 private:
  std::shared_ptr<FileStore> files_;
  std::string warehouse_;
};

}  // namespace reelhouse
