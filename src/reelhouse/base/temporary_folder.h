#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// A new folder that only this user may enter, removed with all that is in it on destruction. Lies under
/// `REELHOUSE_TMPDIR` (made if missing), else `TMPDIR`, else `/tmp`. A forked child never removes it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> Make(std::string_view name_prefix = "reelhouse");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

  /// The path of `name` in the folder.
  std::string PathOf(std::string_view name) const;

 private:
  explicit TemporaryFolder(std::string path);

  std::string path_;  // empty after a move
  pid_t owner_;
};

}  // namespace reelhouse
