#include "reelhouse/io/range_copy.h"

#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "reelhouse/io/file_descriptor.h"

namespace reelhouse {
namespace {

constexpr int64_t kMostBytesPerCall = int64_t{1} << 30;
constexpr int64_t kChunkBytes = 256 << 10;

// The other means would meet it too. Every other errno says that this means does not work for these files.
bool IsFailureOfTheDisk(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO || error == ENOMEM;
}

// Repeats `move`, a call that returns as copy_file_range does. Moving nothing is left to the next means to judge: some
// file systems answer so for what they cannot do.
template <typename Move>
int Repeat(RangeCopy& copy, Move move) {
  while (copy.left_bytes > 0) {
    const ssize_t moved = move(static_cast<size_t>(std::min(copy.left_bytes, kMostBytesPerCall)));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return IsFailureOfTheDisk(errno) ? errno : 0;
    if (moved == 0) return 0;
    copy.Moved(moved);
  }
  return 0;
}

int ByCopyFileRange(RangeCopy& copy) {
  return Repeat(copy, [&](size_t size_bytes) {
    off64_t from = copy.source_offset_bytes;
    off64_t to = copy.target_offset_bytes;
    return ::copy_file_range(copy.source, &from, copy.target, &to, size_bytes, 0);
  });
}

int BySendfile(RangeCopy& copy) {
  // Unlike the other means it writes at the position of the file.
  if (copy.left_bytes > 0 && ::lseek(copy.target, copy.target_offset_bytes, SEEK_SET) < 0) return 0;
  return Repeat(copy, [&](size_t size_bytes) {
    off_t from = copy.source_offset_bytes;
    return ::sendfile(copy.target, copy.source, &from, size_bytes);
  });
}

int ByReadingAndWriting(RangeCopy& copy) {
  if (copy.left_bytes == 0) return 0;
  const auto chunk = std::make_unique<char[]>(kChunkBytes);
  while (copy.left_bytes > 0) {
    const int64_t wanted = std::min(copy.left_bytes, kChunkBytes);
    const int64_t got = ReadFully(copy.source, chunk.get(), wanted, copy.source_offset_bytes);
    if (got < 0) return static_cast<int>(-got);
    const int error = WriteFully(copy.target, chunk.get(), got, copy.target_offset_bytes);
    if (error != 0) return error;
    copy.Moved(got);
    if (got < wanted) break;
  }
  return 0;
}

}  // namespace

int CopyRange(RangeCopy& copy, CopyMeans best) {
  int error = 0;
  if (best <= CopyMeans::kCopyFileRange) error = ByCopyFileRange(copy);
  if (error == 0 && best <= CopyMeans::kSendfile) error = BySendfile(copy);
  if (error == 0) error = ByReadingAndWriting(copy);
  return error;
}

}  // namespace reelhouse
