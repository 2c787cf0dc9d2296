#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// The content behind a column of BLOB, ARRAY<BLOB> or MAP<_, BLOB> cells as a scan returns them: serialized
/// descriptors are followed (only under `roots`), other bytes are content, NULL stays NULL. Video descriptors give the
/// whole video. The result has the type of the input. Nearby ranges of a file are read together, on up to `parallelism`
/// threads; a range that repeats is read once.
Result<std::shared_ptr<arrow::Array>> ReadBlobContent(FileStore& files, const std::vector<std::string>& roots,
                                                      const std::shared_ptr<arrow::Array>& cells, int parallelism = 64);

}  // namespace reelhouse
