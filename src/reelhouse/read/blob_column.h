#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "reelhouse/format/video/video_file_reader.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/read/blob_cell.h"
#include "reelhouse/read/frame_descriptors.h"
#include "reelhouse/read/row_selection.h"
#include "reelhouse/schema/data_type.h"

namespace reelhouse {

/// One `.blob` or `.video` file of a column and the rows of the split that it speaks of.
struct BlobColumnFile {
  std::string uri;
  int64_t file_size = 0;
  bool is_video = false;
  RowSpan rows;
};

/// One blob column of a split, in files of its own: per row the newest file that says anything about it (format notes,
/// 8.3). Files are opened when a row asks for them. Not thread safe.
class BlobColumn {
 public:
  /// `newest_first`: all files with the column.
  BlobColumn(std::shared_ptr<FileStore> files, DataType type, std::vector<BlobColumnFile> newest_first);

  /// The cells of these rows as serialized descriptors, in the type of the column.
  Result<std::shared_ptr<arrow::Array>> Read(const RowPositions& positions, bool use_threads);

  /// Where the cells of these rows lie. A placeholder without anything older is NULL.
  Result<std::vector<BlobCell>> Resolve(const RowPositions& positions);
  /// Cells as serialized descriptors, in the type of the column.
  Result<std::shared_ptr<arrow::Array>> Descriptors(const std::vector<BlobCell>& cells) const;

  int64_t files_opened() const { return files_opened_; }
  const std::vector<BlobColumnFile>& column_files() const { return column_files_; }

 private:
  using FileIndex = std::variant<std::monostate, BlobFileIndex, VideoFileIndex>;

  Status OpenFile(size_t file);
  /// The rows as runs of frames; nothing where a row needs more than a look at the newest `.video` file.
  Result<std::optional<std::vector<FrameRun>>> FrameRuns(const RowPositions& positions);
  Result<std::shared_ptr<arrow::Array>> CollectionDescriptors(const std::vector<BlobCell>& cells) const;

  const std::shared_ptr<FileStore> files_;
  const DataType type_;
  const std::vector<BlobColumnFile> column_files_;
  std::vector<BlobCellFile> cell_files_;
  std::vector<FileIndex> indexes_;
  int64_t files_opened_ = 0;
};

}  // namespace reelhouse
