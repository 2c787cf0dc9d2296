#include "reelhouse/write/video_column_writer.h"

#include <algorithm>

#include <arrow/buffer.h>
#include <fmt/format.h>

#include "reelhouse/base/uuid.h"
#include "reelhouse/write/blob_column_writer.h"

namespace reelhouse {

VideoColumnWriter::VideoColumnWriter(AppendContext& context, std::string folder, DataField column)
    : context_(context), folder_(std::move(folder)), column_(std::move(column)), uuid_(NewUuid()) {}

VideoColumnWriter::~VideoColumnWriter() { ForgetFile(); }

void VideoColumnWriter::ForgetFile() {
  if (file_ != nullptr) context_.videos.RemoveOpenFile(file_.get());
  file_.reset();
  ordinals_.clear();
}

bool VideoColumnWriter::IsFull() const {
  return file_ != nullptr && file_->row_count() > 0 &&
         (file_->content_bytes() >= context_.options.target_blob_file_bytes ||
          file_->row_count() >= context_.options.target_file_rows);
}

Status VideoColumnWriter::EnsureFile() {
  if (file_ != nullptr) return Status::OK();
  const std::string name = fmt::format("{}{}-{}.video", context_.options.file_prefix, uuid_, next_ordinal_++);
  ARROW_ASSIGN_OR_RAISE(auto file, context_.staged.Create(folder_, name));
  file_ = std::make_unique<VideoFileWriter>(std::move(file));
  context_.videos.AddOpenFile(file_.get());
  return Status::OK();
}

Status VideoColumnWriter::Write(const std::vector<CheckedRun>& runs) {
  for (const CheckedRun& run : runs) ARROW_RETURN_NOT_OK(WriteRun(run));
  return Status::OK();
}

Status VideoColumnWriter::WriteRun(const CheckedRun& run) {
  ARROW_RETURN_NOT_OK(context_.CheckCancelled());
  if (run.video == nullptr) {
    ARROW_RETURN_NOT_OK(EnsureFile());
    return file_->AppendNulls(run.row_count);
  }
  auto known = ordinals_.find(run.video->identity);
  if (known == ordinals_.end()) {
    // Only a video that has to be copied anyway may start the next file.
    if (IsFull()) ARROW_RETURN_NOT_OK(CloseFile());
    ARROW_RETURN_NOT_OK(EnsureFile());
    auto copied = CopyVideo(*run.video);
    if (!copied.ok()) return Prefixed(fmt::format("Column '{}'", column_.name), copied.status());
    known = ordinals_.emplace(run.video->identity, *copied).first;
  }
  return file_->AppendFrames(known->second, run.first_frame_index, run.row_count);
}

Result<int64_t> VideoColumnWriter::CopyVideo(const CheckedVideo& video) {
  const VideoPayload& payload = *video.payload;
  ARROW_RETURN_NOT_OK(file_->BeginPayload());
  OutputFile& target = file_->payload_file();
  if (payload.bytes != nullptr) {
    constexpr int64_t kPieceBytes = int64_t{8} << 20;
    for (int64_t at = 0; at < video.length_bytes; at += kPieceBytes) {
      ARROW_RETURN_NOT_OK(context_.CheckCancelled());
      ARROW_RETURN_NOT_OK(target.Write(payload.bytes->data() + payload.offset_bytes + at,
                                       std::min(kPieceBytes, video.length_bytes - at)));
    }
  } else {
    ARROW_RETURN_NOT_OK(context_.videos.MakeReadable(payload.location));
    ARROW_RETURN_NOT_OK(target.AppendRange(payload.location, payload.offset_bytes, video.length_bytes));
  }
  return file_->EndPayload(video.keyframe_index);
}

Status VideoColumnWriter::BeginStaged() {
  if (IsFull()) ARROW_RETURN_NOT_OK(CloseFile());
  ARROW_RETURN_NOT_OK(EnsureFile());
  return file_->BeginPayload();
}

Status VideoColumnWriter::AppendStaged(const void* data, int64_t size_bytes) {
  return file_->payload_file().Write(data, size_bytes);
}

Status VideoColumnWriter::OverwriteStaged(int64_t offset_bytes, const void* data, int64_t size_bytes) {
  if (offset_bytes < 0) return Status::Invalid(file_->path(), ": overwrite at ", offset_bytes);
  return file_->payload_file().WriteAt(file_->payload_offset_bytes() + offset_bytes, data, size_bytes);
}

Result<std::shared_ptr<const CheckedVideo>> VideoColumnWriter::EndStaged(const KeyframeIndex& index,
                                                                         int64_t frame_count) {
  ARROW_ASSIGN_OR_RAISE(const int64_t end, file_->payload_file().Tell());
  auto payload = std::make_shared<VideoPayload>();
  payload->name = fmt::format("video encoded for column '{}'", column_.name);
  payload->location = file_->path();
  payload->offset_bytes = file_->payload_offset_bytes();
  payload->length_bytes = end - payload->offset_bytes;
  auto video = std::make_shared<CheckedVideo>();
  video->identity = payload->Identity();
  video->length_bytes = payload->length_bytes;
  video->frame_count = frame_count;
  if (!index.empty()) ARROW_RETURN_NOT_OK(Prefixed(payload->name, index.Validate(payload->length_bytes)));
  ARROW_ASSIGN_OR_RAISE(video->keyframe_index, index.Serialize());
  ARROW_ASSIGN_OR_RAISE(const int64_t ordinal, file_->EndPayload(video->keyframe_index));
  ordinals_[video->identity] = ordinal;
  video->payload = std::move(payload);
  return video;
}

Status VideoColumnWriter::CloseFile() {
  if (file_ == nullptr) return Status::OK();
  const std::string path = file_->path();
  const int64_t rows = file_->row_count();
  if (rows == 0) {
    // A staged video that no row came to show.
    ForgetFile();
    return context_.staged.Drop(path);
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, file_->Finish());
  ForgetFile();
  ARROW_ASSIGN_OR_RAISE(DataFile entry, NewSidecar(context_, path, size_bytes, rows, column_));
  finished_.push_back(std::move(entry));
  finished_paths_.push_back(path);
  return Status::OK();
}

Result<std::vector<DataFile>> VideoColumnWriter::Finish() {
  ARROW_RETURN_NOT_OK(CloseFile());
  finished_paths_.clear();
  return std::exchange(finished_, {});
}

Status VideoColumnWriter::Discard() {
  if (file_ != nullptr) finished_paths_.push_back(file_->path());
  ForgetFile();
  for (const std::string& path : finished_paths_) ARROW_RETURN_NOT_OK(context_.staged.Drop(path));
  finished_paths_.clear();
  finished_.clear();
  return Status::OK();
}

}  // namespace reelhouse
