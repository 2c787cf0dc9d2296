#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include <arrow/type_fwd.h>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/media/image_source.h"
#include "reelhouse/media/video_encoder.h"
#include "reelhouse/write/row_batch.h"

namespace reelhouse {

/// Rows to be added, as a stream of Arrow batches with columns found by name.
struct RowInput {
  std::shared_ptr<arrow::RecordBatchReader> rows;
  /// URIs that the caller named by objects of its own (not by bytes inside rows): references to them are followed
  /// anywhere.
  std::unordered_set<std::string> trusted_uris = {};
  /// Cells of BLOB columns that are content whatever they look like: column -> row numbers in the stream.
  std::map<std::string, std::set<int64_t>> literal_blobs = {};
};

/// Pulls the next part of the rows, or nothing at the end. Called on the calling thread.
using RowInputs = std::function<Result<std::optional<RowInput>>()>;
RowInputs OneRowInput(RowInput rows);

/// A complete encoded video and the rows of its consecutive frames.
struct VideoInput {
  std::shared_ptr<const VideoPayload> video;
  RowInput rows;
  int64_t first_frame = 0;
};

/// Pulls the next item, or nothing at the end. Called on the calling thread.
using VideoInputs = std::function<Result<std::optional<VideoInput>>()>;

/// The images of one camera and how they become a video.
struct ImageStream {
  std::shared_ptr<ImageSource> images;
  EncodingOptions encoding;
};

/// One episode: images by video column ("" = the only one of the table), and one row an image.
struct EpisodeInput {
  std::map<std::string, ImageStream> cameras;
  RowInput rows;
};

/// Several episodes, pulled lazily; `next` gives nothing at the end and is called from several threads, one at a time.
struct EpisodeInputs {
  std::function<Result<std::optional<EpisodeInput>>()> next;
  int64_t size_hint = -1;  ///< number of items where it is known before
};

/// What every writing call takes besides its data.
struct WriteOptions {
  std::map<std::string, std::string> properties;  ///< stored in the snapshot
  std::string video_column;                       ///< may be empty where the table has one
  ProgressCallback progress;
  CancellationCheck cancelled;
};

/// A video from a path, a range of a file, or memory. Paths and ranges are named by the caller and may lie anywhere.
std::shared_ptr<const VideoPayload> VideoFromPath(std::string path);
std::shared_ptr<const VideoPayload> VideoFromRange(std::string path, int64_t offset_bytes, int64_t length_bytes);
std::shared_ptr<const VideoPayload> VideoFromBytes(std::shared_ptr<arrow::Buffer> bytes, std::string name);

}  // namespace reelhouse
