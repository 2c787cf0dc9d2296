#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// The places that references found in cells may point to. A stored reference is data: it must not make us read files
/// that the one who stored it had no business with. Not thread safe; answers are kept.
class ReferenceRoots {
 public:
  explicit ReferenceRoots(std::vector<std::string> roots) : roots_(std::move(roots)) {}

  /// Invalid, naming the path and the way out, if `uri` lies outside.
  Status Check(const std::string& uri);

 private:
  const std::vector<std::string> roots_;
  std::unordered_map<std::string, Status> answers_;
};

}  // namespace reelhouse
