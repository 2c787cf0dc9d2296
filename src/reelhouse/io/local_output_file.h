#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reelhouse/io/file_descriptor.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// A local file being written: small writes are gathered in a buffer, large ones go straight to the system.
class LocalOutputFile final : public OutputFile {
 public:
  /// `path` must not exist, its folder must. `folders_to_sync`, those in which folders were made for it, are synced by
  /// Finish, after the file, if `fsync` is on.
  static Result<std::unique_ptr<LocalOutputFile>> Create(const std::string& path, bool fsync,
                                                         std::vector<std::string> folders_to_sync);
  ~LocalOutputFile() override;

  using OutputFile::Write;
  Status Write(const void* data, int64_t size_bytes) override;
  Status WriteAt(int64_t offset_bytes, const void* data, int64_t size_bytes) override;
  Status AppendRange(const std::string& source_path, int64_t offset_bytes, int64_t size_bytes) override;
  Status Flush() override;
  void StartSync() override;
  Status Finish() override;
  Status Discard() override;
  /// As the interface of Arrow has it: the same as Finish.
  Status Close() override;

  bool closed() const override { return !file_.is_open(); }
  Result<int64_t> Tell() const override { return written_bytes_ + static_cast<int64_t>(buffer_.size()); }
  const std::string& path() const override { return path_; }

 private:
  LocalOutputFile(FileDescriptor file, std::string path, bool fsync, std::vector<std::string> folders_to_sync);

  Status CheckWritable() const;
  Status Failed(Status status);
  Status FinishOpenFile();
  void NoteWritten(int64_t size_bytes);

  FileDescriptor file_;
  std::string path_;
  bool fsync_;
  std::vector<std::string> folders_to_sync_;
  std::string buffer_;              // bytes behind written_bytes_ that the system does not have yet
  int64_t written_bytes_ = 0;       // bytes that the system has
  int64_t written_back_bytes_ = 0;  // those of them that it was asked to bring to the disk
  Status failure_;                  // of an earlier write: what is in the file is not known any more
};

}  // namespace reelhouse
