#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// A store of given files, of which some are laid over by other bytes, for readers under fuzzing. Nothing can be
/// changed through it. Borrows both maps.
class MemoryFileStore final : public FileStore {
 public:
  using Files = std::map<std::string, std::string, std::less<>>;

  MemoryFileStore(const Files& files, const Files& laid_over) : files_(files), laid_over_(laid_over) {}

  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(const std::string& path) override {
    const std::string* bytes = Find(path);
    if (bytes == nullptr) return Missing(path);
    return std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(std::string_view(*bytes)));
  }
  Result<std::string> ReadAll(const std::string& path) override {
    const std::string* bytes = Find(path);
    if (bytes == nullptr) return Missing(path);
    return *bytes;
  }
  Result<std::vector<FileEntry>> List(const std::string& path) override {
    std::vector<FileEntry> entries;
    const std::string prefix = path + "/";
    for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix); ++at) {
      const std::string rest = at->first.substr(prefix.size());
      const std::string name = rest.substr(0, rest.find('/'));
      const bool is_directory = name.size() < rest.size();
      if (!entries.empty() && entries.back().name == name) continue;
      entries.push_back({name, is_directory, is_directory ? 0 : static_cast<int64_t>(Find(at->first)->size()), 0});
    }
    return entries;
  }
  Result<std::optional<FileEntry>> Stat(const std::string& path) override {
    const std::string* bytes = Find(path);
    if (bytes == nullptr) return std::optional<FileEntry>();
    return FileEntry{path.substr(path.rfind('/') + 1), false, static_cast<int64_t>(bytes->size()), 0};
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string&) override { return Refusal(); }
  Result<bool> CreateNoReplace(const std::string&, std::string_view) override { return Refusal(); }
  Status Replace(const std::string&, std::string_view) override { return Refusal(); }
  Status Delete(const std::string&) override { return Refusal(); }
  Status DeleteTree(const std::string&) override { return Refusal(); }
  Status MakeDirectories(const std::string&) override { return Refusal(); }
  Result<bool> RenameNoReplace(const std::string&, const std::string&) override { return Refusal(); }
  Status SyncDirectory(const std::string&) override { return Refusal(); }

 private:
  static Status Refusal() { return Status::NotImplemented("a store of given bytes cannot be changed"); }
  static Status Missing(const std::string& path) {
    return MakeError(ErrorKind::kFileNotFound, path + ": no such file");
  }
  const std::string* Find(std::string_view path) const {
    const auto over = laid_over_.find(path);
    if (over != laid_over_.end()) return &over->second;
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : &found->second;
  }

  const Files& files_;
  const Files& laid_over_;
};

}  // namespace reelhouse
