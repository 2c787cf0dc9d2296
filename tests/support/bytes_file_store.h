#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// A store where every path names the same bytes, for readers under fuzzing. Nothing can be changed.
class BytesFileStore final : public FileStore {
 public:
  explicit BytesFileStore(std::string_view bytes) : bytes_(bytes) {}

  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string&) override {
    return std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(bytes_));
  }
  Result<std::string> ReadAll(const std::string&) override { return std::string(bytes_); }
  Result<std::unique_ptr<OutputFile>> Create(const std::string&) override { return Refusal(); }
  Result<bool> CreateNoReplace(const std::string&, std::string_view) override { return Refusal(); }
  Status Replace(const std::string&, std::string_view) override { return Refusal(); }
  Status Delete(const std::string&) override { return Refusal(); }
  Status DeleteTree(const std::string&) override { return Refusal(); }
  Status MakeDirectories(const std::string&) override { return Refusal(); }
  Result<bool> RenameNoReplace(const std::string&, const std::string&) override { return Refusal(); }
  Result<std::vector<FileEntry>> List(const std::string&) override { return std::vector<FileEntry>(); }
  Result<std::optional<FileEntry>> Stat(const std::string&) override { return std::optional<FileEntry>(); }
  Status SyncDirectory(const std::string&) override { return Refusal(); }

 private:
  static Status Refusal() { return Status::NotImplemented("a store of given bytes cannot be changed"); }

  std::string_view bytes_;
};

}  // namespace reelhouse
