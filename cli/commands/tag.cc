#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/option_groups.h"
#include "cli/output_table.h"
#include "cli/table_facts.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse tag drives                       (lists)\n"
    "  reelhouse tag drives train-v1              (names the newest snapshot)\n"
    "  reelhouse tag drives train-v0 --snapshot 3\n"
    "  reelhouse tag drives train-v0 --delete\n";

struct TagOptions {
  std::string table;
  std::string name;
  std::optional<int64_t> snapshot_id;
  bool is_delete = false;
};

Status ListTags(Invocation& invocation, const Table& table) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, table.ListTags());
  nlohmann::ordered_json json;
  json["table"] = table.identifier().ToText();
  json["tags"] = nlohmann::ordered_json::object();
  OutputTable lines({{"tag"}, {"snapshot", true}, {"time"}, {"rows", true}});
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, table.context()->tags->Load(name));
    ARROW_ASSIGN_OR_RAISE(const StoredFiles stored, FilesOf(table, snapshot));
    json["tags"][name] = snapshot.id;
    lines.AddRow({name, std::to_string(snapshot.id), MomentText(snapshot.time_millis), std::to_string(stored.rows)});
  }
  return invocation.PrintResult(json, names.empty() ? "no tags" : lines.TakeText());
}

Result<ExitCode> Tag(Invocation& invocation, const TagOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Table table, invocation.OpenTable(options.table));
  if (options.name.empty()) {
    if (options.is_delete || options.snapshot_id) return Status::Invalid("the name of the tag is missing");
    ARROW_RETURN_NOT_OK(ListTags(invocation, table));
    return ExitCode::kOk;
  }
  nlohmann::ordered_json json;
  json["table"] = table.identifier().ToText();
  json["tag"] = options.name;
  if (options.is_delete) {
    ARROW_RETURN_NOT_OK(table.DeleteTag(options.name));
    json["deleted"] = true;
    ARROW_RETURN_NOT_OK(invocation.PrintDone(json, "deleted tag " + options.name));
    return ExitCode::kOk;
  }
  ARROW_RETURN_NOT_OK(table.CreateTag(options.name, options.snapshot_id));
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, table.context()->tags->Load(options.name));
  json["snapshot_id"] = snapshot.id;
  ARROW_RETURN_NOT_OK(
      invocation.PrintDone(json, "tag " + options.name + " names snapshot " + std::to_string(snapshot.id)));
  return ExitCode::kOk;
}

}  // namespace

void DeclareTag(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("tag", "Name a snapshot, delete such a name, or list them");
  auto options = std::make_shared<TagOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  command->add_option("name", options->name, "The tag; without it the tags are listed")->type_name("NAME");
  CLI::Option* snapshot =
      command->add_option("--snapshot", options->snapshot_id, "The snapshot to name (default: the newest)")
          ->type_name("N");
  command->add_flag("--delete", options->is_delete, "Delete the tag")->excludes(snapshot);
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return Tag(invocation, *options); }; });
}

}  // namespace reelhouse::cli
