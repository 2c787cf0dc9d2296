#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// New small files of one operation that become durable together: each can be read once it is written, and all of them
/// wait for the disk once. Removed on destruction unless they are finished. Not thread safe; the store must outlive it.
class FileBatch {
 public:
  explicit FileBatch(FileStore& files) : files_(files) {}
  ~FileBatch();
  FileBatch(const FileBatch&) = delete;
  FileBatch& operator=(const FileBatch&) = delete;

  /// A new file with this content; refused if the path exists.
  Status Write(const std::string& path, std::string_view content);

  /// Makes content and names of the files durable. If it fails, the files go away with this.
  Status Finish();

 private:
  FileStore& files_;
  std::vector<std::unique_ptr<OutputFile>> unfinished_;
  std::vector<std::string> finished_;
  std::set<std::string> folders_;
};

}  // namespace reelhouse
