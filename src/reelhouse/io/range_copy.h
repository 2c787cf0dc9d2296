#pragma once

#include <cstdint>

namespace reelhouse {

/// The means of the system to move bytes between files, fastest first.
enum class CopyMeans { kCopyFileRange, kSendfile, kReadAndWrite };

/// A range of bytes on its way from one open file to another. What is moved is taken off, so that after a failure or
/// the end of the source it says how far it came.
struct RangeCopy {
  int source = -1;
  int64_t source_offset_bytes = 0;
  int target = -1;
  int64_t target_offset_bytes = 0;
  int64_t left_bytes = 0;

  void Moved(int64_t size_bytes) {
    source_offset_bytes += size_bytes;
    target_offset_bytes += size_bytes;
    left_bytes -= size_bytes;
  }
};

/// Copies until nothing is left or the source ends, by the first of `best` and the means after it that works for these
/// two files. 0 or errno.
int CopyRange(RangeCopy& copy, CopyMeans best = CopyMeans::kCopyFileRange);

}  // namespace reelhouse
