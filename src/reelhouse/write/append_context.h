#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/data_file.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/write/checked_videos.h"
#include "reelhouse/write/staged_files.h"
#include "reelhouse/write/writer_options.h"

namespace reelhouse {

/// What all file writers of one append share. Outlives them.
struct AppendContext {
  AppendContext(std::shared_ptr<FileStore> store, std::shared_ptr<const TableSchema> table_schema,
                const std::string& table_path, WriterOptions writer_options, CancellationCheck check)
      : files(std::move(store)),
        schema(std::move(table_schema)),
        options(std::move(writer_options)),
        cancelled(std::move(check)),
        staged(files, table_path),
        videos(files, options.validation, options.max_video_pixels) {}

  Status CheckCancelled() const { return cancelled ? cancelled() : Status::OK(); }

  std::shared_ptr<FileStore> files;
  std::shared_ptr<const TableSchema> schema;
  WriterOptions options;
  CancellationCheck cancelled;
  StagedFiles staged;
  CheckedVideos videos;
};

/// The entry of a new file of this append, without statistics: unstamped, no row id (format notes, 2.4 and 3.2).
DataFile NewDataFile(const AppendContext& context, const std::string& path, int64_t size_bytes, int64_t rows);

}  // namespace reelhouse
