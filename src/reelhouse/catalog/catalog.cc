#include "reelhouse/catalog/catalog.h"

#include <algorithm>
#include <utility>

#include "reelhouse/base/text.h"
#include "reelhouse/base/uuid.h"
#include "reelhouse/io/location.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {
namespace {

constexpr std::string_view kDatabaseSuffix = ".db";
// Names with a dot in front are ours and pypaimon's for what is not there yet or no longer.
constexpr std::string_view kStagingPrefix = ".staging-";
constexpr std::string_view kDroppedPrefix = ".dropped-";

// `what` is "database name" or "table name".
Status ValidateName(std::string_view what, std::string_view name) {
  if (name.empty()) return Status::Invalid(what, " is required.");
  if (name.front() == '.') {
    return Status::Invalid(what, " ", QuoteForError(name), ": expected no dot in front, such folders are hidden");
  }
  for (char c : name) {
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Status::Invalid(what, " ", QuoteForError(name),
                             ": expected a name for a folder, without '/', '\\' and control characters");
    }
  }
  return Status::OK();
}

Status TableNotExist(const Identifier& identifier) {
  ErrorFields fields;
  fields.table = identifier.ToText();
  return MakeError(ErrorKind::kTableNotExist, "Table " + identifier.ToText() + " does not exist", std::move(fields));
}

Status TableAlreadyExist(const Identifier& identifier) {
  ErrorFields fields;
  fields.table = identifier.ToText();
  return MakeError(ErrorKind::kTableAlreadyExist, "Table " + identifier.ToText() + " already exists",
                   std::move(fields));
}

Status DatabaseNotExist(std::string_view name) {
  return MakeError(ErrorKind::kDatabaseNotExist, "Database " + std::string(name) + " does not exist");
}

std::string DatabasePath(std::string_view warehouse, std::string_view name) {
  return JoinLocation(warehouse, std::string(name) + std::string(kDatabaseSuffix));
}

Result<bool> IsFolder(FileStore& files, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> entry, files.Stat(path));
  return entry.has_value() && entry->is_directory;
}

// A folder is a table when its schema/ holds a schema.
Result<bool> HasSchema(const std::shared_ptr<FileStore>& files, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, SchemaStore(files, path).ListIds());
  return !ids.empty();
}

Result<std::vector<std::string>> TablesIn(const std::shared_ptr<FileStore>& files, const std::string& database_path) {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files->List(database_path));
  std::vector<std::string> names;
  for (const FileEntry& entry : entries) {
    if (!entry.is_directory || entry.name.starts_with('.')) continue;
    ARROW_ASSIGN_OR_RAISE(bool is_table, HasSchema(files, JoinLocation(database_path, entry.name)));
    if (is_table) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string HiddenSibling(const std::string& path, std::string_view prefix) {
  return JoinLocation(ParentLocation(path), std::string(prefix) + NewUuid());
}

// Clears an empty folder out of the way of a new table. False if something is in it, also if it came this moment.
Result<bool> RemoveEmptyFolder(FileStore& files, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files.List(path));
  if (!entries.empty()) return false;
  const std::string aside = HiddenSibling(path, kDroppedPrefix);
  ARROW_RETURN_NOT_OK(files.RenameNoReplace(path, aside).status());
  ARROW_ASSIGN_OR_RAISE(entries, files.List(aside));
  if (!entries.empty()) {
    ARROW_RETURN_NOT_OK(files.RenameNoReplace(aside, path).status());
    return false;
  }
  ARROW_RETURN_NOT_OK(files.DeleteTree(aside));
  return true;
}

}  // namespace

Result<Identifier> Identifier::Parse(std::string_view name, std::string_view default_database) {
  if (name.empty()) return Status::Invalid("table name is required.");
  Identifier identifier;
  const size_t dot = name.find('.');
  identifier.database = dot == std::string_view::npos ? default_database : name.substr(0, dot);
  identifier.table = dot == std::string_view::npos ? name : name.substr(dot + 1);
  ARROW_RETURN_NOT_OK(ValidateName("database name", identifier.database));
  ARROW_RETURN_NOT_OK(ValidateName("table name", identifier.table));
  // `table$branch_x` and `table$snapshots` are other engines' names for things inside a table.
  if (identifier.table.find('$') != std::string::npos) return TableNotExist(identifier);
  return identifier;
}

FileSystemCatalog::FileSystemCatalog(std::shared_ptr<FileStore> files, std::string warehouse)
    : files_(std::move(files)), warehouse_(SpelledLocation(warehouse)) {}

Result<std::vector<std::string>> FileSystemCatalog::ListDatabases() {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files_->List(warehouse_));
  std::vector<std::string> names;
  for (const FileEntry& entry : entries) {
    if (!entry.is_directory || entry.name.starts_with('.') || !entry.name.ends_with(kDatabaseSuffix)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kDatabaseSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> FileSystemCatalog::DatabaseExists(std::string_view name) {
  if (!ValidateName("database name", name).ok()) return false;
  return IsFolder(*files_, DatabasePath(warehouse_, name));
}

Status FileSystemCatalog::CreateDatabase(std::string_view name, bool ignore_if_exists) {
  ARROW_RETURN_NOT_OK(ValidateName("database name", name));
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(name));
  if (!exists) return files_->MakeDirectories(DatabasePath(warehouse_, name));
  if (ignore_if_exists) return Status::OK();
  return MakeError(ErrorKind::kDatabaseAlreadyExist, "Database " + std::string(name) + " already exists");
}

Status FileSystemCatalog::DropDatabase(std::string_view name, bool ignore_if_not_exists) {
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(name));
  if (!exists) return ignore_if_not_exists ? Status::OK() : DatabaseNotExist(name);
  const Status not_empty = MakeError(ErrorKind::kDatabaseNotEmpty,
                                     "Database " + std::string(name) + " is not empty. Drop its tables first.");
  const std::string path = DatabasePath(warehouse_, name);
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> tables, TablesIn(files_, path));
  if (!tables.empty()) return not_empty;
  const std::string dropped = HiddenSibling(path, kDroppedPrefix);
  ARROW_RETURN_NOT_OK(files_->RenameNoReplace(path, dropped).status());
  // A table may have been published between the look and the rename: it is given back, not lost.
  ARROW_ASSIGN_OR_RAISE(tables, TablesIn(files_, dropped));
  if (!tables.empty()) {
    ARROW_RETURN_NOT_OK(files_->RenameNoReplace(dropped, path).status());
    return not_empty;
  }
  return files_->DeleteTree(dropped);
}

Result<std::vector<std::string>> FileSystemCatalog::ListTables(std::string_view database) {
  ARROW_ASSIGN_OR_RAISE(bool exists, DatabaseExists(database));
  if (!exists) return DatabaseNotExist(database);
  return TablesIn(files_, DatabasePath(warehouse_, database));
}

Result<bool> FileSystemCatalog::TableExists(const Identifier& identifier) {
  return HasSchema(files_, TablePath(identifier));
}

std::string FileSystemCatalog::TablePath(const Identifier& identifier) const {
  return JoinLocation(DatabasePath(warehouse_, identifier.database), identifier.table);
}

std::string FileSystemCatalog::StagingTablePath(const Identifier& identifier) const {
  return HiddenSibling(TablePath(identifier), kStagingPrefix);
}

Status FileSystemCatalog::PublishTable(const std::string& staging_path, const Identifier& identifier) {
  const std::string path = TablePath(identifier);
  ARROW_ASSIGN_OR_RAISE(bool published, files_->RenameNoReplace(staging_path, path));
  if (published) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  if (exists) return TableAlreadyExist(identifier);
  // Other engines leave such folders: files in them would show up as rows of the new table, or be lost if removed.
  ARROW_ASSIGN_OR_RAISE(bool is_clear, RemoveEmptyFolder(*files_, path));
  if (!is_clear) {
    return Status::Invalid(path, ": expected nothing or a table there, found a folder with files but no schema; ",
                           "move it away to create table ", identifier.ToText());
  }
  ARROW_ASSIGN_OR_RAISE(published, files_->RenameNoReplace(staging_path, path));
  return published ? Status::OK() : TableAlreadyExist(identifier);
}

Status FileSystemCatalog::DropTable(const Identifier& identifier, bool ignore_if_not_exists) {
  const Status absent = ignore_if_not_exists ? Status::OK() : TableNotExist(identifier);
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(identifier));
  if (!exists) return absent;
  const std::string path = TablePath(identifier);
  const std::string dropped = HiddenSibling(path, kDroppedPrefix);
  const Status renamed = files_->RenameNoReplace(path, dropped).status();
  if (IsKind(renamed, ErrorKind::kFileNotFound)) return absent;
  ARROW_RETURN_NOT_OK(renamed);
  const Status deleted = files_->DeleteTree(dropped);
  return Prefixed("table " + identifier.ToText() + " is dropped, but its files remain", deleted);
}

Status FileSystemCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  ARROW_ASSIGN_OR_RAISE(bool exists, TableExists(from));
  if (!exists) return TableNotExist(from);
  ARROW_ASSIGN_OR_RAISE(bool has_database, DatabaseExists(to.database));
  if (!has_database) return DatabaseNotExist(to.database);
  Result<bool> renamed = files_->RenameNoReplace(TablePath(from), TablePath(to));
  if (IsKind(renamed.status(), ErrorKind::kFileNotFound)) return TableNotExist(from);
  ARROW_RETURN_NOT_OK(renamed.status());
  return *renamed ? Status::OK() : TableAlreadyExist(to);
}

}  // namespace reelhouse
