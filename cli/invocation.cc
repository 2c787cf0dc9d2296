#include "cli/invocation.h"

#include <utility>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse::cli {

namespace {

constexpr std::string_view kDatabaseSuffix = ".db";

Status NoWarehouse() { return Status::Invalid("no warehouse: give --warehouse PATH or set REELHOUSE_WAREHOUSE"); }

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<TableAddress> TableAddress::Parse(const std::string& text, const std::string& warehouse) {
  if (text.find('/') == std::string::npos) {
    if (warehouse.empty()) return NoWarehouse();
    return TableAddress{warehouse, text};
  }
  const std::string path = SpelledLocation(text);
  const std::string database_path = ParentLocation(path);
  const std::string_view database = LastPart(database_path);
  std::string warehouse_path = ParentLocation(database_path);
  if (warehouse_path.empty()) warehouse_path = database_path.starts_with('/') ? "/" : ".";
  if (!database.ends_with(kDatabaseSuffix) || database.size() == kDatabaseSuffix.size()) {
    return Status::Invalid("table ", QuoteForError(text),
                           ": expected a name, database.name, or the path of its folder as in "
                           "WAREHOUSE/default.db/NAME");
  }
  return TableAddress{
      std::move(warehouse_path),
      std::string(database.substr(0, database.size() - kDatabaseSuffix.size())) + "." + std::string(LastPart(path))};
}

Invocation::Invocation(GlobalOptions options)
    : options_(std::move(options)), output_(ResultStream::ToStandardOutput()) {}

Result<std::shared_ptr<Connection>> Invocation::Connect(const std::string& warehouse, bool may_be_new) const {
  if (warehouse.empty()) return NoWarehouse();
  std::map<std::string, std::string> options = {{"warehouse", warehouse}};
  if (options_.no_fsync) options["commit.fsync"] = "false";
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Connection> connection,
                        Connection::Open(std::move(options), options_.database));
  if (!may_be_new) {
    ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> found, connection->catalog().files()->Stat(warehouse));
    if (!found || !found->is_directory) {
      return MakeError(
          ErrorKind::kFileNotFound,
          "warehouse " + QuoteForError(warehouse) + ": " + (found ? "is no folder" : "there is no such folder"),
          {.path = warehouse});
    }
  }
  return connection;
}

Result<Table> Invocation::OpenTable(const std::string& text) const {
  ARROW_ASSIGN_OR_RAISE(TableAddress address, TableAddress::Parse(text, options_.warehouse));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Connection> connection, Connect(address.warehouse));
  Result<Table> table = connection->GetTable(address.name);
  if (table.ok() || !IsKind(table.status(), ErrorKind::kTableNotExist)) return table;
  ARROW_ASSIGN_OR_RAISE(Identifier identifier, Identifier::Parse(address.name, options_.database));
  Result<std::vector<std::string>> names = connection->ListTables(identifier.database);
  if (!names.ok()) return table.status();
  const std::string nearest = NearestName(identifier.table, *names);
  if (nearest.empty()) return table.status();
  return Status(table.status().code(), table.status().message() + "; did you mean '" + nearest + "'?",
                table.status().detail());
}

Status Invocation::PrintResult(const nlohmann::ordered_json& json, std::string_view text) {
  std::string out = options_.json ? JsonText(json) : std::string(text);
  if (!out.empty() && out.back() != '\n') out += '\n';
  ARROW_RETURN_NOT_OK(output_->Write(out.data(), static_cast<int64_t>(out.size())));
  return output_->Flush();
}

Status Invocation::PrintDone(const nlohmann::ordered_json& json, std::string_view text) {
  if (options_.quiet && !options_.json) return Status::OK();
  return PrintResult(json, text);
}

std::unique_ptr<ProgressBar> Invocation::MakeProgressBar(std::string unit) const {
  if (options_.quiet || isatty(STDERR_FILENO) != 1) return nullptr;
  return std::make_unique<ProgressBar>(std::move(unit));
}

ProgressCallback Invocation::CallbackOf(ProgressBar* bar) {
  if (!bar) return {};
  return [bar](int64_t done, int64_t total) { bar->Show(done, total); };
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace reelhouse::cli
