#include "reelhouse/write/table_writer.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

#include <arrow/api.h>
#include <fmt/format.h>

#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/write/append_context.h"
#include "reelhouse/write/blob_cell.h"
#include "reelhouse/write/group_writer.h"
#include "reelhouse/write/partition_split.h"

namespace reelhouse {
namespace {

// Rows of partitioned tables wait in memory, so that many partitions need not have their files open at once.
constexpr int64_t kMostWaitingBytes = int64_t{64} << 20;
constexpr size_t kMostOpenPartitions = 16;

/// One partition of an append: rows that wait, and the writer of its files while it is open.
struct PartitionRows {
  std::vector<CheckedBatch> waiting;
  int64_t waiting_bytes = 0;
  std::unique_ptr<GroupWriter> writer;
  std::list<size_t>::iterator use;  // while a writer is open
  std::vector<ManifestEntry> entries;
};

class PartitionedTableWriter;

/// A video on its way into the file of a column. Makes the file with its first byte.
class FileStagedVideo final : public StagedVideo {
 public:
  FileStagedVideo(PartitionedTableWriter& table, std::string column, size_t partition)
      : table_(table), column_(std::move(column)), partition_(partition) {}
  ~FileStagedVideo() override;

  Status Append(const void* data, int64_t size_bytes) override;
  Status Overwrite(int64_t offset_bytes, const void* data, int64_t size_bytes) override;
  Result<std::shared_ptr<const VideoPayload>> Finish(const KeyframeIndex& index, int64_t frame_count) override;

 private:
  PartitionedTableWriter& table_;
  std::string column_;
  size_t partition_;
  VideoColumnWriter* file_ = nullptr;
  bool is_finished_ = false;
};

class PartitionedTableWriter final : public TableWriter {
 public:
  PartitionedTableWriter(WriteContext context, WriterOptions options)
      : paths_(context.table_path, context.schema),
        context_(context.files, context.schema, context.table_path, std::move(options), std::move(context.cancelled)),
        split_(*context.schema),
        is_partitioned_(!context.schema->partition_keys.empty()) {}

  Status Write(RowBatch batch) override {
    ARROW_RETURN_NOT_OK(Failure());
    return Remember(WriteBatch(std::move(batch)));
  }

  Result<std::unique_ptr<StagedVideo>> StageVideo(const std::string& column, const RowBatch& rows) override {
    ARROW_RETURN_NOT_OK(Failure());
    auto staged = Stage(column, rows);
    ARROW_RETURN_NOT_OK(Remember(staged.status()));
    return staged;
  }

  Result<FileChanges> Finish() override {
    ARROW_RETURN_NOT_OK(Failure());
    if (is_finished_) return Status::Invalid("a table writer is finished only once");
    FileChanges changes;
    changes.schema_id = context_.schema->id;
    for (size_t i = 0; i < partitions_.size(); ++i) {
      ARROW_RETURN_NOT_OK(Remember(FlushWaiting(i)));
      ARROW_RETURN_NOT_OK(Remember(ClosePartition(i)));
      for (ManifestEntry& entry : partitions_[i].entries) changes.entries.push_back(std::move(entry));
    }
    ARROW_RETURN_NOT_OK(Remember(context_.CheckCancelled()));
    ARROW_RETURN_NOT_OK(Remember(context_.staged.FinishAll()));
    is_finished_ = true;
    changes.staged_paths = context_.staged.Release();
    return changes;
  }

  int64_t row_count() const override { return row_count_; }

  // For staged videos.
  Result<VideoColumnWriter*> BeginStaged(size_t partition, const std::string& column) {
    std::lock_guard lock(staging_mutex_);
    ARROW_RETURN_NOT_OK(Failure());
    ARROW_ASSIGN_OR_RAISE(GroupWriter * writer, OpenPartition(partition));
    ARROW_ASSIGN_OR_RAISE(VideoColumnWriter * file, writer->PrepareStaging(column));
    ARROW_RETURN_NOT_OK(Remember(file->BeginStaged()));
    writer->ExpectRowsOfStagedVideo();
    return file;
  }
  void RememberVideo(std::shared_ptr<const CheckedVideo> video) { context_.videos.Remember(std::move(video)); }
  Status Remember(Status status) {
    std::lock_guard lock(failure_mutex_);
    if (!status.ok() && failure_.ok()) failure_ = status;
    return status;
  }

 private:
  Status Failure() {
    std::lock_guard lock(failure_mutex_);
    return failure_;
  }

  Status WriteBatch(RowBatch batch) {
    ARROW_RETURN_NOT_OK(context_.CheckCancelled());
    ARROW_ASSIGN_OR_RAISE(const CheckedBatch checked, CheckBatch(batch));
    ARROW_ASSIGN_OR_RAISE(auto parts, split_.Split(checked));
    partitions_.resize(split_.partitions().size());
    for (auto& part : parts) {
      if (!is_partitioned_) {
        ARROW_ASSIGN_OR_RAISE(GroupWriter * writer, OpenPartition(part.partition));
        ARROW_RETURN_NOT_OK(writer->Write(part.rows));
      } else {
        PartitionRows& partition = partitions_[part.partition];
        const int64_t bytes = part.rows.MemoryBytes();
        partition.waiting.push_back(std::move(part.rows));
        partition.waiting_bytes += bytes;
        waiting_bytes_ += bytes;
      }
    }
    row_count_ += checked.row_count();
    while (waiting_bytes_ > kMostWaitingBytes) {
      const auto largest = std::max_element(partitions_.begin(), partitions_.end(), [](const auto& a, const auto& b) {
        return a.waiting_bytes < b.waiting_bytes;
      });
      ARROW_RETURN_NOT_OK(FlushWaiting(static_cast<size_t>(largest - partitions_.begin())));
    }
    return Status::OK();
  }

  // Everything that can be known to fail fails here, before a file is made.
  Result<CheckedBatch> CheckBatch(const RowBatch& batch) {
    const TableSchema& schema = *context_.schema;
    CheckedBatch checked;
    checked.columns = batch.columns;
    checked.literal_blobs = batch.literal_blobs;
    const int64_t rows = batch.columns->num_rows();
    int column = 0;
    for (const DataField& field : schema.fields) {
      if (schema.StorageOf(field) == ColumnStorage::kVideo) {
        ARROW_ASSIGN_OR_RAISE(checked.videos[field.name], CheckVideo(batch, field, rows));
        continue;
      }
      const bool is_there = column < batch.columns->num_columns() && batch.columns->column_name(column) == field.name &&
                            batch.columns->column(column)->type()->Equals(*field.type.ToArrow());
      if (!is_there) {
        return Status::Invalid("rows do not have column '", field.name, "' as ", field.type.ToArrow()->ToString(),
                               " at its place; align them to the table first");
      }
      if (!field.type.nullable() && batch.columns->column(column)->null_count() > 0) {
        return Status::Invalid("Column '", field.name, "' is declared non-nullable but contains nulls");
      }
      ++column;
    }
    if (column != batch.columns->num_columns()) {
      return Status::Invalid("rows have ", batch.columns->num_columns(), " columns, expected ", column,
                             "; align them to the table first");
    }
    for (const auto& [name, runs] : batch.videos) {
      if (!checked.videos.contains(name)) return Status::Invalid("'", name, "' is no video column");
    }
    BlobSources sources(context_.files);
    ARROW_RETURN_NOT_OK(CheckBlobCells(batch, schema, batch.references, sources));
    return checked;
  }

  Result<std::vector<CheckedRun>> CheckVideo(const RowBatch& batch, const DataField& field, int64_t rows) {
    const auto found = batch.videos.find(field.name);
    std::vector<CheckedRun> runs;
    if (found == batch.videos.end()) {
      if (rows > 0) runs.push_back({nullptr, 0, rows});
    } else {
      ARROW_ASSIGN_OR_RAISE(runs, context_.videos.CheckRuns(found->second));
    }
    int64_t covered = 0;
    for (const CheckedRun& run : runs) {
      if (run.video == nullptr && !field.type.nullable()) {
        return Status::Invalid("Column '", field.name, "' is declared non-nullable but contains nulls");
      }
      covered += run.row_count;
    }
    if (covered != rows) {
      return Status::Invalid("Column '", field.name, "': expected frames for ", rows, " rows, found ", covered);
    }
    return runs;
  }

  Result<GroupWriter*> OpenPartition(size_t ordinal) {
    PartitionRows& partition = partitions_[ordinal];
    if (partition.writer != nullptr) {
      open_.splice(open_.begin(), open_, partition.use);
      return partition.writer.get();
    }
    while (open_.size() >= kMostOpenPartitions) ARROW_RETURN_NOT_OK(ClosePartition(open_.back()));
    const std::string& row = split_.partitions()[ordinal];
    ARROW_ASSIGN_OR_RAISE(auto folder, paths_.BucketFolder(row, 0));
    partition.writer = std::make_unique<GroupWriter>(context_, row, std::move(folder));
    open_.push_front(ordinal);
    partition.use = open_.begin();
    return partition.writer.get();
  }

  Status FlushWaiting(size_t ordinal) {
    if (partitions_[ordinal].waiting.empty()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(GroupWriter * writer, OpenPartition(ordinal));
    PartitionRows& partition = partitions_[ordinal];
    for (const CheckedBatch& rows : partition.waiting) ARROW_RETURN_NOT_OK(writer->Write(rows));
    waiting_bytes_ -= partition.waiting_bytes;
    partition.waiting_bytes = 0;
    partition.waiting.clear();
    return Status::OK();
  }

  Status ClosePartition(size_t ordinal) {
    PartitionRows& partition = partitions_[ordinal];
    if (partition.writer == nullptr) return Status::OK();
    // A staged video in the open file may belong to rows that still wait.
    ARROW_RETURN_NOT_OK(FlushWaiting(ordinal));
    ARROW_RETURN_NOT_OK(partition.writer->CloseGroup());
    for (ManifestEntry& entry : partition.writer->TakeEntries()) partition.entries.push_back(std::move(entry));
    partition.writer.reset();
    open_.erase(partition.use);
    return Status::OK();
  }

  Result<std::unique_ptr<StagedVideo>> Stage(const std::string& column, const RowBatch& rows) {
    const DataField* field = context_.schema->FindField(column);
    if (field == nullptr || context_.schema->StorageOf(*field) != ColumnStorage::kVideo) {
      return Status::Invalid("'", column, "' is no video column");
    }
    if (rows.columns->num_rows() == 0) return Status::Invalid("a staged video needs rows that show it");
    // The video goes where the first row goes.
    CheckedBatch first;
    first.columns = rows.columns->Slice(0, 1);
    ARROW_ASSIGN_OR_RAISE(const auto parts, split_.Split(first));
    partitions_.resize(split_.partitions().size());
    const size_t partition = parts[0].partition;
    // Rows that came before must lie before.
    ARROW_RETURN_NOT_OK(FlushWaiting(partition));
    // Here, since it may close another partition, which asks for cancellation: not on the thread of an encoder.
    ARROW_RETURN_NOT_OK(OpenPartition(partition).status());
    return std::make_unique<FileStagedVideo>(*this, column, partition);
  }

  TablePaths paths_;
  AppendContext context_;  // before all that uses it
  PartitionSplit split_;
  bool is_partitioned_;
  std::vector<PartitionRows> partitions_;
  std::list<size_t> open_;  // most recently used first
  int64_t waiting_bytes_ = 0;
  int64_t row_count_ = 0;
  bool is_finished_ = false;
  std::mutex staging_mutex_;  // cameras of one episode begin their videos at the same time
  std::mutex failure_mutex_;
  Status failure_;  // of an earlier call: what lies in the files is not known any more
};

FileStagedVideo::~FileStagedVideo() {
  // Bytes of half a video cannot be taken out of its file again.
  if (file_ != nullptr && !is_finished_) {
    (void)table_.Remember(Status::Invalid("a video for column '", column_, "' was given up while it was written"));
  }
}

Status FileStagedVideo::Append(const void* data, int64_t size_bytes) {
  if (is_finished_) return Status::Invalid("a finished video takes no more bytes");
  if (size_bytes == 0) return Status::OK();
  if (file_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(file_, table_.BeginStaged(partition_, column_));
  }
  return table_.Remember(file_->AppendStaged(data, size_bytes));
}

Status FileStagedVideo::Overwrite(int64_t offset_bytes, const void* data, int64_t size_bytes) {
  if (file_ == nullptr || is_finished_) return Status::Invalid("a video has no bytes to overwrite");
  return table_.Remember(file_->OverwriteStaged(offset_bytes, data, size_bytes));
}

Result<std::shared_ptr<const VideoPayload>> FileStagedVideo::Finish(const KeyframeIndex& index, int64_t frame_count) {
  if (file_ == nullptr || is_finished_) return Status::Invalid("a video must have at least one byte");
  auto video = file_->EndStaged(index, frame_count);
  ARROW_RETURN_NOT_OK(table_.Remember(video.status()));
  is_finished_ = true;
  table_.RememberVideo(*video);
  return (*video)->payload;
}

}  // namespace

Result<std::unique_ptr<TableWriter>> TableWriter::Make(WriteContext context) {
  ARROW_ASSIGN_OR_RAISE(auto options, WriterOptions::From(*context.schema));
  return std::make_unique<PartitionedTableWriter>(std::move(context), std::move(options));
}

}  // namespace reelhouse
