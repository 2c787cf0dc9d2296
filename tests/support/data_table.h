#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "reelhouse/format/blob/blob_file_writer.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"
#include "reelhouse/format/video/video_file_writer.h"
#include "tests/support/manifest_table.h"

namespace reelhouse {

/// A ManifestTable whose data files are written, too. Files become part of the table with Commit.
class DataTable : public ManifestTable {
 public:
  using ManifestTable::ManifestTable;

  /// A normal file with the columns of the batch, found by name in the schema of today.
  ManifestEntry Parquet(std::string name, int64_t first_row_id, const arrow::RecordBatch& batch,
                        int64_t sequence_number = 1, int64_t max_row_group_rows = 1 << 20) {
    ManifestEntry entry = Entry(std::move(name), first_row_id, batch.num_rows(), sequence_number);
    std::vector<DataField> columns;
    entry.file.write_cols.emplace();
    for (const auto& field : batch.schema()->fields()) {
      columns.push_back(*schema()->FindField(field->name()));
      entry.file.write_cols->push_back(field->name());
    }
    ParquetWriteOptions options;
    options.max_row_group_rows = max_row_group_rows;
    auto writer = ParquetFileWriter::Make(NewFile(entry), columns, options).ValueOrDie();
    if (Status status = writer->Write(batch); !status.ok()) status.Abort();
    entry.file.file_size = writer->Finish().ValueOrDie();
    return entry;
  }

  /// `values`: content, "NULL" for NULL, "SAME" for a placeholder.
  ManifestEntry Blob(std::string name, const std::string& column, int64_t first_row_id,
                     const std::vector<std::string>& values, int64_t sequence_number = 1) {
    ManifestEntry entry = Entry(std::move(name), first_row_id, static_cast<int64_t>(values.size()), sequence_number);
    entry.file.write_cols = {column};
    BlobFileWriter writer(NewFile(entry));
    for (const std::string& value : values) {
      Status status = value == "NULL"   ? writer.AppendNull()
                      : value == "SAME" ? writer.AppendPlaceholder()
                                        : writer.AppendValue(value);
      if (!status.ok()) status.Abort();
    }
    entry.file.file_size = writer.Finish().ValueOrDie();
    return entry;
  }

  /// Rows of a video file: `write` gets the writer.
  ManifestEntry Video(std::string name, const std::string& column, int64_t first_row_id, int64_t row_count,
                      const std::function<Status(VideoFileWriter&)>& write, int64_t sequence_number = 1) {
    ManifestEntry entry = Entry(std::move(name), first_row_id, row_count, sequence_number);
    entry.file.write_cols = {column};
    VideoFileWriter writer(NewFile(entry));
    if (Status status = write(writer); !status.ok()) status.Abort();
    entry.file.file_size = writer.Finish().ValueOrDie();
    return entry;
  }

 private:
  std::unique_ptr<OutputFile> NewFile(const ManifestEntry& entry) {
    return files()->Create(PathOf(entry)).ValueOrDie();
  }
};

}  // namespace reelhouse
