#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// One version of a table: the content of `snapshot/snapshot-<id>` (format notes, 2.1). Keys that we do not know are
/// dropped on reading; absent optional keys stay absent on writing.
struct Snapshot {
  int32_t version = 3;
  int64_t id = 0;
  int64_t schema_id = 0;
  std::string base_manifest_list;
  std::optional<int64_t> base_manifest_list_size;
  std::string delta_manifest_list;
  std::optional<int64_t> delta_manifest_list_size;
  std::optional<std::string> changelog_manifest_list;
  std::optional<int64_t> changelog_manifest_list_size;
  std::optional<int64_t> changelog_record_count;
  std::optional<std::string> index_manifest;
  std::string commit_user;
  int64_t commit_identifier = 9223372036854775807LL;
  std::string commit_kind;  ///< APPEND, OVERWRITE, COMPACT, ANALYZE
  int64_t time_millis = 0;
  int64_t total_record_count = 0;
  int64_t delta_record_count = 0;
  std::optional<int64_t> watermark;
  std::optional<std::string> statistics;
  std::optional<int64_t> next_row_id;
  std::map<std::string, std::string> properties;
  std::optional<std::string> uuid;
  std::optional<std::string> writer_version;

  /// `path` names the file in errors; a torn file is a CorruptFile that names it.
  static Result<Snapshot> FromJsonText(std::string_view text, std::string_view path);
  std::string ToJsonText() const;

  bool operator==(const Snapshot&) const = default;
};

}  // namespace reelhouse
