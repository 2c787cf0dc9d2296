#include "reelhouse/write/checked_videos.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <fmt/format.h>

#include "reelhouse/format/video/video_file_writer.h"
#include "reelhouse/format/video/video_layout.h"
#include "reelhouse/media/keyframe_index.h"

namespace reelhouse {
namespace {

// Enough for the videos that rows in flight show; an older one is looked at again.
constexpr size_t kMostRemembered = 1024;
constexpr int64_t kMostHeldBytes = int64_t{256} << 20;

int64_t BytesInMemory(const CheckedVideo& video) {
  return video.payload->bytes == nullptr ? 0 : video.payload->bytes->size();
}

std::string NameOf(const VideoPayload& payload) {
  if (!payload.name.empty()) return payload.name;
  return payload.location.empty() ? "video in memory" : payload.location;
}

// The open source of a payload and the range of it that is the video.
struct SourceRange {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t file_bytes = 0;
  int64_t length_bytes = 0;
};

Result<SourceRange> OpenSource(FileStore& files, const VideoPayload& payload) {
  SourceRange source;
  if (payload.bytes != nullptr) {
    source.file = std::make_shared<arrow::io::BufferReader>(payload.bytes);
  } else {
    auto opened = files.OpenInput(payload.location);
    if (!opened.ok()) return opened.status();
    source.file = std::move(opened).ValueUnsafe();
  }
  ARROW_ASSIGN_OR_RAISE(source.file_bytes, source.file->GetSize());
  const int64_t available = source.file_bytes - payload.offset_bytes;
  if (payload.offset_bytes < 0 || available < 0 || payload.length_bytes > available) {
    return Status::Invalid(fmt::format("{}: expected {} bytes, found {} (from byte {})", NameOf(payload),
                                       std::max<int64_t>(payload.length_bytes, 0), std::max<int64_t>(available, 0),
                                       payload.offset_bytes));
  }
  source.length_bytes = payload.length_bytes < 0 ? available : payload.length_bytes;
  if (source.length_bytes == 0) return Status::Invalid(NameOf(payload), ": the video is empty (0 bytes)");
  return source;
}

// The keyframe index that the source keeps of its video, checked.
Result<std::string> ReadStoredIndex(const VideoPayload& payload, const SourceRange& source) {
  const int64_t at = payload.keyframe_index_offset_bytes;
  const int64_t length = payload.keyframe_index_length_bytes;
  if (length > video_layout::kMaxKeyframeIndexBytes || at < 0 || at > source.file_bytes ||
      length > source.file_bytes - at) {
    return Status::Invalid(
        fmt::format("{}: keyframe index of {} bytes from byte {}: expected at most {} bytes within "
                    "the {} bytes of the file",
                    NameOf(payload), length, at, video_layout::kMaxKeyframeIndexBytes, source.file_bytes));
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, source.file->ReadAt(at, length));
  std::string index(reinterpret_cast<const char*>(bytes->data()), static_cast<size_t>(bytes->size()));
  const auto parsed = KeyframeIndex::Deserialize(index, source.length_bytes);
  if (!parsed.ok()) return Prefixed(fmt::format("{}: keyframe index at byte {}", NameOf(payload), at), parsed.status());
  return index;
}

}  // namespace

CheckedVideos::CheckedVideos(std::shared_ptr<FileStore> files, VideoValidation validation, int64_t max_pixels)
    : files_(std::move(files)), validation_(validation), max_pixels_(max_pixels) {}

Status CheckedVideos::MakeReadable(const std::string& location) {
  for (VideoFileWriter* file : open_files_) {
    if (file->path() == location) return file->payload_file().Flush();
  }
  return Status::OK();
}

void CheckedVideos::Remember(std::shared_ptr<const CheckedVideo> video) {
  const std::string key = video->payload->Identity();
  const auto found = videos_.find(key);
  if (found != videos_.end()) {
    held_bytes_ += BytesInMemory(*video) - BytesInMemory(*found->second.video);
    uses_.splice(uses_.begin(), uses_, found->second.use);
    found->second.video = std::move(video);
    return;
  }
  held_bytes_ += BytesInMemory(*video);
  uses_.push_front(key);
  videos_[key] = {std::move(video), uses_.begin()};
  while (videos_.size() > 1 && (videos_.size() > kMostRemembered || held_bytes_ > kMostHeldBytes)) ForgetOldest();
}

void CheckedVideos::ForgetOldest() {
  const auto oldest = videos_.find(uses_.back());
  held_bytes_ -= BytesInMemory(*oldest->second.video);
  videos_.erase(oldest);
  uses_.pop_back();
}

Result<std::shared_ptr<const CheckedVideo>> CheckedVideos::Check(const std::shared_ptr<const VideoPayload>& payload) {
  const auto found = videos_.find(payload->Identity());
  // A video in memory is known by its address; what is remembered is kept alive, so its address is not used again.
  if (found != videos_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second.video;
  }
  ARROW_ASSIGN_OR_RAISE(auto video, Inspect(payload));
  Remember(video);
  return video;
}

Result<std::shared_ptr<const CheckedVideo>> CheckedVideos::Inspect(const std::shared_ptr<const VideoPayload>& payload) {
  if (payload->bytes == nullptr) ARROW_RETURN_NOT_OK(MakeReadable(payload->location));
  ARROW_ASSIGN_OR_RAISE(const SourceRange source, OpenSource(*files_, *payload));
  auto video = std::make_shared<CheckedVideo>();
  video->payload = payload;
  video->identity = payload->bytes == nullptr ? payload->Identity() : fmt::format("memory:{}", videos_in_memory_++);
  video->length_bytes = source.length_bytes;
  const bool has_stored_index = payload->keyframe_index_length_bytes > 0;
  if (has_stored_index) {
    ARROW_ASSIGN_OR_RAISE(video->keyframe_index, ReadStoredIndex(*payload, source));
    if (validation_ == VideoValidation::kNone) return video;
  }
  ARROW_ASSIGN_OR_RAISE(
      const VideoInspection inspection,
      InspectVideo({source.file, payload->offset_bytes, source.length_bytes, NameOf(*payload), max_pixels_},
                   validation_));
  video->frame_count = inspection.frame_count;
  if (!has_stored_index) {
    ARROW_ASSIGN_OR_RAISE(video->keyframe_index, inspection.index.Serialize());
  }
  return video;
}

Result<std::vector<CheckedRun>> CheckedVideos::CheckRuns(const std::vector<VideoRun>& runs) {
  std::vector<CheckedRun> checked;
  checked.reserve(runs.size());
  for (const VideoRun& run : runs) {
    if (run.row_count <= 0) continue;
    if (run.payload == nullptr) {
      checked.push_back({nullptr, 0, run.row_count});
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto video, Check(run.payload));
    if (run.first_frame_index < 0) {
      return Status::Invalid(NameOf(*run.payload), ": first frame ", run.first_frame_index, " is negative");
    }
    if (video->frame_count >= 0 && run.row_count > video->frame_count - run.first_frame_index) {
      return Status::Invalid(fmt::format("{}: holds {} frames, but rows need frames {} to {}", NameOf(*run.payload),
                                         video->frame_count, run.first_frame_index,
                                         run.first_frame_index + run.row_count - 1));
    }
    checked.push_back({std::move(video), run.first_frame_index, run.row_count});
  }
  return checked;
}

}  // namespace reelhouse
