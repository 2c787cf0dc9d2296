#pragma once

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// What the program tells the shell. The numbers are a promise to scripts.
enum class ExitCode : int {
  kOk = 0,
  kProblems = 1,  ///< a check found problems, or nothing was found where something was wanted
  kRefused = 2,   ///< wrong usage, or input that is not taken
  kNotFound = 3,  ///< no such table, database, tag or file
  kBadData = 4,   ///< the system failed to read or write, or a file is corrupt
  kConflict = 5,  ///< another commit was in the way, or the outcome of a commit is unknown
  kInterrupted = 130,
  kBrokenPipe = 141,  ///< the reader of standard output went away
};

ExitCode ExitCodeOf(const Status& failure);

/// The word for a failure in `--json` results, e.g. `TableNotExist` or `Invalid`.
std::string KindNameOf(const Status& failure);

/// The list of exit codes for `--help`.
extern const char kExitCodesHelp[];

}  // namespace reelhouse::cli
