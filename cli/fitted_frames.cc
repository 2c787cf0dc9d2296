#include "cli/fitted_frames.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "reelhouse/format/video/video_frame_descriptor.h"

namespace reelhouse::cli {

namespace {

/// Rows whose frames are of one video.
struct VideoRows {
  arrow::LargeBinaryBuilder cells;
  arrow::Int64Builder row_ids;
  std::vector<int64_t> rows;  ///< where they were
};

std::string_view CellOf(const arrow::Array& cells, int64_t row) {
  return static_cast<const arrow::LargeBinaryArray&>(cells).GetView(row);
}

/// Groups of rows by video, in the order of the first row of each.
Result<std::vector<std::unique_ptr<VideoRows>>> GroupByVideo(const arrow::Array& cells,
                                                             const arrow::Int64Array& row_ids) {
  std::vector<std::unique_ptr<VideoRows>> groups;
  std::map<std::pair<std::string, int64_t>, VideoRows*> known;
  for (int64_t row = 0; row < cells.length(); ++row) {
    if (cells.IsNull(row)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto descriptor, VideoFrameDescriptor::Deserialize(CellOf(cells, row)));
    VideoRows*& group = known[{descriptor.uri, descriptor.offset_bytes}];
    if (!group) {
      groups.push_back(std::make_unique<VideoRows>());
      group = groups.back().get();
    }
    ARROW_RETURN_NOT_OK(group->cells.Append(CellOf(cells, row)));
    ARROW_RETURN_NOT_OK(group->row_ids.Append(row_ids.Value(row)));
    group->rows.push_back(row);
  }
  return groups;
}

}  // namespace

Result<std::optional<PictureSize>> SizeOfFirstFrame(FrameReader& reader, const arrow::Array& cells,
                                                    const FrameRequest& request) {
  for (int64_t row = 0; row < cells.length(); ++row) {
    if (cells.IsNull(row)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto frames, reader.Read(*cells.Slice(row, 1), nullptr, request));
    if (frames.front()) return PictureSize{frames.front()->width, frames.front()->height};
  }
  return std::nullopt;
}

Status ReadFittedFrames(FrameReader& reader, const arrow::Array& cells, const arrow::Int64Array& row_ids,
                        const FrameRequest& request, std::optional<PictureSize> box, const FrameTaker& take) {
  if (!box) return reader.ReadInto(cells, &row_ids, request, take);
  ARROW_ASSIGN_OR_RAISE(auto groups, GroupByVideo(cells, row_ids));
  for (const auto& group : groups) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> group_cells, group->cells.Finish());
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> group_row_ids, group->row_ids.Finish());
    ARROW_ASSIGN_OR_RAISE(const std::optional<PictureSize> size, SizeOfFirstFrame(reader, *group_cells, request));
    if (!size) continue;
    const PictureSize fitted = FitInto(*size, *box);
    FrameRequest scaled = request;
    scaled.format.height = fitted.height;
    scaled.format.width = fitted.width;
    ARROW_RETURN_NOT_OK(reader.ReadInto(*group_cells, static_cast<const arrow::Int64Array*>(group_row_ids.get()),
                                        scaled, [&](int64_t position, DecodedFrame frame) {
                                          return take(group->rows[static_cast<size_t>(position)], std::move(frame));
                                        }));
  }
  return Status::OK();
}

}  // namespace reelhouse::cli
