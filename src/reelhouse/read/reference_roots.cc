#include "reelhouse/read/reference_roots.h"

#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse {

Status ReferenceRoots::Check(const std::string& uri) {
  auto [found, is_new] = answers_.try_emplace(uri);
  if (!is_new) return found->second;
  bool inside = false;
  for (const std::string& root : roots_) {
    // A path that cannot be resolved is in no root.
    Result<bool> lies_under = LiesUnder(uri, root);
    if (lies_under.ok() && *lies_under) {
      inside = true;
      break;
    }
  }
  if (!inside) {
    found->second = Status::Invalid("a stored descriptor points to ", QuoteForError(uri, 300),
                                    ", which lies outside of the warehouse; to follow it, name its folder in the "
                                    "connection option `reelhouse.external-roots`");
  }
  return found->second;
}

}  // namespace reelhouse
