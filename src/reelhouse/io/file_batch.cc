#include "reelhouse/io/file_batch.h"

#include <utility>

#include "reelhouse/base/log.h"
#include "reelhouse/io/location.h"

namespace reelhouse {

FileBatch::~FileBatch() {
  // Files that are not finished remove themselves. What cannot be removed is an orphan, which harms no reader.
  for (const std::string& path : finished_) LogFailure(files_.Delete(path));
}

Status FileBatch::Write(const std::string& path, std::string_view content) {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OutputFile> file, files_.Create(path));
  ARROW_RETURN_NOT_OK(file->Write(content.data(), static_cast<int64_t>(content.size())));
  ARROW_RETURN_NOT_OK(file->Flush());
  file->StartSync();
  unfinished_.push_back(std::move(file));
  folders_.insert(ParentLocation(path));
  return Status::OK();
}

Status FileBatch::Finish() {
  // One after the other: all of them are on their way to the disk, so that the first wait is that of all.
  for (const std::unique_ptr<OutputFile>& file : unfinished_) {
    ARROW_RETURN_NOT_OK(file->Finish());
    finished_.push_back(file->path());
  }
  unfinished_.clear();
  for (const std::string& folder : folders_) ARROW_RETURN_NOT_OK(files_.SyncDirectory(folder));
  finished_.clear();
  folders_.clear();
  return Status::OK();
}

}  // namespace reelhouse
