#include "reelhouse/write/staged_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>

#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

// Complete files keep a descriptor until they are durable.
constexpr size_t kMostUnfinished = 64;
// Threads that wait for the disk together: its journal then takes many files in one go.
constexpr size_t kSyncThreads = 16;
// So few are not worth threads.
constexpr size_t kFewFiles = 4;

}  // namespace

/// A file that is handed to the staged files when it is complete.
class StagedFiles::File final : public OutputFile {
 public:
  File(StagedFiles& owner, std::unique_ptr<OutputFile> file, std::string path)
      : owner_(owner), file_(std::move(file)), path_(std::move(path)) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  using OutputFile::Write;
  Status Write(const void* data, int64_t size_bytes) override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    return file_->Write(data, size_bytes);
  }
  Status WriteAt(int64_t offset_bytes, const void* data, int64_t size_bytes) override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    return file_->WriteAt(offset_bytes, data, size_bytes);
  }
  Status AppendRange(const std::string& source_path, int64_t offset_bytes, int64_t size_bytes) override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    return file_->AppendRange(source_path, offset_bytes, size_bytes);
  }
  Status Flush() override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    return file_->Flush();
  }
  Status Finish() override {
    ARROW_RETURN_NOT_OK(Flush());
    file_->StartSync();
    return owner_.Adopt(std::move(file_));
  }
  Status Discard() override { return file_ == nullptr ? Status::OK() : file_->Discard(); }
  Status Close() override { return closed() ? Status::OK() : Finish(); }
  bool closed() const override { return file_ == nullptr || file_->closed(); }
  Result<int64_t> Tell() const override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    return file_->Tell();
  }
  const std::string& path() const override { return path_; }

 private:
  Status CheckOpen() const {
    return file_ == nullptr ? Status::Invalid(path_, ": the file is finished already") : Status::OK();
  }

  StagedFiles& owner_;
  std::unique_ptr<OutputFile> file_;
  std::string path_;  // as the table is spelled
};

StagedFiles::StagedFiles(std::shared_ptr<FileStore> files, std::string table_path)
    : files_(std::move(files)), table_path_(std::move(table_path)) {}

StagedFiles::~StagedFiles() {
  unfinished_.clear();
  for (const std::string& path : paths_) (void)files_->Delete(path);
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) {
    // Only the system can tell "empty" and remove in one step; another writer may have moved in.
    const auto path = LocalPath(*folder);
    std::error_code ignored;
    if (path.ok()) std::filesystem::remove(*path, ignored);
  }
}

Status StagedFiles::NoteMissingFolders(const std::string& folder) {
  std::vector<std::string> missing;
  for (std::string at = folder; at.size() >= table_path_.size() && !known_folders_.contains(at);
       at = ParentLocation(at)) {
    known_folders_.insert(at);
    ARROW_ASSIGN_OR_RAISE(const auto entry, files_->Stat(at));
    if (entry) break;
    missing.push_back(at);
  }
  made_folders_.insert(made_folders_.end(), missing.rbegin(), missing.rend());
  return Status::OK();
}

Result<std::unique_ptr<OutputFile>> StagedFiles::Create(const std::string& folder, const std::string& name) {
  ARROW_RETURN_NOT_OK(NoteMissingFolders(folder));
  std::string path = JoinLocation(folder, name);
  // Before the call: a file can be there although its creation is reported as failed.
  paths_.push_back(path);
  ARROW_ASSIGN_OR_RAISE(auto file, files_->Create(path));
  return std::make_unique<File>(*this, std::move(file), std::move(path));
}

Status StagedFiles::Adopt(std::unique_ptr<OutputFile> file) {
  unfinished_.push_back(std::move(file));
  return unfinished_.size() < kMostUnfinished ? Status::OK() : FinishAll();
}

Status StagedFiles::FinishAll() {
  const std::vector<std::unique_ptr<OutputFile>> files = std::exchange(unfinished_, {});
  std::vector<Status> outcomes(files.size());
  std::atomic<size_t> next = 0;
  const auto finish = [&] {
    for (size_t i = next++; i < files.size(); i = next++) outcomes[i] = files[i]->Finish();
  };
  std::vector<std::thread> threads;
  if (files.size() > kFewFiles) {
    try {
      while (threads.size() + 1 < std::min(files.size(), kSyncThreads)) threads.emplace_back(finish);
    } catch (const std::system_error&) {
      // Fewer threads do it as well.
    }
  }
  finish();
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : outcomes) ARROW_RETURN_NOT_OK(outcome);
  return Status::OK();
}

Status StagedFiles::Drop(const std::string& path) {
  ARROW_RETURN_NOT_OK(files_->Delete(path));
  paths_.erase(std::remove(paths_.begin(), paths_.end(), path), paths_.end());
  return Status::OK();
}

std::vector<std::string> StagedFiles::Release() {
  made_folders_.clear();
  return std::exchange(paths_, {});
}

}  // namespace reelhouse
