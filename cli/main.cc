#include <cstdio>
#include <exception>
#include <string>

#include <arrow/config.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "reelhouse/media/media_info.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  export REELHOUSE_WAREHOUSE=/data/warehouse\n"
    "  reelhouse create drives --schema \"episode bigint, idx int\" --video-column video\n"
    "  reelhouse add-images drives camera/ --fps 30 --value episode=1 --index-column idx\n"
    "  reelhouse scan drives --where \"episode = 1\" --limit 5\n"
    "  reelhouse frames drives --row-ids 0-11 --sheet first.png\n";

Status PrintVersion(Invocation& invocation) {
  nlohmann::ordered_json json;
  json["reelhouse"] = kVersion;
  json["ffmpeg"] = FfmpegVersion();
  json["arrow"] = arrow::GetBuildInfo().version_string;
  json["encoders"] = TestedEncoders();
  const std::string text = fmt::format("reelhouse {}\nFFmpeg {}\nArrow {}\nencoders {}\n", kVersion, FfmpegVersion(),
                                       arrow::GetBuildInfo().version_string, fmt::join(TestedEncoders(), ", "));
  return invocation.PrintResult(json, text);
}

nlohmann::ordered_json JsonOf(const Status& failure, ExitCode code) {
  nlohmann::ordered_json error;
  error["kind"] = KindNameOf(failure);
  error["message"] = failure.message();
  error["exit_code"] = static_cast<int>(code);
  if (const ErrorDetail* detail = DetailOf(failure)) {
    const ErrorFields& fields = detail->fields();
    if (!fields.path.empty()) error["path"] = fields.path;
    if (fields.offset_bytes) error["offset"] = *fields.offset_bytes;
    if (!fields.table.empty()) error["table"] = fields.table;
    if (fields.row_id) error["row_id"] = *fields.row_id;
    if (fields.frame_index) error["frame_index"] = *fields.frame_index;
    if (fields.base_snapshot_id) error["base_snapshot_id"] = *fields.base_snapshot_id;
    if (fields.other_snapshot_id) error["other_snapshot_id"] = *fields.other_snapshot_id;
    if (!fields.columns.empty()) error["columns"] = fields.columns;
    if (!fields.row_ids.empty()) error["row_ids"] = fields.row_ids;
    if (!fields.commit_user.empty()) error["commit_user"] = fields.commit_user;
    if (fields.commit_identifier) error["commit_identifier"] = *fields.commit_identifier;
  }
  return {{"error", std::move(error)}};
}

/// Tells the user of a failure; gives the exit code.
ExitCode Report(Invocation& invocation, const Status& failure) {
  if (invocation.output().is_broken_pipe()) return ExitCode::kBrokenPipe;
  ExitCode code = ExitCodeOf(failure);
  if (CaughtSignal() != 0) code = static_cast<ExitCode>(128 + CaughtSignal());
  std::fprintf(stderr, "reelhouse: error: %s\n", failure.message().c_str());
  if (invocation.options().json) {
    // There is no place left to tell of a failure of this one.
    const Status printed = invocation.PrintResult(JsonOf(failure, code), "");
    if (!printed.ok() && invocation.output().is_broken_pipe()) return ExitCode::kBrokenPipe;
  }
  return code;
}

ExitCode Execute(Invocation& invocation, const CommandBody& body) {
  Result<ExitCode> code = body(invocation);
  if (!code.ok()) return Report(invocation, code.status());
  const Status finished = invocation.output().Finish();
  return finished.ok() ? *code : Report(invocation, finished);
}

/// Options that stand before or behind the command alike.
void DeclareGlobalOptions(CLI::App& program, GlobalOptions* options) {
  program.add_option("--warehouse", options->warehouse, "Folder of the warehouse")
      ->envname("REELHOUSE_WAREHOUSE")
      ->type_name("PATH");
  program.add_option("--database", options->database, "Where table names without a dot are looked up")
      ->capture_default_str()
      ->type_name("NAME");
  program.add_flag("--json", options->json, "Results and errors as JSON on standard output");
  program.add_flag("--quiet,-q", options->quiet, "No progress, and nothing on success but what was asked for");
  program.add_flag("--no-fsync", options->no_fsync, "Do not wait for the disk; a power loss can take the last commits");
}

int Run(int argc, char** argv) {
  CLI::App program(
      "Apache Paimon multimodal tables with video columns: encodes ordered images to videos, adds rows, scans, and "
      "gives "
      "exact frames back.",
      "reelhouse");
  GlobalOptions options;
  CommandBody body;
  bool wants_version = false;
  DeclareGlobalOptions(program, &options);
  program.add_flag("--version", wants_version, "Versions of this program, FFmpeg and Arrow");
  program.set_help_flag("--help,-h", "This text");
  program.require_subcommand(0, 1);
  program.fallthrough();
  program.footer(HelpFooter(kExamples));
  for (const auto declare : {DeclareCreate, DeclareLs, DeclareDescribe, DeclareAdd, DeclareAddImages, DeclareAddVideo,
                             DeclareScan, DeclareFrames, DeclareVerify, DeclareTag}) {
    declare(program, &body);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string where = "reelhouse";
    for (const CLI::App* command : program.get_subcommands()) where += " " + command->get_name();
    Invocation invocation(options);
    return static_cast<int>(Report(invocation, Status::Invalid(error.what(), " (see ", where, " --help)")));
  }
  CatchSignals();
  Invocation invocation(options);
  if (wants_version) {
    return static_cast<int>(Execute(invocation, [](Invocation& call) -> Result<ExitCode> {
      ARROW_RETURN_NOT_OK(PrintVersion(call));
      return ExitCode::kOk;
    }));
  }
  if (!body) {
    return static_cast<int>(Report(invocation, Status::Invalid("a command is missing (see reelhouse --help)")));
  }
  return static_cast<int>(Execute(invocation, body));
}

}  // namespace

}  // namespace reelhouse::cli

int main(int argc, char** argv) {
  try {
    return reelhouse::cli::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reelhouse: error: %s\n", error.what());
    return static_cast<int>(reelhouse::cli::ExitCode::kBadData);
  }
}
