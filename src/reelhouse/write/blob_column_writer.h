#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/blob/blob_file_writer.h"
#include "reelhouse/write/append_context.h"
#include "reelhouse/write/blob_cell.h"

namespace reelhouse {

/// The `.blob` files of one column of one file group after another (format notes, 4.4 and 5). Not thread safe.
class BlobColumnWriter {
 public:
  BlobColumnWriter(AppendContext& context, std::string folder, DataField column);

  /// The cells of some rows, checked before; `literal`: rows of them that are content whatever they look like.
  Status Write(const arrow::Array& cells, const std::set<int64_t>& literal);

  /// Closes the open file. The files of the group, in row order; the next rows start a new group.
  Result<std::vector<DataFile>> Finish();
  Status Discard();

 private:
  Status EnsureFile();
  Status CloseFile();
  Status WriteCell(std::string_view cell, bool is_literal);
  Status WriteList(const arrow::Array& cells, int64_t row, bool is_literal);

  AppendContext& context_;
  std::string folder_;
  DataField column_;
  std::string uuid_;
  int64_t next_ordinal_ = 0;
  BlobSources sources_;
  std::unique_ptr<BlobFileWriter> file_;
  std::vector<DataFile> finished_;
  std::vector<std::string> finished_paths_;
};

/// The entry of a `.blob` or `.video` file: one column, statistics of other engines' form.
Result<DataFile> NewSidecar(const AppendContext& context, const std::string& path, int64_t size_bytes, int64_t rows,
                            const DataField& column);

}  // namespace reelhouse
