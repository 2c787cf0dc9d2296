#pragma once

#include <cstdint>
#include <string>

#include "reelhouse/base/status.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// The table options that say how new data files look (format notes, 1.5 and 4.4), read once.
struct WriterOptions {
  std::string file_prefix = "data-";
  ParquetWriteOptions parquet;
  bool has_statistics = true;
  bool write_cols_optimization = false;
  int64_t target_file_bytes = 0;
  int64_t target_blob_file_bytes = 0;
  int64_t target_vector_file_bytes = 0;
  int64_t target_file_rows = 0;
  VideoValidation validation = VideoValidation::kFrames;
  int64_t max_video_pixels = kDefaultMaxPixels;

  /// Refuses values that do not parse and formats that are not written, by the name of the option.
  static Result<WriterOptions> From(const TableSchema& schema);
};

}  // namespace reelhouse
