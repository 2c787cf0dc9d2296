#include "reelhouse/read/file_ranges.h"

#include <algorithm>
#include <cstring>
#include <map>
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
  arrow::io::RandomAccessFile* file = nullptr;
};

Status ReadExactly(arrow::io::RandomAccessFile& file, std::string_view path, int64_t offset_bytes, int64_t length_bytes,
                   uint8_t* destination) {
  Result<int64_t> read = file.ReadAt(offset_bytes, length_bytes, destination);
  if (!read.ok()) return Prefixed(path, read.status());
  if (*read != length_bytes) {
    return CorruptFile(path, offset_bytes, fmt::format("expected {} bytes, found {}", length_bytes, *read));
  }
  return Status::OK();
}

Status ReadBlock(const std::vector<FileRange>& ranges, const Block& block) {
  const FileRange& first = ranges[block.first];
  if (block.last == block.first + 1) {
    return ReadExactly(*block.file, first.path, first.offset_bytes, first.length_bytes, first.destination);
  }
  const int64_t length_bytes = block.end_bytes - first.offset_bytes;
  auto bytes = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(length_bytes));
  ARROW_RETURN_NOT_OK(ReadExactly(*block.file, first.path, first.offset_bytes, length_bytes, bytes.get()));
  for (size_t i = block.first; i < block.last; ++i) {
    const FileRange& range = ranges[i];
    std::memcpy(range.destination, bytes.get() + (range.offset_bytes - first.offset_bytes),
                static_cast<size_t>(range.length_bytes));
  }
  return Status::OK();
}

}  // namespace

Status ReadFileRanges(FileStore& files, std::vector<FileRange> ranges, int parallelism) {
  std::sort(ranges.begin(), ranges.end(), [](const FileRange& a, const FileRange& b) {
    return std::tie(a.path, a.offset_bytes) < std::tie(b.path, b.offset_bytes);
  });
  std::map<std::string_view, std::shared_ptr<arrow::io::RandomAccessFile>> open;
  std::vector<Block> blocks;
  int64_t file_size = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const FileRange& range = ranges[i];
    const bool is_new_file = i == 0 || range.path != ranges[i - 1].path;
    if (is_new_file) {
      ARROW_ASSIGN_OR_RAISE(auto file, files.OpenInput(std::string(range.path)));
      ARROW_ASSIGN_OR_RAISE(file_size, file->GetSize());
      open.emplace(range.path, std::move(file));
    }
    if (range.offset_bytes < 0 || range.length_bytes < 0 || range.offset_bytes > file_size ||
        range.length_bytes > file_size - range.offset_bytes) {
      return CorruptFile(
          range.path, range.offset_bytes,
          fmt::format("{} bytes are expected here, but the file ends at byte {}", range.length_bytes, file_size));
    }
    if (range.length_bytes == 0) continue;
    const int64_t end = range.offset_bytes + range.length_bytes;
    if (!is_new_file && !blocks.empty() && blocks.back().file == open[range.path].get()) {
      Block& block = blocks.back();
      const int64_t merged = std::max(block.end_bytes, end) - ranges[block.first].offset_bytes;
      if (block.last == i && range.offset_bytes - block.end_bytes <= kMostGapBytes && merged <= kMostBlockBytes) {
        block.end_bytes = std::max(block.end_bytes, end);
        block.last = i + 1;
        continue;
      }
    }
    blocks.push_back({i, i + 1, end, open[range.path].get()});
  }
  return ParallelFor(
      static_cast<int64_t>(blocks.size()), [&](int64_t i) { return ReadBlock(ranges, blocks[i]); },
      std::max(parallelism, 1));
}

}  // namespace reelhouse
