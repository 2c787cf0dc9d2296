#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/output_table.h"
#include "cli/table_facts.h"
#include "reelhouse/base/memory_size.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse ls\n"
    "  reelhouse ls robots\n"
    "  reelhouse ls robots.drives robots.grasps --json\n";

/// What is listed of one table.
struct ListedTable {
  std::string name;
  StoredFiles stored;
  int64_t snapshots = 0;
  std::string problem;  ///< why nothing but the name is known
};

Status Look(const Table& table, ListedTable* listed) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> ids, table.context()->snapshots->ListIds());
  listed->snapshots = static_cast<int64_t>(ids.size());
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> latest, table.LatestSnapshot());
  if (!latest) return Status::OK();
  return FilesOf(table, *latest).Value(&listed->stored);
}

ListedTable ListTable(Connection& connection, const std::string& name) {
  ListedTable listed;
  listed.name = name;
  const Result<Table> table = connection.GetTable(name);
  // One table that is broken or of another kind must not hide the others.
  const Status status = table.ok() ? Look(*table, &listed) : table.status();
  if (!status.ok()) listed.problem = status.message();
  return listed;
}

Status AddDatabase(Connection& connection, const std::string& database, std::vector<std::string>* names) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> tables, connection.ListTables(database));
  for (const std::string& table : tables) names->push_back(database + "." + table);
  return Status::OK();
}

/// The tables behind the arguments: a database stands for all its tables.
Result<std::vector<std::string>> NamesOf(Connection& connection, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  if (arguments.empty()) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> databases, connection.ListDatabases());
    for (const std::string& database : databases) ARROW_RETURN_NOT_OK(AddDatabase(connection, database, &names));
  }
  for (const std::string& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(const Identifier identifier, Identifier::Parse(argument, connection.database()));
    ARROW_ASSIGN_OR_RAISE(const bool is_table, connection.catalog().TableExists(identifier));
    const bool is_plain = argument.find('.') == std::string::npos;
    if (is_plain && !is_table) {
      ARROW_RETURN_NOT_OK(AddDatabase(connection, argument, &names));
    } else if (is_table) {
      names.push_back(identifier.ToText());
    } else {
      return connection.GetTable(argument).status();
    }
  }
  return names;
}

nlohmann::ordered_json JsonOf(const ListedTable& table) {
  nlohmann::ordered_json json;
  json["table"] = table.name;
  if (!table.problem.empty()) {
    json["problem"] = table.problem;
    return json;
  }
  json["rows"] = table.stored.rows;
  json["snapshots"] = table.snapshots;
  json["files"] = table.stored.files;
  json["bytes"] = table.stored.bytes;
  return json;
}

std::string TextOf(const std::vector<ListedTable>& tables) {
  std::vector<OutputTable::Column> columns = {
      {"table"}, {"rows", true}, {"snapshots", true}, {"files", true}, {"size", true}};
  const bool has_problems =
      std::any_of(tables.begin(), tables.end(), [](const ListedTable& table) { return !table.problem.empty(); });
  if (has_problems) columns.push_back({"problem"});
  OutputTable lines(std::move(columns), 100);
  for (const ListedTable& table : tables) {
    if (table.problem.empty()) {
      lines.AddRow({table.name, std::to_string(table.stored.rows), std::to_string(table.snapshots),
                    std::to_string(table.stored.files), FormatBytes(table.stored.bytes)});
    } else {
      lines.AddRow({table.name, "-", "-", "-", "-", table.problem});
    }
  }
  return lines.TakeText();
}

Result<ExitCode> Ls(Invocation& invocation, const std::vector<std::string>& arguments) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Connection> connection, invocation.Connect(invocation.options().warehouse));
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, NamesOf(*connection, arguments));
  nlohmann::ordered_json json;
  json["warehouse"] = connection->catalog().warehouse();
  json["tables"] = nlohmann::ordered_json::array();
  std::vector<ListedTable> tables;
  for (const std::string& name : names) {
    ARROW_RETURN_NOT_OK(InterruptionCheck()());
    tables.push_back(ListTable(*connection, name));
    json["tables"].push_back(JsonOf(tables.back()));
  }
  ARROW_RETURN_NOT_OK(invocation.PrintResult(json, tables.empty() ? "no tables" : TextOf(tables)));
  return ExitCode::kOk;
}

}  // namespace

void DeclareLs(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("ls", "List tables with their rows, snapshots and size");
  auto arguments = std::make_shared<std::vector<std::string>>();
  command->add_option("names", *arguments, "Databases, or tables as DATABASE.TABLE; none: everything")
      ->type_name("DATABASE|DATABASE.TABLE");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [arguments, chosen] { *chosen = [arguments](Invocation& invocation) { return Ls(invocation, *arguments); }; });
}

}  // namespace reelhouse::cli
