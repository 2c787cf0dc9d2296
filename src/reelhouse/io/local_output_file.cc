#include "reelhouse/io/local_output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "reelhouse/io/local_input_file.h"
#include "reelhouse/io/location.h"
#include "reelhouse/io/range_copy.h"

namespace reelhouse {
namespace {

constexpr int64_t kBufferBytes = 64 << 10;
/// Large files go to the disk in such steps while they are written: then the sync at their end waits for little.
constexpr int64_t kWriteBackBytes = 8 << 20;

}  // namespace

LocalOutputFile::LocalOutputFile(FileDescriptor file, std::string path, bool fsync,
                                 std::vector<std::string> folders_to_sync)
    : file_(std::move(file)), path_(std::move(path)), fsync_(fsync), folders_to_sync_(std::move(folders_to_sync)) {
  set_mode(arrow::io::FileMode::WRITE);
}

Result<std::unique_ptr<LocalOutputFile>> LocalOutputFile::Create(const std::string& path, bool fsync,
                                                                 std::vector<std::string> folders_to_sync) {
  FileDescriptor file = FileDescriptor::Open(path, O_RDWR | O_CREAT | O_EXCL);
  if (!file.is_open()) return SystemError(path, "create", errno);
  return std::unique_ptr<LocalOutputFile>(
      new LocalOutputFile(std::move(file), path, fsync, std::move(folders_to_sync)));
}

LocalOutputFile::~LocalOutputFile() { (void)Discard(); }

Status LocalOutputFile::CheckWritable() const {
  if (!file_.is_open()) return Status::Invalid(path_, ": write to a closed file");
  return failure_;
}

Status LocalOutputFile::Failed(Status status) {
  failure_ = status;
  return status;
}

Status LocalOutputFile::Write(const void* data, int64_t size_bytes) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  if (size_bytes < 0) return Status::Invalid(path_, ": write of ", size_bytes, " bytes");
  if (static_cast<int64_t>(buffer_.size()) + size_bytes <= kBufferBytes) {
    if (size_bytes > 0) buffer_.append(static_cast<const char*>(data), static_cast<size_t>(size_bytes));
    return Status::OK();
  }
  ARROW_RETURN_NOT_OK(Flush());
  if (size_bytes < kBufferBytes) {
    buffer_.append(static_cast<const char*>(data), static_cast<size_t>(size_bytes));
    return Status::OK();
  }
  int error = WriteFully(file_.number(), data, size_bytes, written_bytes_);
  if (error != 0) return Failed(SystemError(path_, "write", error));
  NoteWritten(size_bytes);
  return Status::OK();
}

void LocalOutputFile::NoteWritten(int64_t size_bytes) {
  written_bytes_ += size_bytes;
  const int64_t waiting_bytes = written_bytes_ - written_back_bytes_;
  if (!fsync_ || waiting_bytes < kWriteBackBytes) return;
  // Only begun, and only a hint: what goes wrong here goes wrong in the sync, too.
  (void)::sync_file_range(file_.number(), written_back_bytes_, waiting_bytes, SYNC_FILE_RANGE_WRITE);
  written_back_bytes_ = written_bytes_;
}

Status LocalOutputFile::Flush() {
  ARROW_RETURN_NOT_OK(CheckWritable());
  if (buffer_.empty()) return Status::OK();
  int error = WriteFully(file_.number(), buffer_.data(), static_cast<int64_t>(buffer_.size()), written_bytes_);
  if (error != 0) return Failed(SystemError(path_, "write", error));
  NoteWritten(static_cast<int64_t>(buffer_.size()));
  buffer_.clear();
  return Status::OK();
}

void LocalOutputFile::StartSync() {
  if (!fsync_ || !file_.is_open() || !Flush().ok()) return;
  // Blocks are given to the file now, so that the next commit of the file system's journal, whoever asks for it, holds
  // them; Finish finds little left to wait for. What goes wrong here goes wrong in Finish, too.
  (void)::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

Status LocalOutputFile::WriteAt(int64_t offset_bytes, const void* data, int64_t size_bytes) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  const int64_t end = written_bytes_ + static_cast<int64_t>(buffer_.size());
  if (offset_bytes < 0 || size_bytes < 0 || offset_bytes > end || size_bytes > end - offset_bytes) {
    return Status::Invalid(path_, ": overwrite of ", size_bytes, " bytes at ", offset_bytes,
                           "; expected a range within the ", end, " bytes written so far");
  }
  if (size_bytes == 0) return Status::OK();
  if (offset_bytes >= written_bytes_) {
    std::memcpy(buffer_.data() + (offset_bytes - written_bytes_), data, static_cast<size_t>(size_bytes));
    return Status::OK();
  }
  if (offset_bytes + size_bytes > written_bytes_) ARROW_RETURN_NOT_OK(Flush());
  int error = WriteFully(file_.number(), data, size_bytes, offset_bytes);
  if (error != 0) return Failed(SystemError(path_, "write", error));
  return Status::OK();
}

Status LocalOutputFile::AppendRange(const std::string& source_location, int64_t offset_bytes, int64_t size_bytes) {
  ARROW_RETURN_NOT_OK(CheckWritable());
  ARROW_ASSIGN_OR_RAISE(std::string source_path, LocalPath(source_location));
  if (offset_bytes < 0 || size_bytes < 0) {
    return Status::Invalid(source_path, ": range of ", size_bytes, " bytes at ", offset_bytes,
                           "; expected no negative number");
  }
  int64_t source_bytes = 0;
  ARROW_ASSIGN_OR_RAISE(FileDescriptor source, OpenRegularFile(source_path, &source_bytes));
  struct stat before;
  if (::fstat(source.number(), &before) != 0) return SystemError(source_path, "fstat", errno);
  const int64_t available_bytes = std::max<int64_t>(0, source_bytes - offset_bytes);
  if (available_bytes < size_bytes) {
    return Status::IOError(source_path, ": expected ", size_bytes, " bytes, found ", available_bytes, " (from byte ",
                           offset_bytes, ")");
  }
  ARROW_RETURN_NOT_OK(Flush());

  RangeCopy copy{source.number(), offset_bytes, file_.number(), written_bytes_, size_bytes};
  const int error = CopyRange(copy);
  if (error != 0) return Failed(SystemError(path_, "copy from " + source_path, error));
  if (copy.left_bytes > 0) {
    return Failed(Status::IOError(source_path, ": expected ", size_bytes, " bytes, found ",
                                  size_bytes - copy.left_bytes, ": it was cut while it was copied"));
  }
  struct stat after;
  if (::fstat(source.number(), &after) != 0) return Failed(SystemError(source_path, "fstat", errno));
  if (after.st_size != before.st_size) {
    return Failed(Status::IOError(source_path, ": expected ", static_cast<int64_t>(before.st_size), " bytes, found ",
                                  static_cast<int64_t>(after.st_size),
                                  ": its size changed while it was copied; write it to the end first"));
  }
  if (after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec) {
    return Failed(Status::IOError(source_path, ": it was written to while it was copied; write it to the end first"));
  }
  NoteWritten(size_bytes);
  return Status::OK();
}

Status LocalOutputFile::FinishOpenFile() {
  ARROW_RETURN_NOT_OK(Flush());
  if (fsync_) {
    int error = SyncFile(file_.number());
    if (error != 0) return SystemError(path_, "fsync", error);
  }
  int error = file_.Close();
  if (error != 0) return SystemError(path_, "close", error);
  if (fsync_) {
    for (const std::string& folder : folders_to_sync_) {
      error = SyncFolder(folder);
      if (error != 0) return SystemError(folder, "fsync of the folder", error);
    }
  }
  return Status::OK();
}

Status LocalOutputFile::Finish() {
  if (!file_.is_open()) return Status::Invalid(path_, ": finished or discarded before");
  Status status = FinishOpenFile();
  if (!status.ok()) {
    file_.Close();
    ::unlink(path_.c_str());
  }
  return status;
}

Status LocalOutputFile::Discard() {
  if (!file_.is_open()) return Status::OK();
  file_.Close();
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return SystemError(path_, "remove", errno);
  return Status::OK();
}

Status LocalOutputFile::Close() { return file_.is_open() ? Finish() : Status::OK(); }

}  // namespace reelhouse
