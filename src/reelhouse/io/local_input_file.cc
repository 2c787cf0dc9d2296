#include "reelhouse/io/local_input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <arrow/buffer.h>

namespace reelhouse {

Result<FileDescriptor> OpenRegularFile(const std::string& path, int64_t* size_bytes) {
  // Not blocking: opening a pipe that nobody writes to would hang before it can be refused.
  FileDescriptor file = FileDescriptor::Open(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) return SystemError(path, "", errno);
  struct stat attributes;
  if (::fstat(file.number(), &attributes) != 0) return SystemError(path, "fstat", errno);
  if (S_ISDIR(attributes.st_mode)) return SystemError(path, "expected a file", EISDIR);
  if (!S_ISREG(attributes.st_mode)) return Status::IOError(path, ": expected a regular file, found a pipe or device");
  *size_bytes = attributes.st_size;
  return file;
}

Result<std::shared_ptr<LocalInputFile>> LocalInputFile::Open(const std::string& path) {
  int64_t size_bytes = 0;
  ARROW_ASSIGN_OR_RAISE(FileDescriptor file, OpenRegularFile(path, &size_bytes));
  return std::shared_ptr<LocalInputFile>(new LocalInputFile(std::move(file), path, size_bytes));
}

Status LocalInputFile::Close() {
  file_.Close();
  return Status::OK();
}

Status LocalInputFile::Seek(int64_t position) {
  if (position < 0) return Status::Invalid(path_, ": seek to negative position ", position);
  position_ = position;
  return Status::OK();
}

Result<int64_t> LocalInputFile::SizeOfRead(int64_t position, int64_t size_bytes) const {
  if (!file_.is_open()) return Status::Invalid(path_, ": read from a closed file");
  if (position < 0 || size_bytes < 0) {
    return Status::Invalid(path_, ": read of ", size_bytes, " bytes at ", position, "; expected no negative number");
  }
  return std::min(size_bytes, std::max<int64_t>(0, size_bytes_ - position));
}

Result<int64_t> LocalInputFile::ReadAt(int64_t position, int64_t size_bytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(int64_t wanted, SizeOfRead(position, size_bytes));
  int64_t got = ReadFully(file_.number(), out, wanted, position);
  if (got < 0) return SystemError(path_, "read", static_cast<int>(-got));
  return got;
}

Result<std::shared_ptr<arrow::Buffer>> LocalInputFile::ReadAt(int64_t position, int64_t size_bytes) {
  ARROW_ASSIGN_OR_RAISE(int64_t wanted, SizeOfRead(position, size_bytes));
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(wanted, io_context().pool()));
  ARROW_ASSIGN_OR_RAISE(int64_t got, ReadAt(position, wanted, buffer->mutable_data()));
  if (got < wanted) ARROW_RETURN_NOT_OK(buffer->Resize(got));
  buffer->ZeroPadding();
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

Result<int64_t> LocalInputFile::Read(int64_t size_bytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(int64_t got, ReadAt(position_, size_bytes, out));
  position_ += got;
  return got;
}

Result<std::shared_ptr<arrow::Buffer>> LocalInputFile::Read(int64_t size_bytes) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, size_bytes));
  position_ += buffer->size();
  return buffer;
}

}  // namespace reelhouse
