#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>

namespace reelhouse {

using arrow::Result;
using arrow::Status;

/// A kind of failure that callers branch on. Everything else is an `arrow::Status` of the fitting code:
/// Invalid (a bad argument), TypeError, IOError, NotImplemented, Cancelled.
enum class ErrorKind {
  kCorruptFile,
  kFileNotFound,
  kCommitConflict,
  kCommitUnknown,
  kVideoDecode,
  kTableNotExist,
  kTableAlreadyExist,
  kDatabaseNotExist,
  kDatabaseAlreadyExist,
  kDatabaseNotEmpty,
  kTagNotExist,
  kTagAlreadyExist,
};

/// What a failure knows beyond its text. Only the fields that its kind gives are set.
struct ErrorFields {
  std::string path;
  std::optional<int64_t> offset_bytes;
  std::optional<int64_t> row_id;
  std::optional<int64_t> frame_index;
  std::string table;
  std::optional<int64_t> base_snapshot_id;
  std::optional<int64_t> other_snapshot_id;
  std::vector<std::string> columns;
  std::vector<int64_t> row_ids;
  std::string commit_user;
  std::optional<int64_t> commit_identifier;
};

/// The detail of a failure with a kind; travels inside `arrow::Status`.
class ErrorDetail final : public arrow::StatusDetail {
 public:
  ErrorDetail(ErrorKind kind, ErrorFields fields) : kind_(kind), fields_(std::move(fields)) {}

  const char* type_id() const override;
  std::string ToString() const override;

  ErrorKind kind() const { return kind_; }
  const ErrorFields& fields() const { return fields_; }

 private:
  ErrorKind kind_;
  ErrorFields fields_;
};

/// The detail of `status`, or null where it has none of ours.
const ErrorDetail* DetailOf(const Status& status);

/// True if `status` is a failure of this kind.
bool IsKind(const Status& status, ErrorKind kind);

/// A failure of `kind` with `text`; its status code follows from the kind.
Status MakeError(ErrorKind kind, std::string text, ErrorFields fields = {});

/// A file that breaks its format: `path: byte N: text`.
Status CorruptFile(std::string_view path, int64_t offset_bytes, std::string_view text);

/// `status` with `where: ` in front of its text; code and detail stay. OK stays OK.
Status Prefixed(std::string_view where, const Status& status);

/// The name in `names` that `name` was probably meant to be (edit distance), or empty.
std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace reelhouse
