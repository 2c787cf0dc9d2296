#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/row_completion.h"
#include "reelhouse/reelhouse.h"

namespace reelhouse::cli {

/// `--snapshot`, `--tag` and `--timestamp`: the version that is read.
struct VersionOptions {
  std::optional<int64_t> snapshot_id;
  std::string tag;
  std::string timestamp;

  void Declare(CLI::App& command);
  Result<TimeTravel> ToTimeTravel() const;
};

/// `--value`, `--index-column` and `--file-column`: columns filled from the command line.
void DeclareExtraColumns(CLI::App& command, ExtraColumns* columns);

/// `--video-column` and `--property`: what every writing command takes.
struct WriteChoices {
  std::string video_column;
  std::vector<std::string> properties;

  void Declare(CLI::App& command, bool with_video_column);
  Result<WriteOptions> ToWriteOptions() const;
};

/// A list of `key=value` of one option; a key given twice is refused.
Result<std::map<std::string, std::string>> ParseAssignments(const std::vector<std::string>& texts,
                                                            std::string_view option);

/// An option that may be given several times, each time with one value.
CLI::Option* AddRepeated(CLI::App& command, const std::string& name, std::vector<std::string>* values,
                         const std::string& description);

/// The end of a command's help: its examples, and the exit codes.
std::string HelpFooter(std::string_view examples);

}  // namespace reelhouse::cli
