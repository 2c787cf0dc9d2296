#include "reelhouse/write/checked_batch.h"

#include <algorithm>
#include <unordered_set>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>

#include "reelhouse/write/columns_writer.h"

namespace reelhouse {
namespace {

// Adds rows to runs, joining them to the last run where they continue it.
void AppendRun(std::vector<CheckedRun>& runs, const CheckedRun& run) {
  if (!runs.empty()) {
    CheckedRun& last = runs.back();
    const bool continues = last.video == run.video &&
                           (run.video == nullptr || last.first_frame_index + last.row_count == run.first_frame_index);
    if (continues) {
      last.row_count += run.row_count;
      return;
    }
  }
  runs.push_back(run);
}

CheckedRun Part(const CheckedRun& run, int64_t skipped, int64_t row_count) {
  return {run.video, run.video == nullptr ? 0 : run.first_frame_index + skipped, row_count};
}

}  // namespace

std::vector<CheckedRun> SliceRuns(const std::vector<CheckedRun>& runs, int64_t first_row, int64_t row_count) {
  std::vector<CheckedRun> slice;
  int64_t at = 0;
  for (const CheckedRun& run : runs) {
    const int64_t begin = std::max(at, first_row);
    const int64_t end = std::min(at + run.row_count, first_row + row_count);
    if (begin < end) slice.push_back(Part(run, begin - at, end - begin));
    at += run.row_count;
    if (at >= first_row + row_count) break;
  }
  return slice;
}

std::vector<CheckedRun> SelectRuns(const std::vector<CheckedRun>& runs, const std::vector<int64_t>& rows) {
  std::vector<CheckedRun> selected;
  size_t run = 0;
  int64_t run_begin = 0;
  for (const int64_t row : rows) {
    while (row >= run_begin + runs[run].row_count) run_begin += runs[run++].row_count;
    AppendRun(selected, Part(runs[run], row - run_begin, 1));
  }
  return selected;
}

int64_t CheckedBatch::row_count() const { return columns->num_rows(); }

int64_t CheckedBatch::MemoryBytes() const {
  int64_t bytes = ArrowBytes(*columns);
  std::unordered_set<const CheckedVideo*> counted;
  for (const auto& [name, runs] : videos) {
    for (const CheckedRun& run : runs) {
      if (run.video == nullptr || !counted.insert(run.video.get()).second) continue;
      bytes += static_cast<int64_t>(run.video->keyframe_index.size());
      if (run.video->payload->bytes != nullptr) bytes += run.video->payload->bytes->size();
    }
  }
  return bytes;
}

CheckedBatch CheckedBatch::Slice(int64_t first_row, int64_t row_count) const {
  CheckedBatch slice;
  slice.columns = columns->Slice(first_row, row_count);
  for (const auto& [name, runs] : videos) slice.videos[name] = SliceRuns(runs, first_row, row_count);
  for (const auto& [name, rows] : literal_blobs) {
    auto& shifted = slice.literal_blobs[name];
    for (auto row = rows.lower_bound(first_row); row != rows.end() && *row < first_row + row_count; ++row) {
      shifted.insert(*row - first_row);
    }
  }
  return slice;
}

Result<CheckedBatch> CheckedBatch::Select(const std::vector<int64_t>& rows) const {
  arrow::Int64Builder indices;
  ARROW_RETURN_NOT_OK(indices.AppendValues(rows));
  ARROW_ASSIGN_OR_RAISE(const auto index_array, indices.Finish());
  CheckedBatch selected;
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                        arrow::compute::Take(arrow::Datum(columns), arrow::Datum(index_array)));
  selected.columns = taken.record_batch();
  for (const auto& [name, runs] : videos) selected.videos[name] = SelectRuns(runs, rows);
  for (const auto& [name, literal] : literal_blobs) {
    auto& kept = selected.literal_blobs[name];
    for (size_t i = 0; i < rows.size() && !literal.empty(); ++i) {
      if (literal.contains(rows[i])) kept.insert(static_cast<int64_t>(i));
    }
  }
  return selected;
}

std::vector<VideoSegment> SegmentsOf(const CheckedBatch& batch) {
  struct Cursor {
    const std::vector<CheckedRun>* runs;
    size_t run = 0;
    int64_t left = 0;  // rows of the run
  };
  std::vector<Cursor> cursors;
  for (const auto& [name, runs] : batch.videos) {
    cursors.push_back({&runs, 0, runs.empty() ? 0 : runs[0].row_count});
  }
  std::vector<VideoSegment> segments;
  for (int64_t row = 0; row < batch.row_count();) {
    int64_t rows = batch.row_count() - row;
    bool has_video = false;
    std::string key;
    for (const Cursor& cursor : cursors) {
      rows = std::min(rows, cursor.left);
      const auto& video = (*cursor.runs)[cursor.run].video;
      has_video = has_video || video != nullptr;
      key += (video == nullptr ? "" : video->identity) + '\n';
    }
    if (!has_video) key.clear();
    if (!segments.empty() && segments.back().videos == key) {
      segments.back().row_count += rows;
    } else {
      segments.push_back({row, rows, std::move(key)});
    }
    for (Cursor& cursor : cursors) {
      cursor.left -= rows;
      if (cursor.left == 0 && ++cursor.run < cursor.runs->size()) cursor.left = (*cursor.runs)[cursor.run].row_count;
    }
    row += rows;
  }
  return segments;
}

}  // namespace reelhouse
