#include "cli/option_groups.h"

#include <charconv>
#include <utility>

#include "cli/exit_code.h"
#include "reelhouse/base/text.h"
#include "reelhouse/predicate/calendar_text.h"

namespace reelhouse::cli {

namespace {

Result<int64_t> ParseMoment(std::string_view text) {
  text = TrimmedView(text);
  int64_t millis = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), millis);
  if (error == std::errc() && end == text.data() + text.size()) return millis;
  const auto moment = ParseTimestamp(text);
  if (!moment) {
    return Status::Invalid(
        "--timestamp: expected 2024-01-02, 2024-01-02 03:04:05 (UTC), a time with a zone as in "
        "2024-01-02T03:04:05+01:00, or milliseconds since 1970, found ",
        QuoteForError(text));
  }
  Int128 rounded = moment->nanoseconds / 1'000'000;
  if (moment->nanoseconds % 1'000'000 < 0) --rounded;
  return static_cast<int64_t>(rounded);
}

}  // namespace

void VersionOptions::Declare(CLI::App& command) {
  CLI::Option* snapshot =
      command.add_option("--snapshot", snapshot_id, "Read this snapshot instead of the newest")->type_name("N");
  CLI::Option* tag_name = command.add_option("--tag", tag, "Read the snapshot with this tag")->type_name("NAME");
  CLI::Option* moment =
      command.add_option("--timestamp", timestamp, "Read the newest snapshot not after this time (UTC without a zone)")
          ->type_name("TIME");
  snapshot->excludes(tag_name)->excludes(moment);
  tag_name->excludes(moment);
}

Result<TimeTravel> VersionOptions::ToTimeTravel() const {
  TimeTravel version;
  version.snapshot_id = snapshot_id;
  if (!tag.empty()) version.tag_name = tag;
  if (!timestamp.empty()) {
    ARROW_ASSIGN_OR_RAISE(version.timestamp_millis, ParseMoment(timestamp));
  }
  return version;
}

CLI::Option* AddRepeated(CLI::App& command, const std::string& name, std::vector<std::string>* values,
                         const std::string& description) {
  // Without this the option would swallow the arguments behind its value.
  return command.add_option(name, *values, description)->allow_extra_args(false);
}

void DeclareExtraColumns(CLI::App& command, ExtraColumns* columns) {
  AddRepeated(command, "--value", &columns->values, "A column with the same value in every row")
      ->type_name("COLUMN=VALUE");
  command.add_option("--index-column", columns->index_column, "A column with 0, 1, 2, ...")->type_name("COLUMN");
  command.add_option("--file-column", columns->file_column, "A column with the name of the file that a row comes from")
      ->type_name("COLUMN");
}

void WriteChoices::Declare(CLI::App& command, bool with_video_column) {
  if (with_video_column) {
    command.add_option("--video-column", video_column, "Video column to fill; needed where the table has several")
        ->type_name("COLUMN");
  }
  AddRepeated(command, "--property", &properties, "A note stored in the snapshot")->type_name("KEY=VALUE");
}

Result<WriteOptions> WriteChoices::ToWriteOptions() const {
  WriteOptions options;
  options.video_column = video_column;
  ARROW_ASSIGN_OR_RAISE(options.properties, ParseAssignments(properties, "--property"));
  return options;
}

Result<std::map<std::string, std::string>> ParseAssignments(const std::vector<std::string>& texts,
                                                            std::string_view option) {
  std::map<std::string, std::string> assignments;
  for (const std::string& text : texts) {
    ARROW_ASSIGN_OR_RAISE(auto assignment, ParseAssignment(text, option));
    if (!assignments.insert(assignment).second) {
      return Status::Invalid(option, ": ", QuoteForError(assignment.first), " is given twice");
    }
  }
  return assignments;
}

std::string HelpFooter(std::string_view examples) {
  return "Examples:\n" + std::string(examples) + "\n" + kExitCodesHelp;
}

}  // namespace reelhouse::cli
