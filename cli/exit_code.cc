#include "cli/exit_code.h"

namespace reelhouse::cli {

const char kExitCodesHelp[] =
    "Exit codes:\n"
    "  0  done\n"
    "  1  a check found problems, or nothing was found\n"
    "  2  wrong usage, or input that is refused\n"
    "  3  no such table, database, tag or file\n"
    "  4  read or write error, or a corrupt file\n"
    "  5  another commit was in the way, or its outcome is unknown\n"
    "  130  interrupted\n"
    "\n"
    "--warehouse, --database, --json, --quiet and --no-fsync: see reelhouse --help.\n";

namespace {

ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kFileNotFound:
    case ErrorKind::kTableNotExist:
    case ErrorKind::kDatabaseNotExist:
    case ErrorKind::kTagNotExist:
      return ExitCode::kNotFound;
    case ErrorKind::kCorruptFile:
    case ErrorKind::kVideoDecode:
      return ExitCode::kBadData;
    case ErrorKind::kCommitConflict:
    case ErrorKind::kCommitUnknown:
      return ExitCode::kConflict;
    case ErrorKind::kTableAlreadyExist:
    case ErrorKind::kDatabaseAlreadyExist:
    case ErrorKind::kDatabaseNotEmpty:
    case ErrorKind::kTagAlreadyExist:
      return ExitCode::kRefused;
  }
  return ExitCode::kBadData;
}

}  // namespace

ExitCode ExitCodeOf(const Status& failure) {
  if (failure.ok()) return ExitCode::kOk;
  if (const ErrorDetail* detail = DetailOf(failure)) return ExitCodeOf(detail->kind());
  switch (failure.code()) {
    case arrow::StatusCode::Cancelled:
      return ExitCode::kInterrupted;
    case arrow::StatusCode::IOError:
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::CapacityError:
    case arrow::StatusCode::SerializationError:
    case arrow::StatusCode::UnknownError:
      return ExitCode::kBadData;
    default:
      return ExitCode::kRefused;
  }
}

std::string KindNameOf(const Status& failure) {
  if (const ErrorDetail* detail = DetailOf(failure)) return detail->ToString();
  return failure.CodeAsString();
}

}  // namespace reelhouse::cli
