#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/media/frame_decoder.h"

namespace reelhouse {

/// What to do with a frame that cannot be had.
enum class OnFrameError { kRaise, kNull };

struct FrameRequest {
  FrameFormat format;
  OnFrameError on_error = OnFrameError::kRaise;
  int threads = 0;  ///< 0 = as many as there are
  /// Of a frame: videos with larger ones are refused by their headers. Nothing = `kDefaultMaxPixels`, or, where a query
  /// asks, what the table says.
  std::optional<int64_t> max_pixels;
  CancellationCheck cancelled;
};

/// Frames for rows: groups the descriptors of a video column by video, decodes each video once in ascending frame
/// order, videos side by side on the cores, and gives the frames back in the order of the rows. Thread safe.
class FrameReader {
 public:
  FrameReader(std::shared_ptr<FileStore> files, std::vector<std::string> roots);
  ~FrameReader();

  /// `cells`: a large_binary (or binary) array of serialized VideoFrameDescriptors. The result has one frame a cell,
  /// nothing for NULL cells and, with kNull, for frames that cannot be had. `row_ids` (may be null) names rows in
  /// errors.
  Result<std::vector<std::optional<DecodedFrame>>> Read(const arrow::Array& cells, const arrow::Int64Array* row_ids,
                                                        const FrameRequest& request);

  /// As Read, handing each frame over as soon as it is there: `take(position, frame)`, from several threads, never two
  /// calls with one position.
  Status ReadInto(const arrow::Array& cells, const arrow::Int64Array* row_ids, const FrameRequest& request,
                  const std::function<Status(int64_t, DecodedFrame)>& take);

  DecoderStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
