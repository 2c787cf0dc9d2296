#include "reelhouse/io/fault_injection.h"

#include <mutex>
#include <utility>

#include <arrow/io/interfaces.h>

namespace reelhouse {
namespace {

using Decide = std::function<Fault(const StorageCall&)>;

// The numbered sequence of changing calls of one store and of the files that it made. Thread safe.
class CallSequence {
 public:
  explicit CallSequence(Decide decide) : decide_(std::move(decide)) {}

  Fault Next(std::string operation, const std::string& path) {
    std::lock_guard lock(mutex_);
    return decide_({next_ordinal_++, std::move(operation), path});
  }

  // `call` between the two moments of the fault that is decided for it.
  template <typename Call>
  auto Run(std::string operation, const std::string& path, Call call) -> decltype(call()) {
    const Fault fault = Next(std::move(operation), path);
    if (!fault.before.ok()) return fault.before;
    auto result = call();
    if (!fault.after.ok()) return fault.after;
    return result;
  }

 private:
  std::mutex mutex_;
  Decide decide_;
  int64_t next_ordinal_ = 0;
};

// Discard and the destructor are not faulted: they are what a failed operation relies on.
class FaultInjectingOutputFile final : public OutputFile {
 public:
  FaultInjectingOutputFile(std::unique_ptr<OutputFile> inner, std::shared_ptr<FileStore> store,
                           std::shared_ptr<CallSequence> calls)
      : inner_(std::move(inner)), store_(std::move(store)), calls_(std::move(calls)), path_(inner_->path()) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  ~FaultInjectingOutputFile() override {
    // Reported as not finished, so by contract it does not stay.
    if (finish_failed_) (void)store_->Delete(path_);
  }

  using OutputFile::Write;
  Status Write(const void* data, int64_t size_bytes) override {
    return calls_->Run("write", path_, [&] { return inner_->Write(data, size_bytes); });
  }
  Status WriteAt(int64_t offset_bytes, const void* data, int64_t size_bytes) override {
    return calls_->Run("write_at", path_, [&] { return inner_->WriteAt(offset_bytes, data, size_bytes); });
  }
  Status AppendRange(const std::string& source_path, int64_t offset_bytes, int64_t size_bytes) override {
    return calls_->Run("append_range", path_,
                       [&] { return inner_->AppendRange(source_path, offset_bytes, size_bytes); });
  }
  Status Flush() override {
    return calls_->Run("flush", path_, [&] { return inner_->Flush(); });
  }
  Status Finish() override {
    Status status = calls_->Run("finish", path_, [&] { return inner_->Finish(); });
    if (!status.ok()) {
      if (inner_->closed()) {
        finish_failed_ = true;
      } else {
        (void)inner_->Discard();
      }
    }
    return status;
  }
  void StartSync() override { inner_->StartSync(); }
  Status Discard() override { return inner_->Discard(); }
  Status Close() override { return closed() ? Status::OK() : Finish(); }
  bool closed() const override { return inner_->closed(); }
  Result<int64_t> Tell() const override { return inner_->Tell(); }
  const std::string& path() const override { return path_; }

 private:
  std::unique_ptr<OutputFile> inner_;
  std::shared_ptr<FileStore> store_;
  std::shared_ptr<CallSequence> calls_;
  std::string path_;
  bool finish_failed_ = false;
};

class FaultInjectingFileStore final : public FileStore {
 public:
  FaultInjectingFileStore(std::shared_ptr<FileStore> inner, Decide decide)
      : inner_(std::move(inner)), calls_(std::make_shared<CallSequence>(std::move(decide))) {}

  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path) override {
    return inner_->OpenInput(path);
  }
  Result<std::string> ReadAll(const std::string& path) override { return inner_->ReadAll(path); }
  Result<std::vector<FileEntry>> List(const std::string& path) override { return inner_->List(path); }
  Result<std::optional<FileEntry>> Stat(const std::string& path) override { return inner_->Stat(path); }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& path) override {
    // With a lost answer the file goes away again with the handle that nobody gets.
    return calls_->Run("create", path, [&]() -> Result<std::unique_ptr<OutputFile>> {
      ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OutputFile> file, inner_->Create(path));
      return std::make_unique<FaultInjectingOutputFile>(std::move(file), inner_, calls_);
    });
  }
  Result<bool> CreateNoReplace(const std::string& path, std::string_view content) override {
    return calls_->Run("create_no_replace", path, [&] { return inner_->CreateNoReplace(path, content); });
  }
  Status Replace(const std::string& path, std::string_view content) override {
    return calls_->Run("replace", path, [&] { return inner_->Replace(path, content); });
  }
  Status ReplaceHint(const std::string& path, std::string_view content) override {
    return calls_->Run("replace_hint", path, [&] { return inner_->ReplaceHint(path, content); });
  }
  Status Delete(const std::string& path) override {
    return calls_->Run("delete", path, [&] { return inner_->Delete(path); });
  }
  Status DeleteTree(const std::string& path) override {
    return calls_->Run("delete_tree", path, [&] { return inner_->DeleteTree(path); });
  }
  Status MakeDirectories(const std::string& path) override {
    return calls_->Run("make_directories", path, [&] { return inner_->MakeDirectories(path); });
  }
  Result<bool> RenameNoReplace(const std::string& from, const std::string& to) override {
    return calls_->Run("rename_no_replace", from, [&] { return inner_->RenameNoReplace(from, to); });
  }
  Status SyncDirectory(const std::string& path) override {
    return calls_->Run("sync_directory", path, [&] { return inner_->SyncDirectory(path); });
  }

 private:
  std::shared_ptr<FileStore> inner_;
  std::shared_ptr<CallSequence> calls_;
};

}  // namespace

std::shared_ptr<FileStore> MakeFaultInjectingFileStore(std::shared_ptr<FileStore> inner,
                                                       std::function<Fault(const StorageCall&)> decide) {
  return std::make_shared<FaultInjectingFileStore>(std::move(inner), std::move(decide));
}

}  // namespace reelhouse
