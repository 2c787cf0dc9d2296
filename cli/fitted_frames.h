#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <arrow/type_fwd.h>

#include "cli/contact_sheet.h"
#include "reelhouse/read/frame_reader.h"

namespace reelhouse::cli {

/// Takes the frame of a row; called from several threads, never twice for one row.
using FrameTaker = std::function<Status(int64_t row, DecodedFrame frame)>;

/// Reads the frames of rows that have one. With `box` each comes at the largest size that keeps the shape of its video
/// and fits into the box; without, at its own size.
Status ReadFittedFrames(FrameReader& reader, const arrow::Array& cells, const arrow::Int64Array& row_ids,
                        const FrameRequest& request, std::optional<PictureSize> box, const FrameTaker& take);

/// The size of the frame of the first row that has one, nothing if none has.
Result<std::optional<PictureSize>> SizeOfFirstFrame(FrameReader& reader, const arrow::Array& cells,
                                                    const FrameRequest& request);

}  // namespace reelhouse::cli
