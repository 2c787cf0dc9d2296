#include "reelhouse/write/staged_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "reelhouse/io/location.h"

namespace reelhouse {

StagedFiles::StagedFiles(std::shared_ptr<FileStore> files, std::string table_path)
    : files_(std::move(files)), table_path_(std::move(table_path)) {}

StagedFiles::~StagedFiles() {
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
  const std::string path = JoinLocation(folder, name);
  // Before the call: a file can be there although its creation is reported as failed.
  paths_.push_back(path);
  return files_->Create(path);
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
