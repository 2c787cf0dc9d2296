#include "reelhouse/base/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace reelhouse {
namespace {

std::string ParentOfTemporaryFolders() {
  for (const char* name : {"REELHOUSE_TMPDIR", "TMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') return value;
  }
  return "/tmp";
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::Make(std::string_view name_prefix) {
  std::error_code error;
  // Absolute, so that a later change of the working folder cannot make the removal miss it.
  std::filesystem::path parent = std::filesystem::absolute(ParentOfTemporaryFolders(), error);
  if (!error) std::filesystem::create_directories(parent, error);
  if (error) return Status::IOError(parent.string(), ": make the folder for temporary files: ", error.message());
  std::string path = (parent / (std::string(name_prefix) + "-XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) {
    return Status::IOError(parent.string(), ": make a temporary folder: ", strerrordesc_np(errno),
                           "; REELHOUSE_TMPDIR can name another place");
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)), owner_(::getpid()) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, std::string())), owner_(other.owner_) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(owner_, other.owner_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty() || owner_ != ::getpid()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::PathOf(std::string_view name) const { return path_ + "/" + std::string(name); }

}  // namespace reelhouse
