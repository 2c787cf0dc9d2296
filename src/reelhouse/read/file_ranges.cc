#include "reelhouse/read/file_ranges.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include "reelhouse/base/thread_pool.h"

namespace reelhouse {
namespace {

// Bytes between two ranges that cost less to read than another call, and the most that one call reads for several.
constexpr int64_t kMostGapBytes = 64 << 10;
constexpr int64_t kMostBlockBytes = 8 << 20;

// Ranges [first, last) of the sorted list, read with one call.
struct Block {
  size_t first = 0;
  size_t last = 0;
  int64_t end_bytes = 0;
};

Status ReadExactly(const OpenedFiles::File& file, int64_t offset_bytes, int64_t length_bytes, uint8_t* destination) {
  Result<int64_t> read = file.file->ReadAt(offset_bytes, length_bytes, destination);
  if (!read.ok()) return Prefixed(file.path, read.status());
  if (*read != length_bytes) {
    return CorruptFile(file.path, offset_bytes, fmt::format("expected {} bytes, found {}", length_bytes, *read));
  }
  return Status::OK();
}

Status ReadBlock(const std::vector<FileRange>& ranges, const Block& block) {
  const FileRange& first = ranges[block.first];
  if (block.last == block.first + 1) {
    return ReadExactly(*first.file, first.offset_bytes, first.length_bytes, first.destination);
  }
  const int64_t length_bytes = block.end_bytes - first.offset_bytes;
  auto bytes = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(length_bytes));
  ARROW_RETURN_NOT_OK(ReadExactly(*first.file, first.offset_bytes, length_bytes, bytes.get()));
  for (size_t i = block.first; i < block.last; ++i) {
    const FileRange& range = ranges[i];
    std::memcpy(range.destination, bytes.get() + (range.offset_bytes - first.offset_bytes),
                static_cast<size_t>(range.length_bytes));
  }
  return Status::OK();
}

}  // namespace

Status OpenedFiles::File::CheckRange(int64_t offset_bytes, int64_t length_bytes) const {
  if (offset_bytes >= 0 && length_bytes >= 0 && offset_bytes <= size_bytes &&
      length_bytes <= size_bytes - offset_bytes) {
    return Status::OK();
  }
  return CorruptFile(path, offset_bytes,
                     fmt::format("{} bytes are expected here, but the file ends at byte {}", length_bytes, size_bytes));
}

Result<const OpenedFiles::File*> OpenedFiles::Open(const std::string& path) {
  auto found = opened_.find(path);
  if (found != opened_.end()) return found->second.get();
  auto opened = std::make_unique<File>();
  opened->path = path;
  ARROW_ASSIGN_OR_RAISE(opened->file, files_.OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(opened->size_bytes, opened->file->GetSize());
  return opened_.emplace(path, std::move(opened)).first->second.get();
}

Status ReadFileRanges(std::vector<FileRange> ranges, int parallelism) {
  std::erase_if(ranges, [](const FileRange& range) { return range.length_bytes == 0; });
  std::sort(ranges.begin(), ranges.end(), [](const FileRange& a, const FileRange& b) {
    return std::tie(a.file->path, a.offset_bytes) < std::tie(b.file->path, b.offset_bytes);
  });
  std::vector<Block> blocks;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const FileRange& range = ranges[i];
    const int64_t end = range.offset_bytes + range.length_bytes;
    if (i > 0 && range.file == ranges[i - 1].file) {
      Block& block = blocks.back();
      const int64_t merged_end = std::max(block.end_bytes, end);
      if (range.offset_bytes - block.end_bytes <= kMostGapBytes &&
          merged_end - ranges[block.first].offset_bytes <= kMostBlockBytes) {
        block.end_bytes = merged_end;
        block.last = i + 1;
        continue;
      }
    }
    blocks.push_back({i, i + 1, end});
  }
  return ParallelFor(
      static_cast<int64_t>(blocks.size()), [&](int64_t i) { return ReadBlock(ranges, blocks[i]); },
      std::max(parallelism, 1));
}

}  // namespace reelhouse
