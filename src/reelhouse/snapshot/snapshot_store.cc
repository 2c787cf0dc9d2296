#include "reelhouse/snapshot/snapshot_store.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "reelhouse/base/numbered_name.h"
#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

constexpr std::string_view kPrefix = "snapshot-";

// The id in a hint file; nothing if it is torn or holds something else.
std::optional<int64_t> IdInHint(std::string_view text) {
  text = TrimmedView(text);
  int64_t id = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || behind != text.data() + text.size() || id < 1) return std::nullopt;
  return id;
}

// `1764593521787 (2025-12-01T12:52:01.787Z)`.
std::string PrintedTime(int64_t epoch_millis) {
  std::string text = std::to_string(epoch_millis);
  int64_t millis = epoch_millis % 1000;
  if (millis < 0) millis += 1000;
  const time_t seconds = static_cast<time_t>((epoch_millis - millis) / 1000);
  struct tm utc;
  char calendar[64];
  if (::gmtime_r(&seconds, &utc) == nullptr) return text;
  if (::strftime(calendar, sizeof(calendar), "%Y-%m-%dT%H:%M:%S", &utc) == 0) return text;
  const std::string fraction = std::to_string(1000 + millis).substr(1);
  return text + " (" + calendar + "." + fraction + "Z)";
}

}  // namespace

SnapshotStore::SnapshotStore(std::shared_ptr<FileStore> files, std::string table_path)
    : files_(std::move(files)), folder_(JoinLocation(table_path, "snapshot")) {}

std::string SnapshotStore::PathOf(int64_t id) const {
  return JoinLocation(folder_, std::string(kPrefix) + std::to_string(id));
}

Result<bool> SnapshotStore::Exists(int64_t id) {
  ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> entry, files_->Stat(PathOf(id)));
  return entry.has_value() && !entry->is_directory;
}

Result<std::optional<int64_t>> SnapshotStore::ReadHint(std::string_view name) {
  Result<std::string> text = files_->ReadAll(JoinLocation(folder_, name));
  if (IsKind(text.status(), ErrorKind::kFileNotFound)) return std::nullopt;
  ARROW_RETURN_NOT_OK(text.status());
  return IdInHint(*text);
}

Result<std::optional<int64_t>> SnapshotStore::LatestId() {
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> hint, ReadHint("LATEST"));
  if (hint && *hint < std::numeric_limits<int64_t>::max()) {
    ARROW_ASSIGN_OR_RAISE(bool is_there, Exists(*hint));
    ARROW_ASSIGN_OR_RAISE(bool has_successor, Exists(*hint + 1));
    if (is_there && !has_successor) return hint;
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  if (!ids.empty()) return ids.back();
  if (!hint) return std::nullopt;
  // An empty answer would let a writer start the table anew over lost data.
  return CorruptFile(JoinLocation(folder_, "LATEST"), -1,
                     "expected snapshot-" + std::to_string(*hint) + " or another snapshot, found none in the folder");
}

Result<std::optional<Snapshot>> SnapshotStore::Latest() {
  // A rollback or an expiry may take the file between the two steps; then the next look finds the new state.
  constexpr int kLooks = 3;
  for (int look = 0; look < kLooks; ++look) {
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> id, LatestId());
    if (!id) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> snapshot, Find(*id));
    if (snapshot) return snapshot;
  }
  return Status::IOError(folder_, ": the newest snapshot vanished ", kLooks, " times while it was read; try again");
}

Result<std::optional<Snapshot>> SnapshotStore::Find(int64_t id) {
  if (id < 1) return std::nullopt;
  const std::string path = PathOf(id);
  Result<std::string> text = files_->ReadAll(path);
  if (IsKind(text.status(), ErrorKind::kFileNotFound)) return std::nullopt;
  ARROW_RETURN_NOT_OK(text.status());
  ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, Snapshot::FromJsonText(*text, path));
  if (snapshot.id != id) {
    return CorruptFile(path, -1, "expected id " + std::to_string(id) + ", found " + std::to_string(snapshot.id));
  }
  return snapshot;
}

Result<Snapshot> SnapshotStore::Load(int64_t id) {
  ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> snapshot, Find(id));
  if (!snapshot) return Status::Invalid("Snapshot id '", id, "' doesn't exist.");
  return *std::move(snapshot);
}

Result<std::optional<int64_t>> SnapshotStore::EarliestId() {
  ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> hint, ReadHint("EARLIEST"));
  const int64_t start = hint.value_or(1);
  ARROW_ASSIGN_OR_RAISE(bool is_there, Exists(start));
  if (is_there) return start;
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  if (ids.empty()) return std::nullopt;
  return ids.front();
}

Result<std::vector<int64_t>> SnapshotStore::ListIds() {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files_->List(folder_));
  std::vector<int64_t> ids;
  for (const FileEntry& entry : entries) {
    std::optional<int64_t> id = NumberInName(entry.name, kPrefix);
    if (id && *id >= 1 && !entry.is_directory) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<Snapshot> SnapshotStore::AtTime(int64_t epoch_millis) {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  std::optional<Snapshot> found;
  std::optional<Snapshot> earliest;
  size_t begin = 0, end = ids.size();
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    ARROW_ASSIGN_OR_RAISE(std::optional<Snapshot> snapshot, Find(ids[middle]));
    if (!snapshot) {
      // Expired since the listing.
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(middle));
      --end;
    } else if (snapshot->time_millis <= epoch_millis) {
      begin = middle + 1;
      found = std::move(snapshot);
    } else {
      end = middle;
      earliest = std::move(snapshot);
    }
  }
  if (found) return *std::move(found);
  if (!earliest) return Status::Invalid(folder_, ": the table has no snapshot yet");
  // The search went down to the first snapshot, so the last one that was too late is the earliest of all.
  return Status::Invalid("no snapshot at or before ", PrintedTime(epoch_millis), "; the earliest is snapshot-",
                         earliest->id, " at ", PrintedTime(earliest->time_millis));
}

Result<bool> SnapshotStore::CreateNoReplace(const Snapshot& snapshot) {
  return files_->CreateNoReplace(PathOf(snapshot.id), snapshot.ToJsonText());
}

Status SnapshotStore::HintLatest(int64_t id) {
  return files_->ReplaceHint(JoinLocation(folder_, "LATEST"), std::to_string(id));
}

}  // namespace reelhouse
