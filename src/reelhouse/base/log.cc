#include "reelhouse/base/log.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

const char* NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kOff:
      return "off";
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kDebug:
      return "debug";
  }
  return "";
}

LogLevel LevelOfEnvironment() {
  const char* text = std::getenv("REELHOUSE_LOG");
  if (text == nullptr) return LogLevel::kWarning;
  for (LogLevel level : {LogLevel::kOff, LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    if (EqualsIgnoreCase(text, NameOf(level))) return level;
  }
  return LogLevel::kWarning;
}

}  // namespace

LogLevel MostVerboseLogLevel() {
  static const LogLevel level = LevelOfEnvironment();
  return level;
}

void Log(LogLevel level, std::string_view text) {
  if (!IsLogged(level)) return;
  std::string line = "reelhouse: ";
  line += NameOf(level);
  line += ": ";
  line += text;
  line += '\n';
  // One system call a line keeps lines of several threads and processes apart. A lost log line is no failure.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void LogFailure(const Status& status) {
  if (!status.ok()) Log(LogLevel::kWarning, status.message());
}

}  // namespace reelhouse
