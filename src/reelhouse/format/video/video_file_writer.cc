#include "reelhouse/format/video/video_file_writer.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/format/video/video_file_reader.h"
#include "reelhouse/format/video/video_layout.h"

namespace reelhouse {

using Run = VideoFileIndex::Run;

struct VideoFileWriter::State {
  std::unique_ptr<OutputFile> file;
  std::vector<int64_t> payload_bytes;
  std::vector<int64_t> keyframe_index_bytes;
  std::string keyframe_indexes;
  std::vector<Run> runs;
  int64_t all_payload_bytes = 0;
  int64_t row_count = 0;
  int64_t payload_at = 0;  // of the open payload
  bool payload_is_open = false;

  Status AppendRun(int64_t payload, int64_t first_frame_index, int64_t rows) {
    if (rows < 0) return Status::Invalid(file->path(), ": a run cannot have ", rows, " rows");
    if (rows == 0) return Status::OK();
    if (!runs.empty()) {
      Run& last = runs.back();
      const bool continues =
          last.payload == payload && (payload < 0 || last.first_frame_index + last.row_count == first_frame_index);
      if (continues) {
        last.row_count += rows;
        row_count += rows;
        return Status::OK();
      }
    }
    runs.push_back({row_count, rows, payload, first_frame_index});
    row_count += rows;
    return Status::OK();
  }
};

VideoFileWriter::VideoFileWriter(std::unique_ptr<OutputFile> file) : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
}

VideoFileWriter::~VideoFileWriter() = default;

Status VideoFileWriter::BeginPayload() {
  if (state_->payload_is_open) return Status::Invalid(path(), ": a payload is open already");
  ARROW_ASSIGN_OR_RAISE(state_->payload_at, state_->file->Tell());
  state_->payload_is_open = true;
  return Status::OK();
}

OutputFile& VideoFileWriter::payload_file() { return *state_->file; }

int64_t VideoFileWriter::payload_offset_bytes() const { return state_->payload_at; }

Result<int64_t> VideoFileWriter::EndPayload(std::string_view keyframe_index) {
  using namespace video_layout;
  if (!state_->payload_is_open) return Status::Invalid(path(), ": no payload is open");
  ARROW_ASSIGN_OR_RAISE(const int64_t end, state_->file->Tell());
  if (end <= state_->payload_at) return Status::Invalid(path(), ": a video must have at least one byte");
  const auto index_bytes = static_cast<int64_t>(keyframe_index.size());
  if (index_bytes > kMaxKeyframeIndexBytes) {
    return Status::Invalid(path(), ": keyframe index of a video: expected at most ", kMaxKeyframeIndexBytes,
                           " bytes, found ", index_bytes);
  }
  const int64_t all_index_bytes = static_cast<int64_t>(state_->keyframe_indexes.size()) + index_bytes;
  if (all_index_bytes > kMaxKeyframeRegionBytes) {
    return Status::Invalid(path(), ": keyframe indexes of a file: expected at most ", kMaxKeyframeRegionBytes,
                           " bytes, found ", all_index_bytes);
  }
  state_->payload_bytes.push_back(end - state_->payload_at);
  state_->all_payload_bytes += end - state_->payload_at;
  state_->keyframe_index_bytes.push_back(index_bytes);
  state_->keyframe_indexes.append(keyframe_index);
  state_->payload_is_open = false;
  return static_cast<int64_t>(state_->payload_bytes.size()) - 1;
}

Status VideoFileWriter::AppendFrames(int64_t payload_ordinal, int64_t first_frame_index, int64_t row_count) {
  if (payload_ordinal < 0 || payload_ordinal >= static_cast<int64_t>(state_->payload_bytes.size())) {
    return Status::Invalid(path(), ": payload ", payload_ordinal, " does not exist");
  }
  if (first_frame_index < 0) {
    return Status::Invalid(path(), ": first frame ", first_frame_index, " is negative");
  }
  return state_->AppendRun(payload_ordinal, first_frame_index, row_count);
}

Status VideoFileWriter::AppendNulls(int64_t row_count) { return state_->AppendRun(Run::kNull, 0, row_count); }

Status VideoFileWriter::AppendPlaceholders(int64_t row_count) {
  return state_->AppendRun(Run::kPlaceholder, 0, row_count);
}

int64_t VideoFileWriter::content_bytes() const {
  return state_->all_payload_bytes + static_cast<int64_t>(state_->keyframe_indexes.size());
}

int64_t VideoFileWriter::row_count() const { return state_->row_count; }
const std::string& VideoFileWriter::path() const { return state_->file->path(); }

Result<int64_t> VideoFileWriter::Finish() {
  using namespace video_layout;
  if (state_->payload_is_open) return Status::Invalid(path(), ": a payload is still open");
  std::array<std::vector<int64_t>, kIndexCount> numbers;
  numbers[kPayloadLengths] = state_->payload_bytes;
  numbers[kKeyframeLengths] = state_->keyframe_index_bytes;
  for (const Run& run : state_->runs) {
    numbers[kRunLengths].push_back(run.row_count);
    numbers[kRunPayloads].push_back(run.payload);
    numbers[kRunFirstFrames].push_back(run.first_frame_index);
  }
  std::string indexes;
  std::string footer;
  for (int i = 0; i < kIndexCount; ++i) {
    const std::string encoded = EncodeDeltaVarints(numbers[i]);
    if (encoded.size() > std::numeric_limits<uint32_t>::max()) {
      return Status::Invalid(path(), ": ", kIndexNames[i], " exceed 4 GiB; roll the file earlier");
    }
    AppendLe32(footer, static_cast<uint32_t>(encoded.size()));
    indexes.append(encoded);
  }
  AppendLe32(footer, kMagic);
  footer.push_back(static_cast<char>(kVersion));
  for (const std::string* part : {&state_->keyframe_indexes, &indexes, &footer}) {
    ARROW_RETURN_NOT_OK(state_->file->Write(part->data(), static_cast<int64_t>(part->size())));
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, state_->file->Tell());
  ARROW_RETURN_NOT_OK(state_->file->Finish());
  return size_bytes;
}

Status VideoFileWriter::Discard() { return state_->file->Discard(); }

}  // namespace reelhouse
