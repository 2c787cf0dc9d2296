#include "reelhouse/format/video/video_file_reader.h"

#include <array>
#include <limits>

#include <arrow/buffer.h>
#include <fmt/format.h>

#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/format/video/video_layout.h"

namespace reelhouse {
namespace {

using namespace video_layout;

using Indexes = std::array<std::vector<int64_t>, kIndexCount>;

Result<std::shared_ptr<arrow::Buffer>> ReadExactly(arrow::io::RandomAccessFile& file, const std::string& path,
                                                   int64_t offset_bytes, int64_t size_bytes) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, file.ReadAt(offset_bytes, size_bytes));
  if (bytes->size() != size_bytes) {
    return CorruptFile(path, offset_bytes, fmt::format("expected {} bytes, found {}", size_bytes, bytes->size()));
  }
  return bytes;
}

// Where the regions of the file lie, as its footer says.
struct Regions {
  std::array<int64_t, kIndexCount> index_bytes;
  int64_t indexes_at = 0;
  int64_t footer_at = 0;
};

Result<Regions> ReadFooter(arrow::io::RandomAccessFile& file, const std::string& path, int64_t file_size) {
  Regions regions;
  regions.footer_at = file_size - kFooterBytes;
  ARROW_ASSIGN_OR_RAISE(auto footer, ReadExactly(file, path, regions.footer_at, kFooterBytes));
  const uint32_t magic = LoadLe32(footer->data() + kFooterMagicAt);
  if (magic != kMagic) {
    return CorruptFile(path, regions.footer_at + kFooterMagicAt,
                       fmt::format(".video magic: expected {:#x}, found {:#x}", kMagic, magic));
  }
  const uint8_t version = footer->data()[kFooterVersionAt];
  if (version != kVersion) {
    return CorruptFile(path, regions.footer_at + kFooterVersionAt,
                       fmt::format(".video version: expected {}, found {}", kVersion, version));
  }
  int64_t all = 0;
  for (int i = 0; i < kIndexCount; ++i) {
    regions.index_bytes[i] = LoadLe32(footer->data() + 4 * i);
    all += regions.index_bytes[i];
  }
  if (all > regions.footer_at) {
    return CorruptFile(path, regions.footer_at,
                       fmt::format("indexes: expected at most {} bytes, found {}", regions.footer_at, all));
  }
  regions.indexes_at = regions.footer_at - all;
  return regions;
}

Result<Indexes> ReadIndexes(arrow::io::RandomAccessFile& file, const std::string& path, const Regions& regions) {
  ARROW_ASSIGN_OR_RAISE(auto bytes,
                        ReadExactly(file, path, regions.indexes_at, regions.footer_at - regions.indexes_at));
  std::string_view rest(reinterpret_cast<const char*>(bytes->data()), static_cast<size_t>(bytes->size()));
  Indexes indexes;
  for (int i = 0; i < kIndexCount; ++i) {
    auto decoded = DecodeDeltaVarints(rest.substr(0, static_cast<size_t>(regions.index_bytes[i])));
    if (!decoded.ok()) {
      return CorruptFile(path, regions.footer_at - static_cast<int64_t>(rest.size()),
                         fmt::format("{}: {}", kIndexNames[i], decoded.status().message()));
    }
    indexes[i] = std::move(decoded).ValueUnsafe();
    rest.remove_prefix(static_cast<size_t>(regions.index_bytes[i]));
  }
  return indexes;
}

Status ReadPayloads(const Indexes& indexes, const std::string& path, int64_t indexes_at, VideoFileIndex* index) {
  const auto& lengths = indexes[kPayloadLengths];
  const auto& keyframe_lengths = indexes[kKeyframeLengths];
  if (keyframe_lengths.size() != lengths.size()) {
    return CorruptFile(path, indexes_at,
                       fmt::format("expected a keyframe index length for each of {} payloads, found {}", lengths.size(),
                                   keyframe_lengths.size()));
  }
  int64_t keyframe_region_bytes = 0;
  for (size_t i = 0; i < keyframe_lengths.size(); ++i) {
    if (keyframe_lengths[i] < 0 || keyframe_lengths[i] > kMaxKeyframeIndexBytes) {
      return CorruptFile(path, indexes_at,
                         fmt::format("keyframe index of payload {}: expected a length of 0 to {}, found {}", i,
                                     kMaxKeyframeIndexBytes, keyframe_lengths[i]));
    }
    keyframe_region_bytes += keyframe_lengths[i];
    if (keyframe_region_bytes > kMaxKeyframeRegionBytes) {
      return CorruptFile(
          path, indexes_at,
          fmt::format("keyframe indexes: expected at most {} bytes, found more", kMaxKeyframeRegionBytes));
    }
  }
  const int64_t keyframes_at = indexes_at - keyframe_region_bytes;
  if (keyframes_at < 0) {
    return CorruptFile(
        path, indexes_at,
        fmt::format("keyframe indexes: expected at most {} bytes, found {}", indexes_at, keyframe_region_bytes));
  }
  index->payloads.reserve(lengths.size());
  int64_t at = 0;
  int64_t keyframe_at = keyframes_at;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] <= 0 || lengths[i] > keyframes_at - at) {
      return CorruptFile(path, indexes_at,
                         fmt::format("payload {} at byte {}: expected a length of 1 to {}, found {}", i, at,
                                     keyframes_at - at, lengths[i]));
    }
    VideoFileIndex::Payload payload;
    payload.offset_bytes = at;
    payload.length_bytes = lengths[i];
    if (keyframe_lengths[i] > 0) {
      payload.keyframe_index_offset_bytes = keyframe_at;
      payload.keyframe_index_length_bytes = keyframe_lengths[i];
    }
    index->payloads.push_back(payload);
    at += lengths[i];
    keyframe_at += keyframe_lengths[i];
  }
  if (at != keyframes_at) {
    return CorruptFile(path, at,
                       fmt::format("payloads end here, but the keyframe indexes start at byte {}", keyframes_at));
  }
  return Status::OK();
}

Status ReadRuns(const Indexes& indexes, const std::string& path, int64_t indexes_at, VideoFileIndex* index) {
  const auto& lengths = indexes[kRunLengths];
  const auto& payloads = indexes[kRunPayloads];
  const auto& first_frames = indexes[kRunFirstFrames];
  if (payloads.size() != lengths.size() || first_frames.size() != lengths.size()) {
    return CorruptFile(path, indexes_at,
                       fmt::format("runs: expected as many lengths, payloads and first frames, found {}, {} and {}",
                                   lengths.size(), payloads.size(), first_frames.size()));
  }
  index->runs.reserve(lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i) {
    const int64_t most_rows = std::numeric_limits<int64_t>::max() - index->row_count;
    if (lengths[i] <= 0 || lengths[i] > most_rows) {
      return CorruptFile(path, indexes_at,
                         fmt::format("run {}: expected 1 to {} rows, found {}", i, most_rows, lengths[i]));
    }
    if (payloads[i] < VideoFileIndex::Run::kPlaceholder ||
        payloads[i] >= static_cast<int64_t>(index->payloads.size())) {
      return CorruptFile(path, indexes_at,
                         fmt::format("run {}: expected a payload of -2 to {}, found {}", i,
                                     static_cast<int64_t>(index->payloads.size()) - 1, payloads[i]));
    }
    if (payloads[i] >= 0 &&
        (first_frames[i] < 0 || first_frames[i] > std::numeric_limits<int64_t>::max() - lengths[i])) {
      return CorruptFile(path, indexes_at,
                         fmt::format("run {}: expected a first frame of 0 or more whose run of {} "
                                     "rows has frame numbers, found {}",
                                     i, lengths[i], first_frames[i]));
    }
    index->runs.push_back({index->row_count, lengths[i], payloads[i], payloads[i] < 0 ? 0 : first_frames[i]});
    index->row_count += lengths[i];
  }
  return Status::OK();
}

}  // namespace

Result<VideoFileIndex> ReadVideoFileIndex(FileStore& files, const std::string& path, int64_t file_size) {
  if (file_size < kFooterBytes) {
    return CorruptFile(path, 0,
                       fmt::format("expected at least {} bytes of a .video file, found {}", kFooterBytes, file_size));
  }
  ARROW_ASSIGN_OR_RAISE(auto file, files.OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(const Regions regions, ReadFooter(*file, path, file_size));
  ARROW_ASSIGN_OR_RAISE(const Indexes indexes, ReadIndexes(*file, path, regions));
  VideoFileIndex index;
  ARROW_RETURN_NOT_OK(ReadPayloads(indexes, path, regions.indexes_at, &index));
  ARROW_RETURN_NOT_OK(ReadRuns(indexes, path, regions.indexes_at, &index));
  return index;
}

}  // namespace reelhouse
