#include "reelhouse/write/writer_options.h"

#include <algorithm>
#include <limits>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

// An update rewrites its columns for a whole group, so groups of video tables stay small.
constexpr int64_t kVideoGroupRows = 131072;
constexpr int64_t kTargetFileBytes = int64_t{256} << 20;

Status RequireParquet(const Options& options, std::string_view key) {
  const std::string format = options.GetText(key, "parquet");
  if (EqualsIgnoreCase(format, "parquet")) return Status::OK();
  return Status::NotImplemented("option '", key, "': only parquet files are written, found '", format, "'");
}

}  // namespace

Result<WriterOptions> WriterOptions::From(const TableSchema& schema) {
  const Options& options = schema.options;
  ARROW_RETURN_NOT_OK(RequireParquet(options, "file.format"));
  ARROW_RETURN_NOT_OK(RequireParquet(options, "vector.file.format"));
  const std::string bucket = options.GetText("bucket", "-1");
  if (bucket != "-1") {
    return Status::NotImplemented("option 'bucket': only tables without buckets (-1) are written, found '", bucket,
                                  "'");
  }
  WriterOptions typed;
  typed.file_prefix = options.GetText("data-file.prefix", typed.file_prefix);
  if (typed.file_prefix.find('/') != std::string::npos) {
    return Status::Invalid("option 'data-file.prefix': expected a name without '/', found '", typed.file_prefix, "'");
  }
  ARROW_ASSIGN_OR_RAISE(typed.parquet, ParquetWriteOptions::From(options));
  typed.has_statistics = !EqualsIgnoreCase(options.GetText("metadata.stats-mode", "full"), "none");
  ARROW_ASSIGN_OR_RAISE(typed.write_cols_optimization,
                        options.GetBool("data-evolution.write-cols-optimization.enabled", false));
  ARROW_ASSIGN_OR_RAISE(typed.target_file_bytes, options.GetBytes("target-file-size", kTargetFileBytes));
  ARROW_ASSIGN_OR_RAISE(typed.target_blob_file_bytes,
                        options.GetBytes("blob.target-file-size", typed.target_file_bytes));
  ARROW_ASSIGN_OR_RAISE(typed.target_vector_file_bytes,
                        options.GetBytes("vector.target-file-size", typed.target_file_bytes));
  ARROW_ASSIGN_OR_RAISE(typed.target_file_rows,
                        options.GetInt("target-file-row-num", std::numeric_limits<int64_t>::max()));
  if (typed.target_file_rows < 1) {
    return Status::Invalid("option 'target-file-row-num': expected at least 1, found ", typed.target_file_rows);
  }
  if (!schema.VideoColumns().empty()) typed.target_file_rows = std::min(typed.target_file_rows, kVideoGroupRows);
  ARROW_ASSIGN_OR_RAISE(typed.validation,
                        ParseVideoValidation(options.GetText("reelhouse.video.validation", "frames")));
  ARROW_ASSIGN_OR_RAISE(typed.max_video_pixels, options.GetInt(kVideoMaxPixelsOption, kDefaultMaxPixels));
  return typed;
}

}  // namespace reelhouse
