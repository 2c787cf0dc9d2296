#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/snapshot/snapshot.h"
#include "reelhouse/table/query.h"
#include "reelhouse/table/table_context.h"
#include "reelhouse/table/verify.h"
#include "reelhouse/table/write_input.h"

namespace reelhouse {

/// A multimodal table: the front door. Not pinned to a version: every call works on the newest snapshot and schema, so
/// handles see each other's commits. Cheap to copy, thread safe.
///
/// Every writing call is one commit or none and gives the snapshot that it made; nothing if there were no rows.
class Table {
 public:
  explicit Table(std::shared_ptr<const TableContext> context);

  const Identifier& identifier() const { return context_->identifier; }
  const std::string& path() const { return context_->path; }
  const std::shared_ptr<const TableContext>& context() const { return context_; }
  Result<std::shared_ptr<const TableSchema>> Schema() const;
  Result<std::shared_ptr<arrow::Schema>> ArrowSchema() const;

  Result<std::optional<Snapshot>> Add(RowInput rows, const WriteOptions& options = {});
  /// The rows of several inputs, whose columns may differ, pulled one at a time.
  Result<std::optional<Snapshot>> AddBatches(RowInputs batches, const WriteOptions& options = {});
  Result<std::optional<Snapshot>> AddVideo(VideoInput video, const WriteOptions& options = {});
  Result<std::optional<Snapshot>> AddVideos(VideoInputs videos, const WriteOptions& options = {});
  /// Encodes the images of each camera into one video, cameras side by side, one row an image.
  Result<std::optional<Snapshot>> AddImagesAsVideo(EpisodeInput episode, const WriteOptions& options = {});
  /// Several episodes encoded side by side, one commit, rows in the order of the items.
  Result<std::optional<Snapshot>> AddImagesAsVideos(EpisodeInputs episodes, const WriteOptions& options = {});

  Query Scan(TimeTravel version = {}) const;
  /// Rows with these ids, in row-id order; repeats collapse, unknown and deleted ids are ignored.
  Query TakeRowIds(std::vector<int64_t> row_ids, TimeTravel version = {}) const;

  /// Nothing in an empty table.
  Result<std::optional<Snapshot>> LatestSnapshot() const;
  Result<std::vector<Snapshot>> ListSnapshots() const;
  Status CreateTag(std::string_view name, std::optional<int64_t> snapshot_id = {});
  Status DeleteTag(std::string_view name);
  Result<std::vector<std::string>> ListTags() const;
  Result<VerifyReport> Verify(const VerifyOptions& options = {}) const;

 private:
  std::shared_ptr<const TableContext> context_;
};

}  // namespace reelhouse
