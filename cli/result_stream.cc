#include "cli/result_stream.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interruption.h"

namespace reelhouse::cli {

namespace {

constexpr size_t kBufferBytes = 1 << 16;

Status SystemFailure(const std::string& path, int error) {
  std::string text = path + ": " + std::strerror(error);
  if (error == ENOENT) return MakeError(ErrorKind::kFileNotFound, std::move(text), {.path = path});
  return Status::IOError(std::move(text));
}

/// The file behind a chain of links, so that a link stays a link.
std::string BehindLinks(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? std::string(resolved) : path;
}

}  // namespace

ResultStream::ResultStream(int fd, std::string staged_path, std::string target_path)
    : fd_(fd), staged_path_(std::move(staged_path)), target_path_(std::move(target_path)) {}

std::shared_ptr<ResultStream> ResultStream::ToStandardOutput() {
  return std::shared_ptr<ResultStream>(new ResultStream(STDOUT_FILENO, "", ""));
}

Result<std::shared_ptr<ResultStream>> ResultStream::ToFile(const std::string& path) {
  if (path == "-") return ToStandardOutput();
  struct stat found = {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) return Status::Invalid(path, ": expected a file, found a folder");
  if (exists && !S_ISREG(found.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return SystemFailure(path, errno);
    return std::shared_ptr<ResultStream>(new ResultStream(fd, "", path));
  }
  const std::string target = exists ? BehindLinks(path) : path;
  const std::string staged = target + ".part-" + std::to_string(getpid());
  const int fd = open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return SystemFailure(path, errno);
  return std::shared_ptr<ResultStream>(new ResultStream(fd, staged, target));
}

ResultStream::~ResultStream() { static_cast<void>(Close()); }

Status ResultStream::Write(const void* data, int64_t size_bytes) {
  if (fd_ < 0) return Status::Invalid("a result was written behind its end");
  const std::string_view bytes(static_cast<const char*>(data), static_cast<size_t>(size_bytes));
  position_ += size_bytes;
  if (buffer_.size() + bytes.size() > kBufferBytes) ARROW_RETURN_NOT_OK(Flush());
  if (bytes.size() > kBufferBytes) return WriteOut(bytes);
  buffer_ += bytes;
  return Status::OK();
}

Status ResultStream::Flush() {
  const std::string bytes = std::exchange(buffer_, {});
  return WriteOut(bytes);
}

Status ResultStream::WriteOut(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0) {
      const int error = errno;
      if (error == EINTR && CaughtSignal() == 0) continue;
      if (error == EINTR) return Status::Cancelled("interrupted");
      is_broken_pipe_ = error == EPIPE;
      return SystemFailure(target_path_.empty() ? "standard output" : target_path_, error);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::OK();
}

Status ResultStream::Finish() {
  ARROW_RETURN_NOT_OK(Flush());
  if (target_path_.empty()) return Status::OK();
  if (::close(std::exchange(fd_, -1)) != 0) {
    const int error = errno;
    if (!staged_path_.empty()) unlink(staged_path_.c_str());
    return SystemFailure(target_path_, error);
  }
  if (!staged_path_.empty() && rename(staged_path_.c_str(), target_path_.c_str()) != 0) {
    const int error = errno;
    unlink(staged_path_.c_str());
    return SystemFailure(target_path_, error);
  }
  return Status::OK();
}

Status ResultStream::Close() {
  if (fd_ < 0 || target_path_.empty()) return Status::OK();
  ::close(std::exchange(fd_, -1));
  if (!staged_path_.empty()) unlink(staged_path_.c_str());
  return Status::OK();
}

bool ResultStream::is_terminal() const { return fd_ >= 0 && isatty(fd_) == 1; }

Status WriteWholeFile(const std::string& path, std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<ResultStream> stream, ResultStream::ToFile(path));
  ARROW_RETURN_NOT_OK(stream->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  return stream->Finish();
}

}  // namespace reelhouse::cli
