#pragma once

#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

enum class LogLevel { kOff, kError, kWarning, kInfo, kDebug };

/// The level up to which lines are written: `REELHOUSE_LOG` = `off`, `error`, `warning`, `info` or `debug`, read once;
/// `warning` where it is not set or means nothing.
LogLevel MostVerboseLogLevel();

/// True if a line of this level would be written: asked before building a costly text.
inline bool IsLogged(LogLevel level) { return level != LogLevel::kOff && level <= MostVerboseLogLevel(); }

/// Writes `reelhouse: level: text` as one line to standard error, in one piece. Thread safe.
void Log(LogLevel level, std::string_view text);

/// Writes a warning for a failure of clean-up or of a hint, which must not hide or replace the outcome of an operation.
void LogFailure(const Status& status);

}  // namespace reelhouse
