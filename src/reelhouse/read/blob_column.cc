#include "reelhouse/read/blob_column.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/buffer_builder.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "reelhouse/format/blob/blob_collection.h"
#include "reelhouse/read/file_ranges.h"

namespace reelhouse {
namespace {

// Payloads of collections are read to find their elements, this much at a time.
constexpr int64_t kMostPayloadBytes = 32 << 20;
constexpr int kParallelism = 16;

// The part of `positions` that lies in `rows`, as indexes.
std::pair<size_t, size_t> IndexesIn(const RowPositions& positions, RowSpan rows) {
  auto begin = std::lower_bound(positions.begin(), positions.end(), rows.first);
  auto end = std::lower_bound(begin, positions.end(), rows.first + rows.count);
  return {begin - positions.begin(), end - positions.begin()};
}

void ResolveInBlobFile(const BlobFileIndex& index, int32_t file, int64_t row, BlobCell* cell) {
  const int64_t length = index.lengths_bytes[row];
  if (length == BlobFileIndex::kPlaceholder) return;
  if (length == BlobFileIndex::kNull) {
    cell->file = BlobCell::kNull;
    return;
  }
  cell->file = file;
  cell->offset_bytes = index.offsets_bytes[row];
  cell->length_bytes = length;
}

void ResolveInVideoRun(const VideoFileIndex& index, const VideoFileIndex::Run& run, int32_t file, int64_t row,
                       BlobCell* cell) {
  if (run.payload == VideoFileIndex::Run::kPlaceholder) return;
  if (run.payload == VideoFileIndex::Run::kNull) {
    cell->file = BlobCell::kNull;
    return;
  }
  const VideoFileIndex::Payload& payload = index.payloads[run.payload];
  cell->file = file;
  cell->offset_bytes = payload.offset_bytes;
  cell->length_bytes = payload.length_bytes;
  cell->frame_index = run.first_frame_index + (row - run.first_row);
  cell->keyframe_index_offset_bytes = payload.keyframe_index_offset_bytes;
  cell->keyframe_index_length_bytes = payload.keyframe_index_length_bytes;
}

// Offsets, validity and elements of ARRAY or MAP cells while they are collected.
struct CollectionParts {
  arrow::TypedBufferBuilder<int32_t> offsets;
  arrow::TypedBufferBuilder<bool> validity;
  std::vector<BlobCell> elements;
  int64_t null_count = 0;

  Status BeginRow(bool is_valid) {
    if (elements.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return Status::CapacityError(
          "more than 2147483647 elements of blob collections in one batch; read fewer rows at "
          "a time");
    }
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(elements.size())));
    null_count += is_valid ? 0 : 1;
    return validity.Append(is_valid);
  }

  void AppendElement(const BlobCell& payload, const BlobElement& element) {
    BlobCell cell;
    if (element.length_bytes >= 0) {
      cell.file = payload.file;
      cell.offset_bytes = payload.offset_bytes + element.offset_bytes;
      cell.length_bytes = element.length_bytes;
    }
    elements.push_back(cell);
  }
};

Status AppendKeys(const BlobMap& map, std::string_view uri, const std::shared_ptr<arrow::DataType>& key_type,
                  arrow::ArrayBuilder* keys) {
  for (const std::optional<std::string>& key : map.keys) {
    if (!key) return CorruptFile(uri, -1, "a map has a NULL key, which cannot be returned");
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, DecodeBlobMapKey(*key, key_type));
    ARROW_RETURN_NOT_OK(keys->AppendScalar(*scalar));
  }
  return Status::OK();
}

}  // namespace

BlobColumn::BlobColumn(std::shared_ptr<FileStore> files, DataType type, std::vector<BlobColumnFile> newest_first)
    : files_(std::move(files)),
      type_(std::move(type)),
      column_files_(std::move(newest_first)),
      indexes_(column_files_.size()) {
  for (const BlobColumnFile& file : column_files_) cell_files_.push_back({file.uri, file.is_video});
}

Status BlobColumn::OpenFile(size_t file) {
  if (!std::holds_alternative<std::monostate>(indexes_[file])) return Status::OK();
  const BlobColumnFile& column_file = column_files_[file];
  int64_t row_count = 0;
  if (column_file.is_video) {
    ARROW_ASSIGN_OR_RAISE(VideoFileIndex index, ReadVideoFileIndex(*files_, column_file.uri, column_file.file_size));
    row_count = index.row_count;
    indexes_[file] = std::move(index);
  } else {
    ARROW_ASSIGN_OR_RAISE(BlobFileIndex index, ReadBlobFileIndex(*files_, column_file.uri, column_file.file_size));
    row_count = index.row_count();
    indexes_[file] = std::move(index);
  }
  ++files_opened_;
  if (row_count != column_file.rows.count) {
    return CorruptFile(column_file.uri, -1,
                       fmt::format("the manifest says {} rows, the file has {}", column_file.rows.count, row_count));
  }
  return Status::OK();
}

Result<std::vector<BlobCell>> BlobColumn::Resolve(const RowPositions& positions) {
  std::vector<BlobCell> cells(positions.size(), BlobCell{.file = BlobCell::kUnresolved});
  size_t unresolved = cells.size();
  for (size_t file = 0; file < column_files_.size() && unresolved > 0; ++file) {
    const RowSpan rows = column_files_[file].rows;
    auto [begin, end] = IndexesIn(positions, rows);
    auto is_unresolved = [](const BlobCell& cell) { return cell.file == BlobCell::kUnresolved; };
    if (std::none_of(cells.begin() + begin, cells.begin() + end, is_unresolved)) continue;
    ARROW_RETURN_NOT_OK(OpenFile(file));
    const auto number = static_cast<int32_t>(file);
    if (const auto* blob = std::get_if<BlobFileIndex>(&indexes_[file])) {
      for (size_t i = begin; i < end; ++i) {
        if (is_unresolved(cells[i])) ResolveInBlobFile(*blob, number, positions[i] - rows.first, &cells[i]);
      }
    } else {
      const auto& video = std::get<VideoFileIndex>(indexes_[file]);
      auto run = std::upper_bound(
          video.runs.begin(), video.runs.end(), positions[begin] - rows.first,
          [](int64_t row, const VideoFileIndex::Run& run) { return row < run.first_row + run.row_count; });
      for (size_t i = begin; i < end; ++i) {
        const int64_t row = positions[i] - rows.first;
        while (row >= run->first_row + run->row_count) ++run;
        if (is_unresolved(cells[i])) ResolveInVideoRun(video, *run, number, row, &cells[i]);
      }
    }
    unresolved = std::count_if(cells.begin(), cells.end(), is_unresolved);
  }
  if (unresolved > 0) {
    for (BlobCell& cell : cells) {
      if (cell.file == BlobCell::kUnresolved) cell.file = BlobCell::kNull;
    }
  }
  return cells;
}

Result<std::shared_ptr<arrow::Array>> BlobColumn::Read(const RowPositions& positions, bool use_threads) {
  if (type_.IsScalarBlob()) {
    ARROW_ASSIGN_OR_RAISE(auto runs, FrameRuns(positions));
    if (runs) {
      std::vector<std::string> uris;
      for (const BlobCellFile& file : cell_files_) uris.push_back(file.uri);
      return MakeFrameDescriptors(uris, *runs, positions, use_threads);
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<BlobCell> cells, Resolve(positions));
  return Descriptors(cells);
}

Result<std::optional<std::vector<FrameRun>>> BlobColumn::FrameRuns(const RowPositions& positions) {
  std::vector<FrameRun> runs;
  for (size_t begin = 0; begin < positions.size();) {
    const int64_t position = positions[begin];
    // The newest file with the row gives it, and those behind it up to the next row of a newer one.
    size_t file = 0;
    int64_t end = std::numeric_limits<int64_t>::max();
    for (; file < column_files_.size(); ++file) {
      const RowSpan rows = column_files_[file].rows;
      if (rows.first > position) end = std::min(end, rows.first);
      if (rows.first <= position && position < rows.first + rows.count) break;
    }
    if (file == column_files_.size() || !column_files_[file].is_video) return std::nullopt;
    ARROW_RETURN_NOT_OK(OpenFile(file));
    const RowSpan rows = column_files_[file].rows;
    const auto& index = std::get<VideoFileIndex>(indexes_[file]);
    const auto run = std::upper_bound(
        index.runs.begin(), index.runs.end(), position - rows.first,
        [](int64_t row, const VideoFileIndex::Run& run) { return row < run.first_row + run.row_count; });
    if (run->payload == VideoFileIndex::Run::kPlaceholder) return std::nullopt;
    end = std::min(end, rows.first + run->first_row + run->row_count);
    const size_t next = std::lower_bound(positions.begin() + begin, positions.end(), end) - positions.begin();
    FrameRun frames{.rows = next - begin};
    if (run->payload != VideoFileIndex::Run::kNull) {
      const VideoFileIndex::Payload& payload = index.payloads[run->payload];
      frames.uri = static_cast<int32_t>(file);
      frames.common.offset_bytes = payload.offset_bytes;
      frames.common.length_bytes = payload.length_bytes;
      frames.common.keyframe_index_offset_bytes = payload.keyframe_index_offset_bytes;
      frames.common.keyframe_index_length_bytes = payload.keyframe_index_length_bytes;
      // Without sign, since positions may be large: the sum with a position of the run is a frame number again.
      frames.first_frame =
          static_cast<int64_t>(static_cast<uint64_t>(run->first_frame_index) - static_cast<uint64_t>(run->first_row) -
                               static_cast<uint64_t>(rows.first));
    }
    runs.push_back(std::move(frames));
    begin = next;
  }
  return std::optional<std::vector<FrameRun>>(std::move(runs));
}

Result<std::shared_ptr<arrow::Array>> BlobColumn::Descriptors(const std::vector<BlobCell>& cells) const {
  return type_.IsScalarBlob() ? MakeDescriptors(cell_files_, cells) : CollectionDescriptors(cells);
}

Result<std::shared_ptr<arrow::Array>> BlobColumn::CollectionDescriptors(const std::vector<BlobCell>& cells) const {
  const std::shared_ptr<arrow::DataType> arrow_type = type_.ToArrow();
  const bool is_map = type_.IsMapOfBlob();
  std::unique_ptr<arrow::ArrayBuilder> keys;
  std::shared_ptr<arrow::DataType> key_type;
  if (is_map) {
    key_type = static_cast<const arrow::MapType&>(*arrow_type).key_type();
    ARROW_ASSIGN_OR_RAISE(keys, arrow::MakeBuilder(key_type));
  }
  CollectionParts parts;
  std::string payloads;
  OpenedFiles opened(*files_);
  for (size_t begin = 0; begin < cells.size();) {
    size_t end = begin;
    int64_t bytes = 0;
    while (end < cells.size() && (end == begin || bytes + cells[end].length_bytes <= kMostPayloadBytes)) {
      if (cells[end].file >= 0) bytes += cells[end].length_bytes;
      ++end;
    }
    payloads.resize(static_cast<size_t>(bytes));
    std::vector<FileRange> ranges;
    size_t at = 0;
    for (size_t i = begin; i < end; ++i) {
      const BlobCell& cell = cells[i];
      if (cell.file < 0) continue;
      ARROW_ASSIGN_OR_RAISE(const OpenedFiles::File* file, opened.Open(cell_files_[cell.file].uri));
      ARROW_RETURN_NOT_OK(file->CheckRange(cell.offset_bytes, cell.length_bytes));
      ranges.push_back({file, cell.offset_bytes, cell.length_bytes, reinterpret_cast<uint8_t*>(payloads.data()) + at});
      at += static_cast<size_t>(cell.length_bytes);
    }
    ARROW_RETURN_NOT_OK(ReadFileRanges(std::move(ranges), kParallelism));
    at = 0;
    for (size_t i = begin; i < end; ++i) {
      const BlobCell& cell = cells[i];
      ARROW_RETURN_NOT_OK(parts.BeginRow(cell.file >= 0));
      if (cell.file < 0) continue;
      const std::string& uri = cell_files_[cell.file].uri;
      auto payload = std::string_view(payloads).substr(at, static_cast<size_t>(cell.length_bytes));
      at += payload.size();
      if (is_map) {
        ARROW_ASSIGN_OR_RAISE(BlobMap map, DecodeBlobMap(payload, uri));
        ARROW_RETURN_NOT_OK(AppendKeys(map, uri, key_type, keys.get()));
        for (const BlobElement& element : map.values) parts.AppendElement(cell, element);
      } else {
        ARROW_ASSIGN_OR_RAISE(std::vector<BlobElement> elements, DecodeBlobArray(payload, uri));
        for (const BlobElement& element : elements) parts.AppendElement(cell, element);
      }
    }
    begin = end;
  }
  ARROW_RETURN_NOT_OK(parts.offsets.Append(static_cast<int32_t>(parts.elements.size())));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> values, MakeDescriptors(cell_files_, parts.elements));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets, parts.offsets.Finish());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, parts.validity.Finish());
  if (parts.null_count == 0) validity = nullptr;
  const auto count = static_cast<int64_t>(cells.size());
  if (!is_map) {
    return std::make_shared<arrow::ListArray>(arrow_type, count, offsets, values, validity, parts.null_count);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> key_array, keys->Finish());
  return std::make_shared<arrow::MapArray>(arrow_type, count, offsets, key_array, values, validity, parts.null_count);
}

}  // namespace reelhouse
