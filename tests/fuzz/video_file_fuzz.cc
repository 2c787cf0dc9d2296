// Whatever the bytes, the reader of `.video` files refuses them or gives ranges that lie inside them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "reelhouse/format/video/video_file_reader.h"
#include "tests/support/bytes_file_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  reelhouse::BytesFileStore files({reinterpret_cast<const char*>(data), size});
  const auto file_size = static_cast<int64_t>(size);
  const auto index = reelhouse::ReadVideoFileIndex(files, "fuzz.video", file_size);
  if (!index.ok()) return 0;
  int64_t payload_end = 0;
  for (const auto& payload : index->payloads) {
    if (payload.offset_bytes != payload_end || payload.length_bytes <= 0) std::abort();
    payload_end += payload.length_bytes;
    if (payload_end > file_size) std::abort();
    const int64_t index_end = payload.keyframe_index_offset_bytes + payload.keyframe_index_length_bytes;
    if (payload.keyframe_index_length_bytes > 0 && (payload.keyframe_index_offset_bytes < 0 || index_end > file_size)) {
      std::abort();
    }
  }
  int64_t rows = 0;
  for (const auto& run : index->runs) {
    if (run.first_row != rows || run.row_count <= 0 || run.first_frame_index < 0) std::abort();
    if (run.payload < -2 || run.payload >= static_cast<int64_t>(index->payloads.size())) std::abort();
    rows += run.row_count;
  }
  if (rows != index->row_count) std::abort();
  return 0;
}
