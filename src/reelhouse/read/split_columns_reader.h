#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/read/blob_column.h"
#include "reelhouse/read/column_file.h"
#include "reelhouse/read/split_reader.h"
#include "reelhouse/scan/split_columns.h"

namespace reelhouse {

/// The columns of one split, each stitched from the files that hold it (format notes, 8.3). Opens a file when one of
/// its values is asked for. Not thread safe.
class SplitColumnsReader {
 public:
  static Result<std::unique_ptr<SplitColumnsReader>> Make(std::shared_ptr<const SplitReadContext> context,
                                                          const Split& split);
  /// Whether columns are read side by side.
  void set_use_threads(bool use_threads) { use_threads_ = use_threads; }

  /// Values of rows `positions`, one array for each of `places` in the context's columns. With `as_stored` blobs are
  /// descriptors whatever the result wants.
  Result<arrow::ArrayVector> Read(const std::vector<size_t>& places, const RowPositions& positions, bool as_stored);

  /// Rows that the filter may take, by what files say of the values of its columns: sorted, disjoint.
  Result<std::vector<RowSpan>> RowsThatMayMatch(int64_t row_count);

  /// How many of the rows, at least one, have payloads of no more than `most_bytes` together in `places`.
  Result<size_t> RowsWithin(const std::vector<size_t>& places, const RowPositions& positions, int64_t most_bytes);

  /// Bytes that a row of `places` takes in its files, about.
  int64_t BytesPerRow(const std::vector<size_t>& places) const;
  int64_t files_opened() const;
  ParquetReadStatistics parquet_statistics() const;
  int64_t descriptors_made() const { return descriptors_made_; }

 private:
  // Where one column comes from.
  struct Source {
    enum class Kind { kNulls, kRowId, kConstant, kFile, kVectorFiles, kBlobFiles };
    Kind kind = Kind::kNulls;
    std::shared_ptr<arrow::Scalar> constant;  ///< kConstant; also what NULLs of a physical sequence number become
    std::vector<size_t> files;                ///< kFile: one; kVectorFiles: newest first
    std::vector<std::string> names;           ///< of the column in each file
    std::unique_ptr<BlobColumn> blobs;        ///< kBlobFiles
    std::vector<std::string> own_folders;     ///< kBlobFiles outside of the table
  };

  SplitColumnsReader(std::shared_ptr<const SplitReadContext> context, const Split& split);

  Status Resolve(const Split& split);
  Result<Source> SourceOf(const ReadColumn& column, const Split& split, const SplitColumns& columns);
  Result<Source> BlobSource(const ReadColumn& column, const Split& split, const SplitColumns& columns);
  Result<size_t> FileOf(const ManifestEntry& entry, const Split& split);

  Result<std::shared_ptr<arrow::Array>> ReadPlace(size_t place, const RowPositions& positions, bool as_stored);
  Result<std::shared_ptr<arrow::Array>> ReadVectors(const Source& source, const DataField& target,
                                                    const RowPositions& positions);
  Result<std::shared_ptr<arrow::Array>> ReadBlobs(const Source& source, const ReadColumn& column,
                                                  const RowPositions& positions, bool as_stored);
  Result<std::shared_ptr<arrow::Array>> RowIds(const RowPositions& positions) const;

  const std::shared_ptr<const SplitReadContext> context_;
  const int64_t first_row_id_;
  bool use_threads_ = true;
  std::atomic<int64_t> descriptors_made_{0};
  std::vector<Source> sources_;  ///< as the context's columns
  std::vector<std::unique_ptr<ColumnFile>> files_;
  std::vector<const ManifestEntry*> file_entries_;  ///< only while resolving
  std::vector<int64_t> bytes_per_row_;              ///< of each file
};

}  // namespace reelhouse
