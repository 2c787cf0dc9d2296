#include "reelhouse/table/episode_encoding.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/table.h>

#include "reelhouse/media/picture_limits.h"

namespace reelhouse {

namespace {

struct Camera {
  std::string column;
  ImageStream stream;
  std::unique_ptr<StagedVideo> video;
  std::optional<EncodedVideo> encoded;
  Status status;
};

Result<std::vector<Camera>> ResolveCameras(const Append& append, EpisodeInput& episode,
                                           const std::string& video_column) {
  if (episode.cameras.empty()) return Status::Invalid("images must name at least one video column.");
  std::vector<Camera> cameras;
  std::set<std::string> taken;
  for (auto& [name, stream] : episode.cameras) {
    Camera camera;
    ARROW_ASSIGN_OR_RAISE(camera.column, append.VideoColumn(name.empty() ? video_column : name, "add_images_as_video"));
    if (!taken.insert(camera.column).second) {
      return Status::Invalid("images: video column '", camera.column, "' is given twice.");
    }
    camera.stream = std::move(stream);
    ARROW_RETURN_NOT_OK(camera.stream.encoding.Validate());
    if (!camera.stream.encoding.max_image_pixels) {
      ARROW_ASSIGN_OR_RAISE(camera.stream.encoding.max_image_pixels,
                            append.schema().options.GetInt(kImageMaxPixelsOption, kDefaultMaxPixels));
    }
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

/// Refuses cameras whose number of images is known and is not that of the rows, before anything is encoded.
Status CheckImageCounts(const std::vector<Camera>& cameras, int64_t row_count) {
  if (cameras.size() < 2) return Status::OK();  // the encoding of one does the same
  const Camera* wrong = nullptr;
  std::string counts;
  for (const Camera& camera : cameras) {
    const int64_t count = camera.stream.images->size_hint();
    if (count >= 0 && count != row_count && !wrong) wrong = &camera;
    counts +=
        (counts.empty() ? "" : ", ") + camera.column + ": " + (count < 0 ? "not known yet" : std::to_string(count));
  }
  if (!wrong) return Status::OK();
  return Status::Invalid("video column '", wrong->column, "': Image count ", wrong->stream.images->size_hint(),
                         " does not match frame row count ", row_count, ". All cameras must have the same number of ",
                         "images; they have ", counts, ".");
}

/// Takes a video that no row will show.
class NoSink final : public VideoSink {
 public:
  Status Append(const void*, int64_t) override { return Status::OK(); }
  Status Overwrite(int64_t, const void*, int64_t) override { return Status::OK(); }
};

/// The failure of an episode without rows: no image either, or how many there are too much.
Status RefuseWithoutRows(Camera& camera, const CancellationCheck& cancelled) {
  NoSink nowhere;
  ARROW_RETURN_NOT_OK(EncodeImages(*camera.stream.images, camera.stream.encoding, 0, nowhere, {}, cancelled).status());
  return Status::Invalid("images must contain at least one frame.");
}

/// Encodes each camera on a thread of its own while the calling thread reports progress and asks for cancellation.
void EncodeSideBySide(std::vector<Camera>& cameras, int64_t row_count, const ProgressCallback& progress,
                      const CancellationCheck& cancelled) {
  std::mutex mutex;
  std::condition_variable changed;
  size_t running = cameras.size();
  std::vector<int64_t> done(cameras.size(), 0);
  std::atomic<bool> stop{false};

  std::vector<std::thread> threads;
  for (size_t i = 0; i < cameras.size(); ++i) {
    threads.emplace_back([&, i] {
      Camera& camera = cameras[i];
      Result<EncodedVideo> encoded = EncodeImages(
          *camera.stream.images, camera.stream.encoding, row_count, *camera.video,
          [&](int64_t frames, int64_t) {
            std::lock_guard lock(mutex);
            done[i] = frames;
            changed.notify_all();
          },
          [&]() -> Status { return stop ? Status::Cancelled("another camera failed") : Status::OK(); });
      camera.status = encoded.status();
      if (encoded.ok()) camera.encoded = std::move(encoded).ValueUnsafe();
      std::lock_guard lock(mutex);
      if (!camera.status.ok()) stop = true;
      --running;
      changed.notify_all();
    });
  }

  Status interrupted;
  std::unique_lock lock(mutex);
  while (running > 0) {
    changed.wait_for(lock, std::chrono::milliseconds(50));
    int64_t frames = 0;
    for (int64_t count : done) frames += count;
    lock.unlock();  // callbacks may be slow, or wait for a lock that an image source holds
    if (progress) progress(frames / static_cast<int64_t>(cameras.size()), row_count);
    if (interrupted.ok() && cancelled) interrupted = cancelled();
    if (!interrupted.ok()) stop = true;
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  if (!interrupted.ok()) cameras.front().status = interrupted;
}

/// The failure that the user should see: not the cancellation that it caused in other cameras.
Status FirstCause(const std::vector<Camera>& cameras) {
  Status cause;
  for (const Camera& camera : cameras) {
    if (camera.status.ok()) continue;
    if (!camera.status.IsCancelled()) {
      return cameras.size() > 1 ? Prefixed("video column '" + camera.column + "'", camera.status) : camera.status;
    }
    if (cause.ok()) cause = camera.status;
  }
  return cause;
}

}  // namespace

Result<int64_t> WriteEpisode(const Append& append, TableWriter& writer, EpisodeInput episode,
                             const std::string& video_column, const ProgressCallback& progress,
                             const CancellationCheck& cancelled) {
  ARROW_ASSIGN_OR_RAISE(std::vector<Camera> cameras, ResolveCameras(append, episode, video_column));
  std::set<std::string> columns;
  for (const Camera& camera : cameras) columns.insert(camera.column);

  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Table> table, episode.rows.rows->ToTable());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, table->CombineChunksToBatch());
  ARROW_ASSIGN_OR_RAISE(RowBatch batch, append.Align(rows, episode.rows.trusted_uris, columns));
  batch.literal_blobs = episode.rows.literal_blobs;
  const int64_t row_count = rows->num_rows();
  if (row_count == 0) return RefuseWithoutRows(cameras.front(), cancelled);
  ARROW_RETURN_NOT_OK(CheckImageCounts(cameras, row_count));

  for (Camera& camera : cameras) {
    ARROW_ASSIGN_OR_RAISE(camera.video, writer.StageVideo(camera.column, batch));
  }
  if (cameras.size() == 1) {
    Camera& only = cameras.front();
    Result<EncodedVideo> encoded =
        EncodeImages(*only.stream.images, only.stream.encoding, row_count, *only.video, progress, cancelled);
    only.status = encoded.status();
    if (encoded.ok()) only.encoded = std::move(encoded).ValueUnsafe();
  } else {
    EncodeSideBySide(cameras, row_count, progress, cancelled);
  }
  ARROW_RETURN_NOT_OK(FirstCause(cameras));

  for (Camera& camera : cameras) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const VideoPayload> payload,
                          camera.video->Finish(camera.encoded->index, camera.encoded->frame_count));
    camera.video.reset();
    batch.videos[camera.column] = {VideoRun{std::move(payload), 0, row_count}};
  }
  ARROW_RETURN_NOT_OK(writer.Write(std::move(batch)));
  return row_count;
}

}  // namespace reelhouse
