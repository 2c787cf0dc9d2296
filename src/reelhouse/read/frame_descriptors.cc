#include "reelhouse/read/frame_descriptors.h"

#include <algorithm>
#include <cstring>

#include <arrow/array/array_binary.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/base/thread_pool.h"

namespace reelhouse {
namespace {

// Where the frame index lies in a descriptor, from its end.
constexpr size_t kFrameFromEnd = 3 * 8;
constexpr size_t kRowsOfTask = 16384;

// Rows of one run that one thread makes.
struct Task {
  const FrameRun* run = nullptr;
  size_t first_row = 0;
  size_t rows = 0;
  int64_t first_byte = 0;
};

}  // namespace

Result<std::shared_ptr<arrow::Array>> MakeFrameDescriptors(const std::vector<std::string>& uris,
                                                           const std::vector<FrameRun>& runs,
                                                           std::span<const int64_t> positions, bool use_threads) {
  const auto count = static_cast<int64_t>(positions.size());
  const auto size_of = [&](const FrameRun& run) {
    return run.uri == FrameRun::kNull ? 0 : VideoFrameDescriptor{.uri = uris[run.uri]}.SerializedSize();
  };
  std::vector<Task> tasks;
  size_t row = 0;
  int64_t bytes = 0, null_count = 0;
  for (const FrameRun& run : runs) {
    const int64_t size = size_of(run);
    for (size_t done = 0; done < run.rows;) {
      const size_t rows = std::min(run.rows - done, kRowsOfTask);
      tasks.push_back({&run, row, rows, bytes});
      row += rows;
      done += rows;
      bytes += static_cast<int64_t>(rows) * size;
    }
    if (run.uri == FrameRun::kNull) null_count += static_cast<int64_t>(run.rows);
  }
  if (row != positions.size()) return Status::Invalid("frame runs of ", row, " rows for ", count, " positions");

  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets_buffer,
                        arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(int64_t))));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> data, arrow::AllocateBuffer(bytes));
  auto* const offsets = reinterpret_cast<int64_t*>(offsets_buffer->mutable_data());
  offsets[count] = bytes;
  const auto make = [&](const Task& task) {
    const FrameRun& run = *task.run;
    int64_t offset = task.first_byte;
    if (run.uri == FrameRun::kNull) {
      std::fill_n(offsets + task.first_row, task.rows, offset);
      return;
    }
    VideoFrameDescriptor descriptor = run.common;
    descriptor.uri = uris[run.uri];
    const std::string same = descriptor.Serialize();
    const size_t frame_at = same.size() - kFrameFromEnd;
    const auto first_frame = static_cast<uint64_t>(run.first_frame);
    uint8_t* to = data->mutable_data() + offset;
    for (size_t i = 0; i < task.rows; ++i) {
      offsets[task.first_row + i] = offset;
      offset += static_cast<int64_t>(same.size());
      std::memcpy(to, same.data(), same.size());
      StoreLe64(to + frame_at, first_frame + static_cast<uint64_t>(positions[task.first_row + i]));
      to += same.size();
    }
  };
  // Short runs share a task of the loop.
  const size_t loops = std::max<size_t>(std::min(tasks.size(), positions.size() / kRowsOfTask), 1);
  ARROW_RETURN_NOT_OK(ParallelFor(
      static_cast<int64_t>(loops),
      [&](int64_t loop) {
        const size_t begin = tasks.size() * static_cast<size_t>(loop) / loops;
        const size_t end = tasks.size() * (static_cast<size_t>(loop) + 1) / loops;
        for (size_t i = begin; i < end; ++i) make(tasks[i]);
        return Status::OK();
      },
      use_threads ? 0 : 1));

  std::shared_ptr<arrow::Buffer> validity;
  if (null_count > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(count));
    for (const Task& task : tasks) {
      arrow::bit_util::SetBitsTo(validity->mutable_data(), static_cast<int64_t>(task.first_row),
                                 static_cast<int64_t>(task.rows), task.run->uri != FrameRun::kNull);
    }
  }
  return std::make_shared<arrow::LargeBinaryArray>(count, std::move(offsets_buffer), std::move(data),
                                                   std::move(validity), null_count);
}

}  // namespace reelhouse
