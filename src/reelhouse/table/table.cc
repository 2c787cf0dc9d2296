#include "reelhouse/table/table.h"

#include <algorithm>
#include <utility>

#include <arrow/buffer.h>

#include "reelhouse/table/add.h"

namespace reelhouse {

std::shared_ptr<const VideoPayload> VideoFromPath(std::string path) { return VideoFromRange(std::move(path), 0, -1); }

std::shared_ptr<const VideoPayload> VideoFromRange(std::string path, int64_t offset_bytes, int64_t length_bytes) {
  auto payload = std::make_shared<VideoPayload>();
  payload->name = path;
  payload->location = std::move(path);
  payload->offset_bytes = offset_bytes;
  payload->length_bytes = length_bytes;
  return payload;
}

std::shared_ptr<const VideoPayload> VideoFromBytes(std::shared_ptr<arrow::Buffer> bytes, std::string name) {
  auto payload = std::make_shared<VideoPayload>();
  payload->name = std::move(name);
  payload->length_bytes = bytes->size();
  payload->bytes = std::move(bytes);
  return payload;
}

RowInputs OneRowInput(RowInput rows) {
  return [rows = std::make_optional(std::move(rows))]() mutable -> Result<std::optional<RowInput>> {
    return std::exchange(rows, std::nullopt);
  };
}

Table::Table(std::shared_ptr<const TableContext> context) : context_(std::move(context)) {}

Result<std::shared_ptr<const TableSchema>> Table::Schema() const { return context_->LatestSchema(); }

Result<std::shared_ptr<arrow::Schema>> Table::ArrowSchema() const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, Schema());
  return schema->ToArrow();
}

Result<std::optional<Snapshot>> Table::Add(RowInput rows, const WriteOptions& options) {
  return AddRows(*context_, OneRowInput(std::move(rows)), options);
}

Result<std::optional<Snapshot>> Table::AddBatches(RowInputs batches, const WriteOptions& options) {
  return AddRows(*context_, batches, options);
}

Result<std::optional<Snapshot>> Table::AddVideo(VideoInput video, const WriteOptions& options) {
  bool taken = false;
  return AddVideos(
      [&]() -> Result<std::optional<VideoInput>> {
        if (std::exchange(taken, true)) return std::nullopt;
        return std::move(video);
      },
      options);
}

Result<std::optional<Snapshot>> Table::AddVideos(VideoInputs videos, const WriteOptions& options) {
  return reelhouse::AddVideos(*context_, videos, options);
}

Result<std::optional<Snapshot>> Table::AddImagesAsVideo(EpisodeInput episode, const WriteOptions& options) {
  return AddEpisode(*context_, std::move(episode), options);
}

Result<std::optional<Snapshot>> Table::AddImagesAsVideos(EpisodeInputs episodes, const WriteOptions& options) {
  return AddEpisodes(*context_, episodes, options);
}

Query Table::Scan(TimeTravel version) const { return Query(context_, std::move(version)); }

Query Table::TakeRowIds(std::vector<int64_t> row_ids, TimeTravel version) const {
  std::sort(row_ids.begin(), row_ids.end());
  std::vector<RowIdRange> ranges;
  for (int64_t row_id : row_ids) {
    if (row_id < 0) continue;
    if (!ranges.empty() && row_id <= ranges.back().last + 1) {
      ranges.back().last = row_id;
    } else {
      ranges.push_back({row_id, row_id});
    }
  }
  return Query(context_, std::move(version), std::move(ranges));
}

Result<std::optional<Snapshot>> Table::LatestSnapshot() const { return context_->snapshots->Latest(); }

Result<std::vector<Snapshot>> Table::ListSnapshots() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, context_->snapshots->ListIds());
  std::vector<Snapshot> snapshots;
  snapshots.reserve(ids.size());
  for (int64_t id : ids) {
    ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, context_->snapshots->Load(id));
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

Status Table::CreateTag(std::string_view name, std::optional<int64_t> snapshot_id) {
  std::optional<Snapshot> snapshot;
  if (snapshot_id) {
    ARROW_ASSIGN_OR_RAISE(snapshot, context_->snapshots->Find(*snapshot_id));
    if (!snapshot) return Status::Invalid("Snapshot with id ", *snapshot_id, " doesn't exist.");
  } else {
    ARROW_ASSIGN_OR_RAISE(snapshot, context_->snapshots->Latest());
    if (!snapshot) return Status::Invalid("Cannot create tag '", name, "': the table has no snapshot yet.");
  }
  return context_->tags->Create(name, *snapshot);
}

Status Table::DeleteTag(std::string_view name) { return context_->tags->Delete(name); }

Result<std::vector<std::string>> Table::ListTags() const { return context_->tags->List(); }

Result<VerifyReport> Table::Verify(const VerifyOptions& options) const { return VerifyTable(*context_, options); }

}  // namespace reelhouse
