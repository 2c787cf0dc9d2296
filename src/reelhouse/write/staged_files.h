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

  /// A new file whose Finish only makes it readable: many files are made durable at once, since each alone waits for
  /// the disk several times.
  Result<std::unique_ptr<OutputFile>> Create(const std::string& folder, const std::string& name);
  /// Removes one file before its time.
  Status Drop(const std::string& path);
  /// Really finishes the files that were finished.
  Status FinishAll();
  /// Hands the files over to the caller, after FinishAll.
  std::vector<std::string> Release();

 private:
  class File;

  Status NoteMissingFolders(const std::string& folder);
  Status Adopt(std::unique_ptr<OutputFile> file);

  std::shared_ptr<FileStore> files_;
  std::string table_path_;
  std::vector<std::string> paths_;
  std::vector<std::string> made_folders_;  // parents first
  std::set<std::string> known_folders_;
  std::vector<std::unique_ptr<OutputFile>> unfinished_;  // complete, but not durable
};

}  // namespace reelhouse
