#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// The files that one writer made and nobody owns yet: removed on destruction, with the folders made for them that are
/// still empty, unless they are released. Not thread safe.
class StagedFiles {
 public:
  /// Folders from `table_path` down are looked after.
  StagedFiles(std::shared_ptr<FileStore> files, std::string table_path);
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  Result<std::unique_ptr<OutputFile>> Create(const std::string& folder, const std::string& name);
  /// Removes one file before its time.
  Status Drop(const std::string& path);
  /// Hands the files over to the caller.
  std::vector<std::string> Release();

 private:
  Status NoteMissingFolders(const std::string& folder);

  std::shared_ptr<FileStore> files_;
  std::string table_path_;
  std::vector<std::string> paths_;
  std::vector<std::string> made_folders_;  // parents first
  std::set<std::string> known_folders_;
};

}  // namespace reelhouse
