#include "reelhouse/base/status.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

namespace reelhouse {
namespace {

constexpr const char* kDetailTypeId = "reelhouse::ErrorDetail";

const char* NameOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCorruptFile:
      return "CorruptFile";
    case ErrorKind::kFileNotFound:
      return "FileNotFound";
    case ErrorKind::kCommitConflict:
      return "CommitConflict";
    case ErrorKind::kCommitUnknown:
      return "CommitUnknown";
    case ErrorKind::kVideoDecode:
      return "VideoDecode";
    case ErrorKind::kTableNotExist:
      return "TableNotExist";
    case ErrorKind::kTableAlreadyExist:
      return "TableAlreadyExist";
    case ErrorKind::kDatabaseNotExist:
      return "DatabaseNotExist";
    case ErrorKind::kDatabaseAlreadyExist:
      return "DatabaseAlreadyExist";
    case ErrorKind::kDatabaseNotEmpty:
      return "DatabaseNotEmpty";
    case ErrorKind::kTagNotExist:
      return "TagNotExist";
    case ErrorKind::kTagAlreadyExist:
      return "TagAlreadyExist";
  }
  return "Unknown";
}

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCorruptFile:
    case ErrorKind::kFileNotFound:
      return arrow::StatusCode::IOError;
    case ErrorKind::kCommitConflict:
    case ErrorKind::kCommitUnknown:
      return arrow::StatusCode::UnknownError;
    case ErrorKind::kVideoDecode:
    case ErrorKind::kDatabaseNotEmpty:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kTableNotExist:
    case ErrorKind::kDatabaseNotExist:
    case ErrorKind::kTagNotExist:
      return arrow::StatusCode::KeyError;
    case ErrorKind::kTableAlreadyExist:
    case ErrorKind::kDatabaseAlreadyExist:
    case ErrorKind::kTagAlreadyExist:
      return arrow::StatusCode::AlreadyExists;
  }
  return arrow::StatusCode::UnknownError;
}

std::string LowerCased(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Optimal string alignment: the number of inserted, dropped, changed or swapped neighbouring characters.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({changed, last[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

}  // namespace

const char* ErrorDetail::type_id() const { return kDetailTypeId; }

std::string ErrorDetail::ToString() const { return NameOf(kind_); }

const ErrorDetail* DetailOf(const Status& status) {
  const std::shared_ptr<arrow::StatusDetail>& detail = status.detail();
  // Compared by content: two copies of this library in one process have two addresses for the same id.
  if (detail == nullptr || std::strcmp(detail->type_id(), kDetailTypeId) != 0) return nullptr;
  return static_cast<const ErrorDetail*>(detail.get());
}

bool IsKind(const Status& status, ErrorKind kind) {
  const ErrorDetail* detail = DetailOf(status);
  return detail != nullptr && detail->kind() == kind;
}

Status MakeError(ErrorKind kind, std::string text, ErrorFields fields) {
  return Status(CodeOf(kind), std::move(text), std::make_shared<ErrorDetail>(kind, std::move(fields)));
}

Status CorruptFile(std::string_view path, int64_t offset_bytes, std::string_view text) {
  std::string message(path);
  ErrorFields fields;
  fields.path = path;
  if (offset_bytes >= 0) {
    message += ": byte " + std::to_string(offset_bytes);
    fields.offset_bytes = offset_bytes;
  }
  message += ": ";
  message += text;
  return MakeError(ErrorKind::kCorruptFile, std::move(message), std::move(fields));
}

Status Prefixed(std::string_view where, const Status& status) {
  if (status.ok()) return status;
  std::string message(where);
  message += ": ";
  message += status.message();
  return Status(status.code(), std::move(message), status.detail());
}

std::string NearestName(std::string_view name, const std::vector<std::string>& names) {
  // Longer than any sensible name: the quadratic comparison would only cost time.
  constexpr size_t kLongestName = 256;
  if (name.empty() || name.size() > kLongestName) return {};
  const std::string wanted = LowerCased(name);
  const size_t farthest = std::max<size_t>(1, wanted.size() / 3);
  const std::string* nearest = nullptr;
  size_t nearest_distance = farthest + 1;
  for (const std::string& candidate : names) {
    if (candidate.size() > kLongestName) continue;
    size_t distance = EditDistance(wanted, LowerCased(candidate));
    // A distance as long as a name means that nothing of it is left.
    if (distance < nearest_distance && distance < std::max(wanted.size(), candidate.size())) {
      nearest = &candidate;
      nearest_distance = distance;
    }
  }
  return nearest == nullptr ? std::string() : *nearest;
}

}  // namespace reelhouse
