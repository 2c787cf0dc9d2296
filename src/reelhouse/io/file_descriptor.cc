#include "reelhouse/io/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arrow/util/io_util.h>

namespace reelhouse {
namespace {

// Linux moves at most 0x7ffff000 bytes a call; a rounder number keeps pages aligned.
constexpr int64_t kMostBytesPerCall = int64_t{1} << 30;

}  // namespace

FileDescriptor::~FileDescriptor() { Close(); }

FileDescriptor FileDescriptor::Open(const std::string& path, int flags, int mode) {
  int number;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return FileDescriptor(number);
}

int FileDescriptor::Close() {
  if (number_ < 0) return 0;
  // Never repeated after EINTR: Linux has freed the number by then, and another thread may own it.
  int failed = ::close(std::exchange(number_, -1));
  return failed != 0 && errno != EINTR ? errno : 0;
}

Status SystemError(std::string_view path, std::string_view action, int error_number) {
  std::string text(path);
  text += ": ";
  if (!action.empty()) {
    text += action;
    text += ": ";
  }
  // Neither translated nor in a buffer that threads share, as strerror would be.
  const char* reason = strerrordesc_np(error_number);
  text += reason != nullptr ? std::string(reason) : "errno " + std::to_string(error_number);
  if (error_number == ENOENT) {
    ErrorFields fields;
    fields.path = path;
    return MakeError(ErrorKind::kFileNotFound, std::move(text), std::move(fields));
  }
  return Status(arrow::StatusCode::IOError, std::move(text), arrow::internal::StatusDetailFromErrno(error_number));
}

int WriteFully(int file, const void* data, int64_t size_bytes, int64_t offset_bytes) {
  const char* from = static_cast<const char*>(data);
  while (size_bytes > 0) {
    ssize_t written = ::pwrite(file, from, static_cast<size_t>(std::min(size_bytes, kMostBytesPerCall)), offset_bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return EIO;
    from += written;
    offset_bytes += written;
    size_bytes -= written;
  }
  return 0;
}

int64_t ReadFully(int file, void* data, int64_t size_bytes, int64_t offset_bytes) {
  char* to = static_cast<char*>(data);
  int64_t total = 0;
  while (total < size_bytes) {
    ssize_t got = ::pread(file, to + total, static_cast<size_t>(std::min(size_bytes - total, kMostBytesPerCall)),
                          offset_bytes + total);
    if (got < 0) {
      if (errno == EINTR) continue;
      return -static_cast<int64_t>(errno);
    }
    if (got == 0) break;
    total += got;
  }
  return total;
}

int SyncFile(int file) {
  while (::fsync(file) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int SyncFolder(const std::string& path) {
  FileDescriptor folder = FileDescriptor::Open(path, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return errno;
  int error = SyncFile(folder.number());
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

}  // namespace reelhouse
