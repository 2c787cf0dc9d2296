#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/option_groups.h"
#include "cli/output_table.h"
#include "cli/table_facts.h"
#include "reelhouse/base/memory_size.h"

namespace reelhouse::cli {

namespace {

constexpr size_t kMostSnapshotsForPeople = 20;

constexpr char kExamples[] =
    "  reelhouse describe robots.drives\n"
    "  reelhouse describe drives --json | jq .options\n";

/// All that is told of one table.
struct Description {
  std::shared_ptr<const TableSchema> schema;
  std::vector<Snapshot> snapshots;
  std::map<int64_t, int64_t> rows_added;  ///< by snapshot, where it is known
  std::map<std::string, Snapshot> tags;
  StoredFiles stored;
};

Result<Description> Describe(const Table& table) {
  Description description;
  ARROW_ASSIGN_OR_RAISE(description.schema, table.Schema());
  ARROW_ASSIGN_OR_RAISE(description.snapshots, table.ListSnapshots());
  for (const Snapshot& snapshot : description.snapshots) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<RowIdRange> added, RowsAddedBy(table, snapshot));
    if (added) description.rows_added[snapshot.id] = added->last - added->first + 1;
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> tags, table.ListTags());
  for (const std::string& tag : tags) {
    ARROW_ASSIGN_OR_RAISE(description.tags[tag], table.context()->tags->Load(tag));
  }
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> latest, table.LatestSnapshot());
  if (latest) {
    ARROW_ASSIGN_OR_RAISE(description.stored, FilesOf(table, *latest));
  }
  return description;
}

std::string_view NameOf(ColumnStorage storage) {
  switch (storage) {
    case ColumnStorage::kNormal:
      return "";
    case ColumnStorage::kBlob:
      return "blob";
    case ColumnStorage::kVideo:
      return "video";
    case ColumnStorage::kVector:
      return "vector";
  }
  return "";
}

nlohmann::ordered_json JsonOf(const Table& table, const Description& description) {
  const TableSchema& schema = *description.schema;
  nlohmann::ordered_json json;
  json["table"] = table.identifier().ToText();
  json["path"] = table.path();
  json["schema_id"] = schema.id;
  if (schema.comment) json["comment"] = *schema.comment;
  json["columns"] = nlohmann::ordered_json::array();
  for (const DataField& field : schema.fields) {
    nlohmann::ordered_json column;
    column["name"] = field.name;
    column["type"] = field.type.ToText();
    column["nullable"] = field.type.nullable();
    if (const std::string_view storage = NameOf(schema.StorageOf(field)); !storage.empty()) column["storage"] = storage;
    if (field.description) column["description"] = *field.description;
    json["columns"].push_back(std::move(column));
  }
  json["video_columns"] = schema.VideoColumns();
  json["partition_keys"] = schema.partition_keys;
  json["options"] = schema.options.values();
  json["rows"] = description.stored.rows;
  json["files"] = description.stored.files;
  json["bytes"] = description.stored.bytes;
  json["video_files"] = description.stored.video_files;
  json["video_bytes"] = description.stored.video_bytes;
  json["blob_files"] = description.stored.blob_files;
  json["blob_bytes"] = description.stored.blob_bytes;
  json["snapshots"] = nlohmann::ordered_json::array();
  for (const Snapshot& snapshot : description.snapshots) {
    nlohmann::ordered_json item;
    item["id"] = snapshot.id;
    item["schema_id"] = snapshot.schema_id;
    item["kind"] = snapshot.commit_kind;
    item["time_millis"] = snapshot.time_millis;
    if (const auto added = description.rows_added.find(snapshot.id); added != description.rows_added.end()) {
      item["rows_added"] = added->second;
    }
    item["next_row_id"] = snapshot.next_row_id.value_or(0);
    if (!snapshot.properties.empty()) item["properties"] = snapshot.properties;
    json["snapshots"].push_back(std::move(item));
  }
  json["tags"] = nlohmann::ordered_json::object();
  for (const auto& [name, snapshot] : description.tags) json["tags"][name] = snapshot.id;
  return json;
}

std::string TextOf(const Table& table, const Description& description) {
  const TableSchema& schema = *description.schema;
  const StoredFiles& stored = description.stored;
  std::string text = fmt::format("{}  {}\n", table.identifier().ToText(), table.path());
  if (schema.comment) text += *schema.comment + "\n";
  text += fmt::format("{}, {} in {}", Counted(stored.rows, "row"), FormatBytes(stored.bytes),
                      Counted(stored.files, "file"));
  if (stored.video_files > 0) {
    text += fmt::format(" ({} of video in {})", FormatBytes(stored.video_bytes), Counted(stored.video_files, "file"));
  }
  text += "\n\n";

  OutputTable columns({{"column"}, {"type"}, {"stored as"}, {"note"}}, 80);
  for (const DataField& field : schema.fields) {
    const bool is_key = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), field.name) !=
                        schema.partition_keys.end();
    columns.AddRow({field.name, field.type.ToText(), std::string(NameOf(schema.StorageOf(field))),
                    (is_key ? "partition key " : "") + field.description.value_or("")});
  }
  text += columns.TakeText();

  OutputTable options({{"option"}, {"value"}}, 80);
  for (const auto& [key, value] : schema.options.values()) options.AddRow({key, value});
  text += "\n" + options.TakeText();

  OutputTable snapshots({{"snapshot", true}, {"time"}, {"kind"}, {"rows added", true}, {"next row id", true}, {"tags"}},
                        60);
  const size_t count = description.snapshots.size();
  const size_t first = count > kMostSnapshotsForPeople ? count - kMostSnapshotsForPeople : 0;
  for (size_t i = first; i < count; ++i) {
    const Snapshot& snapshot = description.snapshots[i];
    const auto added = description.rows_added.find(snapshot.id);
    std::string tags;
    for (const auto& [name, tagged] : description.tags) {
      if (tagged.id == snapshot.id) tags += (tags.empty() ? "" : ", ") + name;
    }
    snapshots.AddRow({std::to_string(snapshot.id), MomentText(snapshot.time_millis), snapshot.commit_kind,
                      added == description.rows_added.end() ? "" : std::to_string(added->second),
                      std::to_string(snapshot.next_row_id.value_or(0)), tags});
  }
  text += "\n" + (count == 0 ? "no snapshots\n" : snapshots.TakeText());
  if (first > 0) text += fmt::format("({} older ones: --json)\n", first);
  for (const auto& [name, tagged] : description.tags) {
    const bool is_listed =
        std::any_of(description.snapshots.begin() + static_cast<int64_t>(first), description.snapshots.end(),
                    [&, id = tagged.id](const Snapshot& snapshot) { return snapshot.id == id; });
    if (!is_listed) text += fmt::format("tag {}: snapshot {}\n", name, tagged.id);
  }
  return text;
}

Result<ExitCode> RunDescribe(Invocation& invocation, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const Table table, invocation.OpenTable(name));
  ARROW_ASSIGN_OR_RAISE(const Description description, Describe(table));
  ARROW_RETURN_NOT_OK(invocation.PrintResult(JsonOf(table, description), TextOf(table, description)));
  return ExitCode::kOk;
}

}  // namespace

void DeclareDescribe(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("describe", "Show columns, options, snapshots, tags and size of a table");
  auto name = std::make_shared<std::string>();
  command->add_option("table", *name, kTableHelp)->required()->type_name("TABLE");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [name, chosen] { *chosen = [name](Invocation& invocation) { return RunDescribe(invocation, *name); }; });
}

}  // namespace reelhouse::cli
