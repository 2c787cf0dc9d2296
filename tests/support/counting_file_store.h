#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// What a CountingFileStore saw.
struct ReadCounts {
  std::atomic<int64_t> opens{0};
  std::atomic<int64_t> reads{0};
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> whole_files{0};  ///< read at once: metadata
};

/// Counts reads of one file.
class CountingFile final : public arrow::io::RandomAccessFile {
 public:
  CountingFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::shared_ptr<ReadCounts> counts)
      : file_(std::move(file)), counts_(std::move(counts)) {}

  Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  Result<int64_t> Tell() const override { return file_->Tell(); }
  Status Seek(int64_t position) override { return file_->Seek(position); }
  Result<int64_t> GetSize() override { return file_->GetSize(); }
  Result<int64_t> Read(int64_t count, void* out) override { return Counted(file_->Read(count, out)); }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override { return Counted(file_->Read(count)); }
  Result<int64_t> ReadAt(int64_t at, int64_t count, void* out) override {
    return Counted(file_->ReadAt(at, count, out));
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t at, int64_t count) override {
    return Counted(file_->ReadAt(at, count));
  }

 private:
  Result<int64_t> Counted(Result<int64_t> read) {
    ++counts_->reads;
    if (read.ok()) counts_->bytes += *read;
    return read;
  }
  Result<std::shared_ptr<arrow::Buffer>> Counted(Result<std::shared_ptr<arrow::Buffer>> read) {
    ++counts_->reads;
    if (read.ok()) counts_->bytes += (*read)->size();
    return read;
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<ReadCounts> counts_;
};

/// A FileStore that counts what is read through it; everything else goes on to another.
class CountingFileStore final : public FileStore {
 public:
  explicit CountingFileStore(std::shared_ptr<FileStore> files) : files_(std::move(files)) {}

  const ReadCounts& counts() const { return *counts_; }

  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto file, files_->OpenInput(path));
    ++counts_->opens;
    return std::make_shared<CountingFile>(std::move(file), counts_);
  }
  Result<std::string> ReadAll(const std::string& path) override {
    ++counts_->whole_files;
    return files_->ReadAll(path);
  }
  Result<std::unique_ptr<OutputFile>> Create(const std::string& path) override { return files_->Create(path); }
  Result<bool> CreateNoReplace(const std::string& path, std::string_view content) override {
    return files_->CreateNoReplace(path, content);
  }
  Status Replace(const std::string& path, std::string_view content) override { return files_->Replace(path, content); }
  Status Delete(const std::string& path) override { return files_->Delete(path); }
  Status DeleteTree(const std::string& path) override { return files_->DeleteTree(path); }
  Status MakeDirectories(const std::string& path) override { return files_->MakeDirectories(path); }
  Result<bool> RenameNoReplace(const std::string& from, const std::string& to) override {
    return files_->RenameNoReplace(from, to);
  }
  Result<std::vector<FileEntry>> List(const std::string& path) override { return files_->List(path); }
  Result<std::optional<FileEntry>> Stat(const std::string& path) override { return files_->Stat(path); }
  Status SyncDirectory(const std::string& path) override { return files_->SyncDirectory(path); }

 private:
  std::shared_ptr<FileStore> files_;
  std::shared_ptr<ReadCounts> counts_ = std::make_shared<ReadCounts>();
};

}  // namespace reelhouse
