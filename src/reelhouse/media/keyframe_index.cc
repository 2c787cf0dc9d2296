#include "reelhouse/media/keyframe_index.h"

#include <algorithm>
#include <limits>

#include <zlib.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint64_t kMagic = 0x564944454F4B4649;
constexpr size_t kHeaderBytes = 17;
constexpr size_t kRangeBytes = 16;
constexpr size_t kEntryBytes = 24;
constexpr size_t kMaxCount = 65'536;

int64_t LoadInt64(const char* from) { return static_cast<int64_t>(LoadLe64(from)); }
void AppendInt64(std::string& to, int64_t value) { AppendLe64(to, static_cast<uint64_t>(value)); }

Status Broken(const std::string& text) { return Status::Invalid("keyframe index: ", text); }

/// Every n-th keyframe, the first one always, so that at most `kMaxCount` are left.
std::vector<KeyframeIndex::Keyframe> Thinned(const std::vector<KeyframeIndex::Keyframe>& keyframes) {
  const size_t step = (keyframes.size() + kMaxCount - 1) / kMaxCount;
  std::vector<KeyframeIndex::Keyframe> kept;
  kept.reserve(keyframes.size() / step + 1);
  for (size_t i = 0; i < keyframes.size(); i += step) kept.push_back(keyframes[i]);
  return kept;
}

Result<std::string> Deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_DEFAULT_COMPRESSION);
  if (code != Z_OK) return Status::OutOfMemory("keyframe index: zlib error ", code);
  deflated.resize(size);
  return deflated;
}

/// Exactly `size` bytes out of one zlib stream that fills `deflated`. Never writes more, whatever the stream says.
Result<std::string> Inflated(std::string_view deflated, size_t size) {
  std::string bytes(size, '\0');
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return Status::OutOfMemory("keyframe index: zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  int code = inflate(&stream, Z_FINISH);
  const size_t missing = stream.avail_out;
  if (code == Z_BUF_ERROR && missing == 0) {
    // All entries are out; a longer stream would need room for one more byte to go on.
    Bytef extra = 0;
    stream.next_out = &extra;
    stream.avail_out = 1;
    code = inflate(&stream, Z_FINISH);
    if (stream.avail_out == 0) {
      inflateEnd(&stream);
      return Broken("expected " + std::to_string(size) + " bytes of entries, found more");
    }
  }
  const size_t unused = stream.avail_in;
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return Broken("the entries are no complete zlib stream");
  if (missing != 0) {
    return Broken("expected " + std::to_string(size) + " bytes of entries, found " + std::to_string(size - missing));
  }
  if (unused != 0) return Broken(std::to_string(unused) + " bytes follow the entries");
  return bytes;
}

}  // namespace

Status KeyframeIndex::Validate(int64_t video_length_bytes) const {
  if (metadata_ranges.size() > kMaxCount) {
    return Broken("at most 65536 metadata ranges, found " + std::to_string(metadata_ranges.size()));
  }
  int64_t end = 0;
  for (const Range& range : metadata_ranges) {
    const std::string where =
        "metadata range (" + std::to_string(range.offset_bytes) + ", " + std::to_string(range.length_bytes) + ")";
    if (range.length_bytes <= 0) return Broken(where + " is empty");
    if (range.offset_bytes < end) return Broken(where + " starts before " + std::to_string(end));
    if (range.offset_bytes > video_length_bytes || range.length_bytes > video_length_bytes - range.offset_bytes) {
      return Broken(where + " lies outside of a video of " + std::to_string(video_length_bytes) + " bytes");
    }
    end = range.offset_bytes + range.length_bytes;
  }
  if (keyframes.empty()) return Broken("it has no keyframe");
  if (keyframes.front().frame_index != 0) {
    return Broken("the first keyframe must be frame 0, found " + std::to_string(keyframes.front().frame_index));
  }
  const Keyframe* last = nullptr;
  for (const Keyframe& keyframe : keyframes) {
    const std::string where = "keyframe of frame " + std::to_string(keyframe.frame_index);
    if (keyframe.offset_bytes < 0 || keyframe.offset_bytes >= video_length_bytes) {
      return Broken(where + " at byte " + std::to_string(keyframe.offset_bytes) + " lies outside of a video of " +
                    std::to_string(video_length_bytes) + " bytes");
    }
    if (last && keyframe.frame_index <= last->frame_index) return Broken(where + ": frame numbers must rise");
    if (last && keyframe.pts <= last->pts) return Broken(where + ": timestamps must rise");
    if (last && keyframe.offset_bytes <= last->offset_bytes) return Broken(where + ": positions must rise");
    last = &keyframe;
  }
  return Status::OK();
}

Result<std::string> KeyframeIndex::Serialize() const {
  if (empty()) return std::string();
  ARROW_RETURN_NOT_OK(Validate(std::numeric_limits<int64_t>::max()));
  const std::vector<Keyframe> thinned = keyframes.size() > kMaxCount ? Thinned(keyframes) : std::vector<Keyframe>();
  const std::vector<Keyframe>& stored = thinned.empty() ? keyframes : thinned;
  std::string entries;
  entries.reserve(stored.size() * kEntryBytes);
  for (const Keyframe& keyframe : stored) {
    AppendInt64(entries, keyframe.frame_index);
    AppendInt64(entries, keyframe.pts);
    AppendInt64(entries, keyframe.offset_bytes);
  }
  std::string bytes(1, static_cast<char>(kVersion));
  AppendLe64(bytes, kMagic);
  AppendLe32(bytes, static_cast<uint32_t>(metadata_ranges.size()));
  AppendLe32(bytes, static_cast<uint32_t>(stored.size()));
  for (const Range& range : metadata_ranges) {
    AppendInt64(bytes, range.offset_bytes);
    AppendInt64(bytes, range.length_bytes);
  }
  ARROW_ASSIGN_OR_RAISE(const std::string deflated, Deflated(entries));
  return bytes + deflated;
}

Result<KeyframeIndex> KeyframeIndex::Deserialize(std::string_view bytes, int64_t video_length_bytes) {
  KeyframeIndex index;
  if (bytes.empty()) return index;
  if (bytes.size() <= kHeaderBytes) {
    return Broken("expected more than 17 bytes, found " + std::to_string(bytes.size()));
  }
  if (bytes.size() > std::numeric_limits<uint32_t>::max()) return Broken("it is larger than 4 GiB");
  const auto version = static_cast<uint8_t>(bytes[0]);
  if (version != kVersion) return Broken("expected version 1, found " + std::to_string(version));
  if (LoadLe64(bytes.data() + 1) != kMagic) return Broken("wrong magic, expected IFKOEDIV");
  const uint32_t range_count = LoadLe32(bytes.data() + 9);
  const uint32_t keyframe_count = LoadLe32(bytes.data() + 13);
  if (range_count > kMaxCount) {
    return Broken("at most 65536 metadata ranges, found " + std::to_string(range_count));
  }
  if (keyframe_count < 1 || keyframe_count > kMaxCount) {
    return Broken("expected 1 to 65536 keyframes, found " + std::to_string(keyframe_count));
  }
  const size_t entries_offset = kHeaderBytes + range_count * kRangeBytes;
  if (entries_offset >= bytes.size()) return Broken("it ends inside its metadata ranges");

  index.metadata_ranges.reserve(range_count);
  for (size_t at = kHeaderBytes; at < entries_offset; at += kRangeBytes) {
    index.metadata_ranges.push_back({LoadInt64(bytes.data() + at), LoadInt64(bytes.data() + at + 8)});
  }
  ARROW_ASSIGN_OR_RAISE(const std::string entries,
                        Inflated(bytes.substr(entries_offset), keyframe_count * kEntryBytes));
  index.keyframes.reserve(keyframe_count);
  for (size_t at = 0; at < entries.size(); at += kEntryBytes) {
    const char* entry = entries.data() + at;
    index.keyframes.push_back({LoadInt64(entry), LoadInt64(entry + 8), LoadInt64(entry + 16)});
  }
  ARROW_RETURN_NOT_OK(index.Validate(video_length_bytes));
  return index;
}

}  // namespace reelhouse
