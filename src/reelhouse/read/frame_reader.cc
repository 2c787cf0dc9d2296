#include "reelhouse/read/frame_reader.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/read/reference_roots.h"

namespace reelhouse {
namespace {

constexpr int64_t kMostKeyframeIndexBytes = 16 << 20;

// The frames that are wanted of one video, and the cells that want them.
struct WantedVideo {
  VideoFrameDescriptor descriptor;  ///< of the first of its cells
  std::vector<int64_t> frame_indexes;
  std::vector<int64_t> positions;
};

using FailedFrames = std::vector<std::pair<size_t, Status>>;

Result<std::string_view> BytesOfCell(const arrow::Array& cells, int64_t i) {
  if (cells.type_id() == arrow::Type::LARGE_BINARY)
    return static_cast<const arrow::LargeBinaryArray&>(cells).GetView(i);
  if (cells.type_id() == arrow::Type::BINARY) return static_cast<const arrow::BinaryArray&>(cells).GetView(i);
  return Status::TypeError("expected a column of serialized VideoFrameDescriptors, found ", cells.type()->ToString());
}

std::string RowText(const arrow::Int64Array* row_ids, int64_t position) {
  if (row_ids == nullptr || row_ids->IsNull(position)) return fmt::format("row {}", position);
  return fmt::format("row id {}", row_ids->Value(position));
}

// Cells by video, the videos with the most frames first: they decide when all is done.
Result<std::vector<WantedVideo>> GroupByVideo(const arrow::Array& cells, const arrow::Int64Array* row_ids) {
  using Key = std::tuple<std::string, int64_t, int64_t>;
  std::map<Key, size_t> place_of;
  std::vector<WantedVideo> videos;
  WantedVideo* last = nullptr;
  for (int64_t i = 0; i < cells.length(); ++i) {
    if (cells.IsNull(i)) continue;
    ARROW_ASSIGN_OR_RAISE(std::string_view bytes, BytesOfCell(cells, i));
    Result<VideoFrameDescriptor> parsed = VideoFrameDescriptor::Deserialize(bytes);
    if (!parsed.ok()) return Prefixed(RowText(row_ids, i), parsed.status());
    VideoFrameDescriptor descriptor = *std::move(parsed);
    // Rows of one video mostly follow each other.
    if (last == nullptr || !(last->descriptor.payload() == descriptor.payload())) {
      Key key{descriptor.uri, descriptor.offset_bytes, descriptor.length_bytes};
      auto [found, is_new] = place_of.try_emplace(std::move(key), videos.size());
      if (is_new) videos.push_back({descriptor, {}, {}});
      last = &videos[found->second];
    }
    last->frame_indexes.push_back(descriptor.frame_index);
    last->positions.push_back(i);
  }
  std::stable_sort(videos.begin(), videos.end(), [](const WantedVideo& a, const WantedVideo& b) {
    return a.frame_indexes.size() > b.frame_indexes.size();
  });
  return videos;
}

Result<VideoBytes> OpenVideo(FileStore& files, const VideoFrameDescriptor& descriptor, int64_t max_pixels) {
  VideoBytes video;
  video.max_pixels = max_pixels;
  ARROW_ASSIGN_OR_RAISE(video.file, files.OpenInput(descriptor.uri));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, video.file->GetSize());
  video.offset_bytes = descriptor.offset_bytes;
  video.length_bytes = descriptor.length_bytes;
  video.name = descriptor.uri;
  if (video.length_bytes < 0) video.length_bytes = std::max<int64_t>(size - video.offset_bytes, 0);
  if (video.offset_bytes > size || video.length_bytes > size - video.offset_bytes) {
    return CorruptFile(descriptor.uri, descriptor.offset_bytes,
                       fmt::format("a video of {} bytes is expected here, but the file ends at byte {}",
                                   descriptor.length_bytes, size));
  }
  return video;
}

// The stored keyframe index; empty where there is none that can be used. It only saves work: without it the decoder
// makes its own.
KeyframeIndex StoredIndex(const VideoBytes& video, const VideoFrameDescriptor& descriptor) {
  const int64_t length = descriptor.keyframe_index_length_bytes;
  if (descriptor.keyframe_index_offset_bytes < 0 || length <= 0 || length > kMostKeyframeIndexBytes) return {};
  auto bytes = video.file->ReadAt(descriptor.keyframe_index_offset_bytes, length);
  if (!bytes.ok() || (*bytes)->size() != length) return {};
  auto index = KeyframeIndex::Deserialize(
      std::string_view(reinterpret_cast<const char*>((*bytes)->data()), static_cast<size_t>(length)),
      video.length_bytes);
  return index.ok() ? *std::move(index) : KeyframeIndex();
}

void Add(const DecoderStats& more, DecoderStats* to) {
  to->packets_fed += more.packets_fed;
  to->frames_decoded += more.frames_decoded;
  to->seeks += more.seeks;
  to->reads += more.reads;
  to->bytes_read += more.bytes_read;
}

}  // namespace

struct FrameReader::State {
  std::shared_ptr<FileStore> files;
  std::vector<std::string> roots;
  mutable std::mutex mutex;
  DecoderStats stats;

  using Take = std::function<Status(int64_t, DecodedFrame)>;

  Status ReadVideo(const WantedVideo& video, const FrameRequest& request, const arrow::Int64Array* row_ids, int threads,
                   const std::function<Status(size_t, DecodedFrame)>& take);
  Result<FailedFrames> Decode(VideoBytes video, KeyframeIndex index, const std::vector<int64_t>& frame_indexes,
                              const FrameFormat& format, int threads,
                              const std::function<Status(size_t, DecodedFrame)>& take);
};

FrameReader::FrameReader(std::shared_ptr<FileStore> files, std::vector<std::string> roots)
    : state_(std::make_unique<State>()) {
  state_->files = std::move(files);
  state_->roots = std::move(roots);
}

FrameReader::~FrameReader() = default;

DecoderStats FrameReader::stats() const {
  std::lock_guard lock(state_->mutex);
  return state_->stats;
}

// One pass over a video. The frames that could not be had come back with why.
Result<FailedFrames> FrameReader::State::Decode(VideoBytes video, KeyframeIndex index,
                                                const std::vector<int64_t>& frame_indexes, const FrameFormat& format,
                                                int threads, const std::function<Status(size_t, DecodedFrame)>& take) {
  FailedFrames failed;
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<FrameDecoder> decoder,
                        FrameDecoder::Open(std::move(video), std::move(index), threads));
  Status status = decoder->Decode(frame_indexes, format, take, [&failed](size_t at, Status why) {
    failed.emplace_back(at, std::move(why));
    return Status::OK();
  });
  {
    std::lock_guard lock(mutex);
    Add(decoder->stats(), &stats);
  }
  ARROW_RETURN_NOT_OK(status);
  return failed;
}

Status FrameReader::State::ReadVideo(const WantedVideo& video, const FrameRequest& request,
                                     const arrow::Int64Array* row_ids, int threads,
                                     const std::function<Status(size_t, DecodedFrame)>& take) {
  const VideoFrameDescriptor& descriptor = video.descriptor;
  auto failure_of = [&](size_t at, const Status& why) {
    ErrorFields fields;
    fields.path = descriptor.uri;
    const int64_t position = video.positions[at];
    if (row_ids != nullptr && row_ids->IsValid(position)) fields.row_id = row_ids->Value(position);
    fields.frame_index = video.frame_indexes[at];
    return MakeError(ErrorKind::kVideoDecode,
                     fmt::format("{}: video at byte {}: {}, frame {}: {}", descriptor.uri, descriptor.offset_bytes,
                                 RowText(row_ids, position), video.frame_indexes[at], why.message()),
                     std::move(fields));
  };
  const bool forgives = request.on_error == OnFrameError::kNull;

  Result<VideoBytes> bytes = OpenVideo(*files, descriptor, request.max_pixels.value_or(kDefaultMaxPixels));
  if (!bytes.ok()) return forgives && !bytes.status().IsCancelled() ? Status::OK() : bytes.status();

  // A failure of `take` is the caller's and must not be mistaken for one of the video.
  Status refused;
  auto guarded_take = [&](size_t at, DecodedFrame frame) -> Status {
    refused = take(at, std::move(frame));
    return refused;
  };
  KeyframeIndex index = StoredIndex(*bytes, descriptor);
  const bool has_index = !index.empty();
  Result<FailedFrames> failed =
      Decode(*bytes, std::move(index), video.frame_indexes, request.format, threads, guarded_take);
  ARROW_RETURN_NOT_OK(refused);
  if (has_index && (!failed.ok() || !failed->empty())) {
    // The stored index may be the culprit: once more with one of our own, for what is missing.
    std::vector<size_t> again;
    std::vector<int64_t> frame_indexes;
    if (failed.ok()) {
      for (const auto& [at, why] : *failed) again.push_back(at);
    } else {
      for (size_t at = 0; at < video.frame_indexes.size(); ++at) again.push_back(at);
    }
    for (size_t at : again) frame_indexes.push_back(video.frame_indexes[at]);
    failed = Decode(*bytes, {}, frame_indexes, request.format, threads,
                    [&](size_t at, DecodedFrame frame) { return guarded_take(again[at], std::move(frame)); });
    ARROW_RETURN_NOT_OK(refused);
    if (failed.ok()) {
      for (auto& [at, why] : *failed) at = again[at];
    }
  }
  // Not a word on the video.
  if (failed.status().IsOutOfMemory() || failed.status().IsCancelled()) return failed.status();
  if (forgives) return Status::OK();
  if (!failed.ok()) return failure_of(0, failed.status());
  if (!failed->empty()) return failure_of(failed->front().first, failed->front().second);
  return Status::OK();
}

Status FrameReader::ReadInto(const arrow::Array& cells, const arrow::Int64Array* row_ids, const FrameRequest& request,
                             const std::function<Status(int64_t, DecodedFrame)>& take) {
  if (row_ids != nullptr && row_ids->length() != cells.length()) {
    return Status::Invalid("expected a row id for each of ", cells.length(), " cells, found ", row_ids->length());
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<WantedVideo> videos, GroupByVideo(cells, row_ids));
  ReferenceRoots roots(state_->roots);
  for (const WantedVideo& video : videos) ARROW_RETURN_NOT_OK(roots.Check(video.descriptor.uri));

  const int threads = request.threads > 0 ? request.threads : ThreadsOfProcess();
  const int threads_of_video = std::max<int>(1, threads / std::max<int>(1, static_cast<int>(videos.size())));
  const std::thread::id caller = std::this_thread::get_id();
  return ParallelFor(
      static_cast<int64_t>(videos.size()),
      [&](int64_t i) {
        const WantedVideo& video = videos[i];
        return state_->ReadVideo(video, request, row_ids, threads_of_video, [&](size_t at, DecodedFrame frame) {
          // One long video would otherwise be decoded to its end before anybody asks.
          if (request.cancelled && std::this_thread::get_id() == caller) ARROW_RETURN_NOT_OK(request.cancelled());
          return take(video.positions[at], std::move(frame));
        });
      },
      threads, request.cancelled);
}

Result<std::vector<std::optional<DecodedFrame>>> FrameReader::Read(const arrow::Array& cells,
                                                                   const arrow::Int64Array* row_ids,
                                                                   const FrameRequest& request) {
  std::vector<std::optional<DecodedFrame>> frames(static_cast<size_t>(cells.length()));
  ARROW_RETURN_NOT_OK(ReadInto(cells, row_ids, request, [&frames](int64_t position, DecodedFrame frame) {
    frames[position] = std::move(frame);
    return Status::OK();
  }));
  return frames;
}

}  // namespace reelhouse
