#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/invocation.h"

namespace reelhouse::cli {

/// What a command does once its options are read.
using CommandBody = std::function<Result<ExitCode>(Invocation&)>;

/// Each declares one command on `program`; `*chosen` becomes its body when the user names it. `*chosen` must outlive
/// the parsing.
void DeclareCreate(CLI::App& program, CommandBody* chosen);
void DeclareLs(CLI::App& program, CommandBody* chosen);
void DeclareDescribe(CLI::App& program, CommandBody* chosen);
void DeclareAdd(CLI::App& program, CommandBody* chosen);
void DeclareAddImages(CLI::App& program, CommandBody* chosen);
void DeclareAddVideo(CLI::App& program, CommandBody* chosen);
void DeclareScan(CLI::App& program, CommandBody* chosen);
void DeclareFrames(CLI::App& program, CommandBody* chosen);
void DeclareVerify(CLI::App& program, CommandBody* chosen);
void DeclareTag(CLI::App& program, CommandBody* chosen);

inline constexpr char kTableHelp[] = "TABLE, DATABASE.TABLE, or the path of the table's folder";

}  // namespace reelhouse::cli
