#include <algorithm>
#include <memory>
#include <utility>

#include <arrow/type.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/column_spec.h"
#include "cli/commands/commands.h"
#include "cli/option_groups.h"
#include "cli/row_files.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr char kVideoFields[] = "video-frame-field";

constexpr char kExamples[] =
    "  reelhouse create drives --schema \"episode bigint, idx int, state vector<float, 7>, task string\" \\\n"
    "      --video-column video --option blob.target-file-size=\"1 gb\"\n"
    "  reelhouse create drives --like states.parquet --video-column front --video-column wrist\n";

struct CreateOptions {
  std::string table;
  std::string columns;
  std::string schema_file;
  std::string like;
  std::vector<std::string> options;
  std::vector<std::string> video_columns;
  std::string partition_by;
  std::string comment;
  bool if_not_exists = false;
};

Result<TableSpec> SpecOf(const CreateOptions& options) {
  TableSpec spec;
  if (!options.columns.empty()) {
    ARROW_ASSIGN_OR_RAISE(spec.fields, ParseColumns(options.columns));
  } else if (!options.schema_file.empty()) {
    ARROW_ASSIGN_OR_RAISE(const std::string text, MakeLocalFileStore()->ReadAll(options.schema_file));
    ARROW_ASSIGN_OR_RAISE(spec, ParseSchemaJson(text, options.schema_file));
  } else if (!options.like.empty()) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, SchemaOfRowFile(options.like));
    for (const auto& column : schema->fields()) {
      Result<DataType> type = DataType::FromArrow(*column->type(), column->nullable(), nullptr);
      if (!type.ok()) return Prefixed(options.like + ": column " + QuoteForError(column->name()), type.status());
      DataField field;
      field.name = column->name();
      field.type = *std::move(type);
      spec.fields.push_back(std::move(field));
    }
  } else if (options.video_columns.empty()) {
    return Status::Invalid("the columns are missing: give --schema, --schema-file or --like");
  }
  return spec;
}

/// The columns named by --video-column are there, and the option says that they are video columns.
void AddVideoColumns(const std::vector<std::string>& names, TableSpec* spec) {
  std::vector<std::string> all = SplitCommaList(spec->options[kVideoFields]);
  for (const std::string& name : names) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    const bool is_there = std::any_of(spec->fields.begin(), spec->fields.end(),
                                      [&](const DataField& field) { return field.name == name; });
    if (is_there) continue;
    DataField field;
    field.name = name;
    field.type = DataType(TypeRoot::kBlob);
    spec->fields.push_back(std::move(field));
  }
  if (all.empty()) {
    spec->options.erase(kVideoFields);
  } else {
    spec->options[kVideoFields] = fmt::format("{}", fmt::join(all, ","));
  }
}

Result<ExitCode> Create(Invocation& invocation, const CreateOptions& options) {
  ARROW_ASSIGN_OR_RAISE(TableSpec spec, SpecOf(options));
  ARROW_ASSIGN_OR_RAISE(auto given, ParseAssignments(options.options, "--option"));
  for (auto& [key, value] : given) spec.options[key] = value;
  AddVideoColumns(options.video_columns, &spec);
  ARROW_RETURN_NOT_OK(CheckStorable(spec.fields));
  if (!options.partition_by.empty()) spec.partition_keys = SplitCommaList(options.partition_by);
  if (!options.comment.empty()) spec.comment = options.comment;

  arrow::FieldVector fields;
  for (const DataField& field : spec.fields) fields.push_back(ToArrowField(field));
  const arrow::Schema schema(std::move(fields));
  ARROW_ASSIGN_OR_RAISE(const TableAddress address, TableAddress::Parse(options.table, invocation.options().warehouse));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Connection> connection,
                        invocation.Connect(address.warehouse, /*may_be_new=*/true));
  ARROW_ASSIGN_OR_RAISE(const Identifier identifier, Identifier::Parse(address.name, connection->database()));
  ARROW_ASSIGN_OR_RAISE(const bool existed, connection->catalog().TableExists(identifier));
  CreateTableOptions create;
  create.options = std::move(spec.options);
  create.partition_keys = std::move(spec.partition_keys);
  create.ignore_if_exists = options.if_not_exists;
  create.comment = std::move(spec.comment);
  ARROW_ASSIGN_OR_RAISE(const Table table, connection->CreateTable(address.name, schema, create));

  nlohmann::ordered_json json;
  json["table"] = table.identifier().ToText();
  json["path"] = table.path();
  json["created"] = !existed;
  ARROW_RETURN_NOT_OK(invocation.PrintDone(
      json, (existed ? "already there: " : "created ") + table.identifier().ToText() + " in " + table.path()));
  return ExitCode::kOk;
}

}  // namespace

void DeclareCreate(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("create", "Create a table");
  auto options = std::make_shared<CreateOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  CLI::Option* columns =
      command
          ->add_option(
              "--schema", options->columns,
              "Columns as \"name type, ...\" in Paimon's types: boolean, int, bigint, float, double, decimal(p, "
              "s), string, bytes, blob, date, timestamp(p), array<t>, vector<t, n>, map<k, v>, row<a t, ...>; "
              "behind a type: not null")
          ->type_name("COLUMNS");
  CLI::Option* schema_file =
      command->add_option("--schema-file", options->schema_file, "Columns from a JSON file")->type_name("FILE");
  CLI::Option* like =
      command->add_option("--like", options->like, "Columns of a Parquet, CSV, JSONL or Arrow file")->type_name("FILE");
  columns->excludes(schema_file)->excludes(like);
  schema_file->excludes(like);
  AddRepeated(*command, "--video-column", &options->video_columns,
              "A video column; added to the columns if it is not among them")
      ->type_name("COLUMN");
  AddRepeated(*command, "--option", &options->options, "A table option")->type_name("KEY=VALUE");
  command->add_option("--partition-by", options->partition_by, "Partition columns")->type_name("COLUMN,...");
  command->add_option("--comment", options->comment, "A text stored with the table")->type_name("TEXT");
  command->add_flag("--if-not-exists", options->if_not_exists, "An existing table is left as it is and is no error");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return Create(invocation, *options); }; });
}

}  // namespace reelhouse::cli
