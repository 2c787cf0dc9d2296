#include "cli/write_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/table_facts.h"
#include "reelhouse/base/memory_size.h"

namespace reelhouse::cli {

Status WriteReport::Print(Invocation& invocation, const Table& table, const std::optional<Snapshot>& snapshot,
                          int64_t bytes_in, int64_t files_in) const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  nlohmann::ordered_json json = {{"table", table.identifier().ToText()}};
  if (!snapshot) {
    json["snapshot_id"] = nullptr;
    json["rows"] = 0;
    json["bytes_in"] = bytes_in;
    json["bytes_stored"] = 0;
    json["seconds"] = seconds;
    return invocation.PrintDone(json, "no rows, nothing stored");
  }
  // The rows are safe by now: what cannot be read back at once only takes a number from this line.
  const std::optional<RowIdRange> added = RowsAddedBy(table, *snapshot).ValueOr(std::nullopt);
  const int64_t rows = added ? added->last - added->first + 1 : 0;
  StoredFiles stored;
  if (added) stored = FilesOf(table, *snapshot, added).ValueOr(StoredFiles{});
  const double ratio = stored.bytes > 0 ? static_cast<double>(bytes_in) / static_cast<double>(stored.bytes) : 0;
  json["snapshot_id"] = snapshot->id;
  json["rows"] = rows;
  if (added) json["first_row_id"] = added->first;
  json["files_in"] = files_in;
  json["bytes_in"] = bytes_in;
  json["files_stored"] = stored.files;
  json["bytes_stored"] = stored.bytes;
  json["ratio"] = ratio;
  json["seconds"] = seconds;
  return invocation.PrintDone(
      json, fmt::format("{}, {} -> {} ({:.1f} to 1), {:.2f} s, snapshot {}", Counted(rows, "row"),
                        FormatBytes(bytes_in), FormatBytes(stored.bytes), ratio, seconds, snapshot->id));
}

}  // namespace reelhouse::cli
