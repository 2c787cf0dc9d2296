#include "reelhouse/read/blob_cell.h"

#include <cstring>

#include <arrow/array/array_binary.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"

namespace reelhouse {
namespace {

// The numbers behind the URI: offset and length, and for a frame also its index and where its keyframe index lies.
constexpr size_t kBlobNumbersBytes = 2 * 8;
constexpr size_t kFrameNumbersBytes = 5 * 8;

// What all descriptors into one file begin with.
std::string PrefixOf(const BlobCellFile& file) {
  if (file.is_video) {
    std::string bytes = VideoFrameDescriptor{.uri = file.uri}.Serialize();
    bytes.resize(bytes.size() - kFrameNumbersBytes);
    return bytes;
  }
  std::string bytes = BlobDescriptor{.uri = file.uri}.Serialize();
  bytes.resize(bytes.size() - kBlobNumbersBytes);
  return bytes;
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> MakeDescriptors(const std::vector<BlobCellFile>& files,
                                                      const std::vector<BlobCell>& cells) {
  std::vector<std::string> prefixes;
  prefixes.reserve(files.size());
  for (const BlobCellFile& file : files) prefixes.push_back(PrefixOf(file));

  const auto count = static_cast<int64_t>(cells.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets_buffer,
                        arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(int64_t))));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity, arrow::AllocateEmptyBitmap(count));
  auto* offsets = reinterpret_cast<int64_t*>(offsets_buffer->mutable_data());
  int64_t end = 0;
  int64_t null_count = 0;
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = end;
    const int32_t file = cells[i].file;
    if (file < 0) {
      ++null_count;
      continue;
    }
    arrow::bit_util::SetBit(validity->mutable_data(), i);
    end +=
        static_cast<int64_t>(prefixes[file].size() + (files[file].is_video ? kFrameNumbersBytes : kBlobNumbersBytes));
  }
  offsets[count] = end;

  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> data, arrow::AllocateBuffer(end));
  uint8_t* to = data->mutable_data();
  for (const BlobCell& cell : cells) {
    if (cell.file < 0) continue;
    const std::string& prefix = prefixes[cell.file];
    std::memcpy(to, prefix.data(), prefix.size());
    to += prefix.size();
    StoreLe64(to, static_cast<uint64_t>(cell.offset_bytes));
    StoreLe64(to + 8, static_cast<uint64_t>(cell.length_bytes));
    to += kBlobNumbersBytes;
    if (!files[cell.file].is_video) continue;
    StoreLe64(to, static_cast<uint64_t>(cell.frame_index));
    StoreLe64(to + 8, static_cast<uint64_t>(cell.keyframe_index_offset_bytes));
    StoreLe64(to + 16, static_cast<uint64_t>(cell.keyframe_index_length_bytes));
    to += kFrameNumbersBytes - kBlobNumbersBytes;
  }
  return std::make_shared<arrow::LargeBinaryArray>(count, std::move(offsets_buffer), std::move(data),
                                                   null_count > 0 ? std::move(validity) : nullptr, null_count);
}

}  // namespace reelhouse
