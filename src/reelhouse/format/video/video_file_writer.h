#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// One `.video` file being written: payloads first, then which row shows which frame of which payload (format notes,
/// 6). One payload is open at a time. Unfinished = nothing left behind. Not thread safe.
class VideoFileWriter {
 public:
  explicit VideoFileWriter(std::unique_ptr<OutputFile> file);
  ~VideoFileWriter();

  /// Starts the next payload at the end of the file; `payload_file()` takes its bytes until EndPayload.
  Status BeginPayload();
  OutputFile& payload_file();
  /// Offset of the open payload in the file.
  int64_t payload_offset_bytes() const;
  /// Ends the open payload; `keyframe_index` is stored as it is (may be empty). Gives its ordinal.
  Result<int64_t> EndPayload(std::string_view keyframe_index);

  /// Rows, in order: consecutive frames of a payload, NULLs, or placeholders.
  Status AppendFrames(int64_t payload_ordinal, int64_t first_frame_index, int64_t row_count);
  Status AppendNulls(int64_t row_count);
  Status AppendPlaceholders(int64_t row_count);

  /// Payload and keyframe index bytes so far (what rolling measures).
  int64_t content_bytes() const;
  int64_t row_count() const;
  const std::string& path() const;

  /// Writes indexes and footer and finishes the file. Gives its size.
  Result<int64_t> Finish();
  Status Discard();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
