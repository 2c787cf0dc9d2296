#include <memory>
#include <utility>

#include <arrow/record_batch.h>

#include "cli/commands/commands.h"
#include "cli/input_files.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/row_files.h"
#include "cli/write_report.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse add robots.labels labels.parquet\n"
    "  reelhouse add labels 'exports/*.csv' --value source=export\n";

struct AddOptions {
  std::string table;
  std::vector<std::string> files;
  ExtraColumns extra;
  WriteChoices write;
};

Result<ExitCode> Add(Invocation& invocation, const AddOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> files, FilesOfArguments(options.files, kRowFiles));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, table.ArrowSchema());
  ARROW_ASSIGN_OR_RAISE(const RowCompletion completion, RowCompletion::Make(options.extra, *schema));
  if (!options.extra.file_column.empty() && files.size() > 1) {
    return Status::Invalid("--file-column: rows of several files come as one stream; add the files one by one");
  }
  RowInput rows;
  ARROW_ASSIGN_OR_RAISE(rows.rows, OpenRowFiles(files, schema));
  if (!options.extra.empty()) {
    const std::string name = FileNameOf(files.front());
    ARROW_ASSIGN_OR_RAISE(rows.rows, completion.Complete(std::move(rows.rows), [name](int64_t) { return name; }));
  }
  ARROW_ASSIGN_OR_RAISE(WriteOptions write, options.write.ToWriteOptions());
  write.cancelled = InterruptionCheck();
  const WriteReport report;
  std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("rows");
  write.progress = Invocation::CallbackOf(bar.get());
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> snapshot, table.Add(std::move(rows), write));
  bar.reset();
  ARROW_RETURN_NOT_OK(
      report.Print(invocation, table, snapshot, BytesOfFiles(files), static_cast<int64_t>(files.size())));
  return ExitCode::kOk;
}

}  // namespace

void DeclareAdd(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("add", "Add rows of Parquet, CSV, JSONL or Arrow files in one commit");
  auto options = std::make_shared<AddOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  command->add_option("files", options->files, "Files, folders, or quoted patterns")->required()->type_name("FILE");
  DeclareExtraColumns(*command, &options->extra);
  options->write.Declare(*command, /*with_video_column=*/false);
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return Add(invocation, *options); }; });
}

}  // namespace reelhouse::cli
