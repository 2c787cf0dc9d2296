#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse verify drives\n"
    "  reelhouse verify drives --deep --json\n";

struct VerifyChoices {
  std::string table;
  bool deep = false;
};

nlohmann::ordered_json JsonOf(const Table& table, const VerifyReport& report) {
  nlohmann::ordered_json json;
  json["table"] = table.identifier().ToText();
  json["ok"] = report.ok();
  json["snapshots_checked"] = report.snapshots_checked;
  json["files_checked"] = report.files_checked;
  json["videos_checked"] = report.videos_checked;
  json["rows_checked"] = report.rows_checked;
  json["bytes_checked"] = report.bytes_checked;
  json["problems"] = nlohmann::ordered_json::array();
  for (const VerifyReport::Problem& problem : report.problems) {
    nlohmann::ordered_json item;
    item["snapshot_id"] = problem.snapshot_id;
    item["path"] = problem.path;
    item["text"] = problem.text;
    json["problems"].push_back(std::move(item));
  }
  return json;
}

Result<ExitCode> Verify(Invocation& invocation, const VerifyChoices& choices) {
  ARROW_ASSIGN_OR_RAISE(const Table table, invocation.OpenTable(choices.table));
  std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("snapshots");
  VerifyOptions options;
  options.deep = choices.deep;
  options.progress = Invocation::CallbackOf(bar.get());
  options.cancelled = InterruptionCheck();
  ARROW_ASSIGN_OR_RAISE(const VerifyReport report, table.Verify(options));
  bar.reset();
  const nlohmann::ordered_json json = JsonOf(table, report);
  ARROW_RETURN_NOT_OK(report.ok() ? invocation.PrintDone(json, report.ToText())
                                  : invocation.PrintResult(json, report.ToText()));
  return report.ok() ? ExitCode::kOk : ExitCode::kProblems;
}

}  // namespace

void DeclareVerify(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("verify", "Check every file of every snapshot; exit code 1 = problems");
  auto choices = std::make_shared<VerifyChoices>();
  command->add_option("table", choices->table, kTableHelp)->required()->type_name("TABLE");
  command->add_flag("--deep", choices->deep, "Also decode every video and read every row");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [choices, chosen] { *chosen = [choices](Invocation& invocation) { return Verify(invocation, *choices); }; });
}

}  // namespace reelhouse::cli
