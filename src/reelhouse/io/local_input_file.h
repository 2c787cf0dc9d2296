#pragma once

#include <memory>
#include <string>

#include <arrow/io/interfaces.h>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_descriptor.h"

namespace reelhouse {

/// A regular local file opened for reading. ReadAt is thread safe; Read, Seek and Close are not. The size is that at
/// the time of opening, and nothing behind it is read; a read returns less than asked only at the end of the file.
class LocalInputFile final : public arrow::io::RandomAccessFile {
 public:
  static Result<std::shared_ptr<LocalInputFile>> Open(const std::string& path);

  arrow::Status Close() override;
  bool closed() const override { return !file_.is_open(); }
  Result<int64_t> GetSize() override { return size_bytes_; }
  Result<int64_t> Tell() const override { return position_; }
  Status Seek(int64_t position) override;
  Result<int64_t> Read(int64_t size_bytes, void* out) override;
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size_bytes) override;
  Result<int64_t> ReadAt(int64_t position, int64_t size_bytes, void* out) override;
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t size_bytes) override;

 private:
  LocalInputFile(FileDescriptor file, std::string path, int64_t size_bytes)
      : file_(std::move(file)), path_(std::move(path)), size_bytes_(size_bytes) {
    set_mode(arrow::io::FileMode::READ);
  }

  Result<int64_t> SizeOfRead(int64_t position, int64_t size_bytes) const;

  FileDescriptor file_;
  std::string path_;
  int64_t size_bytes_;
  int64_t position_ = 0;
};

/// Opens a regular file for reading; folders, pipes and devices are refused. `size_bytes` gets its size.
Result<FileDescriptor> OpenRegularFile(const std::string& path, int64_t* size_bytes);

}  // namespace reelhouse
