#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// One call that changes storage, as the fault seam sees it.
struct StorageCall {
  int64_t ordinal = 0;  ///< 0, 1, ... over the life of the store
  std::string
      operation;  ///< "create", "write", "write_at", "append_range", "finish", "create_no_replace", "replace", ...
  std::string path;
};

/// Decides the fate of a call. `before` non-OK: the call is not made and fails so. `after` non-OK: the call is made,
/// then reported as failed (a lost answer).
struct Fault {
  Status before;
  Status after;
};

/// A store that asks `decide` before every changing call, for tests that walk every fault point of an operation.
std::shared_ptr<FileStore> MakeFaultInjectingFileStore(std::shared_ptr<FileStore> inner,
                                                       std::function<Fault(const StorageCall&)> decide);

}  // namespace reelhouse
