#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/write/row_batch.h"

namespace reelhouse {

/// The reference that the bytes of a blob cell are, if they are one: a BlobDescriptor, or the whole video of a
/// VideoFrameDescriptor. Bytes that begin like a descriptor and are none are refused.
Result<std::optional<BlobDescriptor>> ReferenceIn(std::string_view cell);

/// An open file range that a reference names.
struct BlobSource {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t offset_bytes = 0;
  int64_t length_bytes = 0;
};

/// The files that references in rows name, the last one kept open. Not thread safe.
class BlobSources {
 public:
  explicit BlobSources(std::shared_ptr<FileStore> files) : files_(std::move(files)) {}
  /// Refuses a range that its file does not have, with both numbers.
  Result<BlobSource> Open(const BlobDescriptor& reference);

 private:
  std::shared_ptr<FileStore> files_;
  std::string uri_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

/// Checks all cells of the blob columns of a batch before anything is written: references lead where they may and to
/// what is there, inline columns hold what they must.
Status CheckBlobCells(const RowBatch& batch, const TableSchema& schema, const ReferencePolicy& references,
                      BlobSources& sources);

}  // namespace reelhouse
