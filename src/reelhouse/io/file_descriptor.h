#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// An open file of the operating system, closed on destruction.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  /// open(2), repeated while a signal interrupts it; always close-on-exec. On failure `is_open()` is false and errno
  /// says why.
  static FileDescriptor Open(const std::string& path, int flags, int mode = 0666);

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  /// Closes now; 0, or the errno of a delayed write error.
  int Close();

 private:
  int number_ = -1;
};

/// The failure `path: action: text of error_number`; kind kFileNotFound for ENOENT, else an IOError that carries the
/// errno as its detail.
Status SystemError(std::string_view path, std::string_view action, int error_number);

/// Writes all of it at this place, whatever the system takes at a time. 0 or errno.
int WriteFully(int file, const void* data, int64_t size_bytes, int64_t offset_bytes);

/// Reads up to `size_bytes`, less only at the end of the file. The count, or -errno.
int64_t ReadFully(int file, void* data, int64_t size_bytes, int64_t offset_bytes);

/// fsync(2) of an open file. 0 or errno.
int SyncFile(int file);

/// fsync(2) of a folder; file systems that cannot sync folders count as synced. 0 or errno.
int SyncFolder(const std::string& path);

}  // namespace reelhouse
