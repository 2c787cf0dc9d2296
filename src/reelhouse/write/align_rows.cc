#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <arrow/api.h>
#include <fmt/format.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/format/parquet/column_cast.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/write/row_batch.h"

namespace reelhouse {
namespace {

std::string ListOfNames(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ", ";
    text += "'" + name + "'";
  }
  return text + "]";
}

Status UnknownColumn(const std::string& name, const TableSchema& schema) {
  const std::vector<std::string> names = schema.FieldNames();
  const std::string nearest = NearestName(name, names);
  const std::string hint = nearest.empty() ? "" : " Did you mean '" + nearest + "'?";
  return Status::Invalid("Unknown column '", name, "' in rows.", hint, " Columns: ", ListOfNames(names));
}

Result<int64_t> FirstNull(const arrow::Array& values) {
  for (int64_t row = 0; row < values.length(); ++row) {
    if (values.IsNull(row)) return row;
  }
  return Status::Invalid("no value is NULL");
}

Status CheckNulls(const arrow::Array& values, const DataField& field, bool null_vectors_allowed) {
  if (values.null_count() == 0) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const int64_t row, FirstNull(values));
  if (!field.type.nullable()) {
    return Status::Invalid("Column '", field.name, "' is declared non-nullable but contains nulls (first in row ", row,
                           ")");
  }
  if (field.type.root() == TypeRoot::kVector && !null_vectors_allowed) {
    return Status::Invalid("Column '", field.name, "', row ", row,
                           ": NULL in a vector column would make the column unreadable for pypaimon. Leave such rows "
                           "out, or set the table option 'reelhouse.null-vectors' to true.");
  }
  return Status::OK();
}

// Turns the cells of a video column into runs. Neighbours mostly name the next frame of the same video, and are then
// compared as bytes without being parsed.
class RunCollector {
 public:
  RunCollector(const std::string& column, const ReferencePolicy& references)
      : column_(column), references_(references) {}

  Status Add(int64_t row, std::string_view cell) {
    if (IsNextFrame(cell)) {
      ++runs_.back().row_count;
      ++last_frame_index_;
      return Status::OK();
    }
    const auto descriptor = VideoFrameDescriptor::Parse(cell);
    if (!descriptor) {
      std::string why;
      if (VideoFrameDescriptor::HasMagic(cell)) {
        why = ": " + VideoFrameDescriptor::Deserialize(cell).status().message();
      }
      return Status::Invalid("Video fields require an exact BlobRef containing a VideoFrameDescriptor. (Column '",
                             column_, "', row ", row, why, ")");
    }
    ARROW_ASSIGN_OR_RAISE(auto payload, PayloadOf(*descriptor, row));
    last_cell_ = cell;
    last_frame_index_ = descriptor->frame_index;
    runs_.push_back({std::move(payload), descriptor->frame_index, 1});
    return Status::OK();
  }

  void AddNulls(int64_t rows) {
    last_cell_ = {};
    if (!runs_.empty() && runs_.back().payload == nullptr) {
      runs_.back().row_count += rows;
    } else if (rows > 0) {
      runs_.push_back({nullptr, 0, rows});
    }
  }

  std::vector<VideoRun> Take() { return std::move(runs_); }

 private:
  bool IsNextFrame(std::string_view cell) const {
    constexpr size_t kAfterFrameIndex = 16;
    if (last_cell_.empty() || cell.size() != last_cell_.size()) return false;
    const size_t frame_at = cell.size() - kAfterFrameIndex - 8;
    return std::memcmp(cell.data(), last_cell_.data(), frame_at) == 0 &&
           std::memcmp(cell.data() + frame_at + 8, last_cell_.data() + frame_at + 8, kAfterFrameIndex) == 0 &&
           static_cast<int64_t>(LoadLe64(cell.data() + frame_at)) == last_frame_index_ + 1;
  }

  Result<std::shared_ptr<const VideoPayload>> PayloadOf(const VideoFrameDescriptor& descriptor, int64_t row) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", descriptor.uri, descriptor.offset_bytes, descriptor.length_bytes,
                    descriptor.keyframe_index_offset_bytes, descriptor.keyframe_index_length_bytes);
    auto& payload = payloads_[key];
    if (payload == nullptr) {
      ARROW_RETURN_NOT_OK(references_.Check(descriptor.uri, column_, row));
      auto made = std::make_shared<VideoPayload>();
      made->name = descriptor.uri;
      made->location = descriptor.uri;
      made->offset_bytes = descriptor.offset_bytes;
      made->length_bytes = descriptor.length_bytes;
      made->keyframe_index_offset_bytes = descriptor.keyframe_index_offset_bytes;
      made->keyframe_index_length_bytes = descriptor.keyframe_index_length_bytes;
      payload = std::move(made);
    }
    return payload;
  }

  const std::string& column_;
  const ReferencePolicy& references_;
  std::unordered_map<std::string, std::shared_ptr<const VideoPayload>> payloads_;
  std::vector<VideoRun> runs_;
  std::string_view last_cell_;  // of the last row, empty after NULL
  int64_t last_frame_index_ = 0;
};

Result<std::vector<VideoRun>> AlignVideo(const std::shared_ptr<arrow::Array>& values, const DataField& field,
                                         const ReferencePolicy& references) {
  auto cast = CastColumn(values, arrow::large_binary(), CastRule::kExact);
  if (!cast.ok()) {
    return Status::Invalid("Video fields require an exact BlobRef containing a VideoFrameDescriptor. (Column '",
                           field.name, "' holds ", values->type()->ToString(), ")");
  }
  const auto& cells = static_cast<const arrow::LargeBinaryArray&>(**cast);
  RunCollector runs(field.name, references);
  for (int64_t row = 0; row < cells.length(); ++row) {
    if (cells.IsNull(row)) {
      runs.AddNulls(1);
    } else {
      ARROW_RETURN_NOT_OK(runs.Add(row, cells.GetView(row)));
    }
  }
  return runs.Take();
}

Result<std::shared_ptr<arrow::Array>> AlignColumn(const std::shared_ptr<arrow::Array>& values, const DataField& field,
                                                  int64_t rows) {
  const auto type = field.type.ToArrow();
  if (values == nullptr) return arrow::MakeArrayOfNull(type, rows);
  auto cast = CastColumn(values, type, CastRule::kExact);
  if (!cast.ok()) return Prefixed("Column '" + field.name + "'", cast.status());
  return cast;
}

}  // namespace

Result<RowBatch> AlignRows(const std::shared_ptr<arrow::RecordBatch>& input, const TableSchema& schema,
                           const ReferencePolicy& references, const std::set<std::string>& ignored) {
  std::unordered_map<std::string, std::shared_ptr<arrow::Array>> given;
  for (int i = 0; i < input->num_columns(); ++i) {
    const std::string& name = input->column_name(i);
    if (ignored.contains(name)) continue;
    if (schema.FindField(name) == nullptr) return UnknownColumn(name, schema);
    if (!given.emplace(name, input->column(i)).second) {
      return Status::Invalid("Column '", name, "' is there twice in rows.");
    }
  }
  ARROW_ASSIGN_OR_RAISE(const bool null_vectors_allowed, schema.options.GetBool("reelhouse.null-vectors", false));
  const int64_t rows = input->num_rows();
  RowBatch batch;
  batch.references = references;
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const DataField& field : schema.fields) {
    const auto found = given.find(field.name);
    const auto values = found == given.end() ? nullptr : found->second;
    if (schema.StorageOf(field) == ColumnStorage::kVideo) {
      if (values == nullptr) continue;
      ARROW_ASSIGN_OR_RAISE(batch.videos[field.name], AlignVideo(values, field, references));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto array, AlignColumn(values, field, rows));
    ARROW_RETURN_NOT_OK(CheckNulls(*array, field, null_vectors_allowed));
    fields.push_back(ToArrowField(field));
    arrays.push_back(std::move(array));
  }
  batch.columns = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
  return batch;
}

}  // namespace reelhouse
