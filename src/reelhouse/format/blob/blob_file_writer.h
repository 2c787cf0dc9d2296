#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// One `.blob` file being written, a row at a time (format notes, 5.1). Unfinished = nothing left behind. Not thread
/// safe.
class BlobFileWriter {
 public:
  explicit BlobFileWriter(std::unique_ptr<OutputFile> file);
  ~BlobFileWriter();

  Status AppendValue(std::string_view payload);
  /// Copies `size_bytes` from `source`; fails with `expected n bytes, found m` if it is shorter.
  Status AppendValueFrom(arrow::io::RandomAccessFile& source, int64_t offset_bytes, int64_t size_bytes);
  Status AppendNull();
  Status AppendPlaceholder();

  int64_t position_bytes() const;
  int64_t row_count() const;
  const std::string& path() const;
  Result<int64_t> Finish();
  Status Discard();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reelhouse
