#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/file_changes.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_sink.h"
#include "reelhouse/schema/table_schema.h"
#include "reelhouse/write/row_batch.h"

namespace reelhouse {

struct WriteContext {
  std::shared_ptr<FileStore> files;
  std::shared_ptr<const TableSchema> schema;
  std::string table_path;
  CancellationCheck cancelled;
};

/// A video that is encoded straight into the `.video` file in which it will stay. Finish (or destroy) it before the
/// next `Write` or `Finish` of its writer. Videos of several columns may be encoded at once, each on a thread of its
/// own.
class StagedVideo : public VideoSink {
 public:
  /// The payload for runs that are written next.
  virtual Result<std::shared_ptr<const VideoPayload>> Finish(const KeyframeIndex& index, int64_t frame_count) = 0;
};

/// Rows of one append on their way into new data files, rolled as format notes 4.3 and 4.4 say; cannot commit. Videos
/// are validated (`reelhouse.video.validation`) before their bytes are copied. Nothing stays behind unless `Finish`
/// succeeded. Not thread safe.
class TableWriter {
 public:
  static Result<std::unique_ptr<TableWriter>> Make(WriteContext context);
  virtual ~TableWriter() = default;

  virtual Status Write(RowBatch batch) = 0;

  /// Where to encode a video of `column` whose rows (all of `rows`) are written next; no file is made before its first
  /// byte. Rows of other partitions get a copy.
  virtual Result<std::unique_ptr<StagedVideo>> StageVideo(const std::string& column, const RowBatch& rows) = 0;

  /// Closes all files. Empty changes if no row was written.
  virtual Result<FileChanges> Finish() = 0;
  virtual int64_t row_count() const = 0;
};

}  // namespace reelhouse
