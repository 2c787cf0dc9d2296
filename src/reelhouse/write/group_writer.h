#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/write/append_context.h"
#include "reelhouse/write/blob_column_writer.h"
#include "reelhouse/write/checked_batch.h"
#include "reelhouse/write/columns_writer.h"
#include "reelhouse/write/video_column_writer.h"

namespace reelhouse {

/// The file groups of one partition, one after another: a normal file and its sidecars in lockstep (format notes, 4.2
/// to 4.4). Not thread safe.
class GroupWriter {
 public:
  /// `partition`: BinaryRow of the partition keys; `folder`: where its files go.
  GroupWriter(AppendContext& context, std::string partition, std::string folder);

  Status Write(const CheckedBatch& batch);

  /// The writer of a video column for a video whose rows are written next; a group that is full is closed before.
  Result<VideoColumnWriter*> PrepareStaging(const std::string& column);
  /// A staged video waits for its rows: the group stays open for them.
  void ExpectRowsOfStagedVideo() { staged_video_waits_ = true; }

  /// Closes the files of the open group.
  Status CloseGroup();
  /// The entries of all closed groups, in commit order.
  std::vector<ManifestEntry> TakeEntries() { return std::move(entries_); }
  int64_t open_rows() const { return normal_.row_count(); }

 private:
  Status WriteRows(const CheckedBatch& batch, int64_t first_row, int64_t row_count);
  /// True if a row of `row_bytes` does not fit behind the rows written and `waiting` ones.
  bool IsFull(int64_t waiting, int64_t row_bytes) const;
  void AddEntries(std::vector<DataFile> files);

  AppendContext& context_;
  std::string partition_;
  ColumnsWriter normal_;
  std::unique_ptr<ColumnsWriter> vectors_;
  std::vector<int> normal_columns_;  // positions in the batch
  std::vector<int> vector_columns_;
  // Sidecars by position in the schema, which is their order in a commit.
  std::map<int, std::unique_ptr<BlobColumnWriter>> blobs_;
  std::map<int, std::unique_ptr<VideoColumnWriter>> videos_;
  std::string last_videos_;  // of the last row written
  bool staged_video_waits_ = false;
  std::vector<ManifestEntry> entries_;
};

}  // namespace reelhouse
