#include "reelhouse/write/group_writer.h"

#include <algorithm>

#include <arrow/api.h>

namespace reelhouse {
namespace {

std::vector<DataField> ColumnsStoredAs(const TableSchema& schema, ColumnStorage storage) {
  std::vector<DataField> columns;
  for (const DataField& field : schema.fields) {
    if (schema.StorageOf(field) == storage) columns.push_back(field);
  }
  return columns;
}

}  // namespace

GroupWriter::GroupWriter(AppendContext& context, std::string partition, std::string folder)
    : context_(context),
      partition_(std::move(partition)),
      normal_(context, folder, ColumnsWriter::Kind::kNormal, ColumnsStoredAs(*context.schema, ColumnStorage::kNormal)) {
  const TableSchema& schema = *context.schema;
  int batch_column = 0;  // video columns are not in the batch
  for (int i = 0; i < static_cast<int>(schema.fields.size()); ++i) {
    const DataField& field = schema.fields[i];
    switch (schema.StorageOf(field)) {
      case ColumnStorage::kNormal:
        normal_columns_.push_back(batch_column++);
        break;
      case ColumnStorage::kVector:
        vector_columns_.push_back(batch_column++);
        break;
      case ColumnStorage::kBlob:
        blobs_[i] = std::make_unique<BlobColumnWriter>(context, folder, field);
        ++batch_column;
        break;
      case ColumnStorage::kVideo:
        videos_[i] = std::make_unique<VideoColumnWriter>(context, folder, field);
        break;
    }
  }
  if (!vector_columns_.empty()) {
    vectors_ = std::make_unique<ColumnsWriter>(context, folder, ColumnsWriter::Kind::kVector,
                                               ColumnsStoredAs(schema, ColumnStorage::kVector));
  }
}

bool GroupWriter::IsFull(int64_t waiting, int64_t row_bytes) const {
  const int64_t rows = normal_.row_count() + waiting;
  return rows > 0 && (rows >= context_.options.target_file_rows ||
                      normal_.arrow_bytes() + (waiting + 1) * row_bytes > context_.options.target_file_bytes);
}

Status GroupWriter::Write(const CheckedBatch& batch) {
  if (batch.row_count() == 0) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto normal_columns, batch.columns->SelectColumns(normal_columns_));
  const int64_t row_bytes = std::max<int64_t>(ArrowBytes(*normal_columns) / batch.row_count(), 1);
  const auto& options = context_.options;

  // Rows from `begin` on are not written yet: they go in one piece up to the next cut.
  int64_t begin = 0;
  for (const VideoSegment& segment : SegmentsOf(batch)) {
    ARROW_RETURN_NOT_OK(context_.CheckCancelled());
    const bool is_divisible = segment.videos.empty();
    const bool may_cut = is_divisible || segment.videos != last_videos_;
    const int64_t end = segment.first_row + segment.row_count;
    for (int64_t at = segment.first_row; at < end;) {
      const int64_t waiting = at - begin;
      if (may_cut && !staged_video_waits_ && IsFull(waiting, row_bytes)) {
        ARROW_RETURN_NOT_OK(WriteRows(batch, begin, waiting));
        ARROW_RETURN_NOT_OK(CloseGroup());
        begin = at;
        continue;
      }
      int64_t rows = end - at;
      if (is_divisible) {
        const int64_t row_room = options.target_file_rows - normal_.row_count() - waiting;
        const int64_t byte_room = (options.target_file_bytes - normal_.arrow_bytes()) / row_bytes - waiting;
        rows = std::clamp<int64_t>(std::min(row_room, byte_room), 1, rows);
      }
      at += rows;
    }
    last_videos_ = segment.videos;
    if (!segment.videos.empty()) staged_video_waits_ = false;
  }
  return WriteRows(batch, begin, batch.row_count() - begin);
}

Status GroupWriter::WriteRows(const CheckedBatch& batch, int64_t first_row, int64_t row_count) {
  if (row_count == 0) return Status::OK();
  const CheckedBatch rows = batch.Slice(first_row, row_count);
  ARROW_ASSIGN_OR_RAISE(const auto normal, rows.columns->SelectColumns(normal_columns_));
  ARROW_RETURN_NOT_OK(normal_.Write(normal));
  static const std::set<int64_t> kNone;
  for (auto& [position, writer] : blobs_) {
    const std::string& name = context_.schema->fields[position].name;
    const auto literal = rows.literal_blobs.find(name);
    ARROW_RETURN_NOT_OK(writer->Write(*rows.columns->GetColumnByName(name),
                                      literal == rows.literal_blobs.end() ? kNone : literal->second));
  }
  for (auto& [position, writer] : videos_) {
    ARROW_RETURN_NOT_OK(writer->Write(rows.videos.at(context_.schema->fields[position].name)));
  }
  if (vectors_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const auto vectors, rows.columns->SelectColumns(vector_columns_));
    ARROW_RETURN_NOT_OK(vectors_->Write(vectors));
  }
  return Status::OK();
}

Result<VideoColumnWriter*> GroupWriter::PrepareStaging(const std::string& column) {
  // Another camera's video of the same rows may wait in this group already.
  if (!staged_video_waits_ && IsFull(0, 1)) ARROW_RETURN_NOT_OK(CloseGroup());
  const auto found = videos_.find(context_.schema->FieldIndex(column));
  if (found == videos_.end()) return Status::Invalid("'", column, "' is no video column");
  return found->second.get();
}

void GroupWriter::AddEntries(std::vector<DataFile> files) {
  for (DataFile& file : files) {
    ManifestEntry entry;
    entry.partition = partition_;
    entry.file = std::move(file);
    entries_.push_back(std::move(entry));
  }
}

Status GroupWriter::CloseGroup() {
  staged_video_waits_ = false;
  if (normal_.row_count() == 0) {
    // At most staged videos that no row came to show.
    for (auto& [position, writer] : videos_) ARROW_RETURN_NOT_OK(writer->Discard());
    return Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto normal, normal_.Finish());
  AddEntries(std::move(normal));
  for (int i = 0; i < static_cast<int>(context_.schema->fields.size()); ++i) {
    if (const auto blob = blobs_.find(i); blob != blobs_.end()) {
      ARROW_ASSIGN_OR_RAISE(auto files, blob->second->Finish());
      AddEntries(std::move(files));
    }
    if (const auto video = videos_.find(i); video != videos_.end()) {
      ARROW_ASSIGN_OR_RAISE(auto files, video->second->Finish());
      AddEntries(std::move(files));
    }
  }
  if (vectors_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto files, vectors_->Finish());
    AddEntries(std::move(files));
  }
  return Status::OK();
}

}  // namespace reelhouse
