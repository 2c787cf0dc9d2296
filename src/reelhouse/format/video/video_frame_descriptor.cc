#include "reelhouse/format/video/video_frame_descriptor.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint64_t kMagic = 0x564944454F46524D;
constexpr size_t kHeaderBytes = 13;  // version, magic, URI length
constexpr size_t kNumbersBytes = 40;

Status InvalidData(std::string_view text) {
  return Status::Invalid(fmt::format("Invalid VideoFrameDescriptor data: {}", text));
}

Status CheckNumbers(const VideoFrameDescriptor& descriptor) {
  if (descriptor.offset_bytes < 0 || descriptor.length_bytes < -1) {
    return InvalidData(
        fmt::format("offset {} and length {} are no byte range", descriptor.offset_bytes, descriptor.length_bytes));
  }
  if (descriptor.frame_index < 0) {
    return InvalidData(fmt::format("Video frame index must be non-negative, but was {}.", descriptor.frame_index));
  }
  const int64_t index_at = descriptor.keyframe_index_offset_bytes;
  const int64_t index_bytes = descriptor.keyframe_index_length_bytes;
  if (index_bytes < 0) return InvalidData("Video keyframe index length must be non-negative.");
  if (index_at < -1 || (index_at == -1) != (index_bytes == 0))
    return InvalidData("Invalid video keyframe index range.");
  return Status::OK();
}

}  // namespace

void VideoFrameDescriptor::AppendTo(std::string* out) const {
  out->push_back(static_cast<char>(kVersion));
  AppendLe64(*out, kMagic);
  AppendLe32(*out, static_cast<uint32_t>(uri.size()));
  out->append(uri);
  for (const int64_t number :
       {offset_bytes, length_bytes, frame_index, keyframe_index_offset_bytes, keyframe_index_length_bytes}) {
    AppendLe64(*out, static_cast<uint64_t>(number));
  }
}

std::string VideoFrameDescriptor::Serialize() const {
  std::string out;
  out.reserve(static_cast<size_t>(SerializedSize()));
  AppendTo(&out);
  return out;
}

Result<VideoFrameDescriptor> VideoFrameDescriptor::Deserialize(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes + kNumbersBytes) return InvalidData("too short");
  if (static_cast<uint8_t>(bytes[0]) != kVersion) {
    return Status::Invalid(
        fmt::format("Expecting VideoFrameDescriptor version to be 1, but found {}.", static_cast<uint8_t>(bytes[0])));
  }
  if (!HasMagic(bytes)) return InvalidData("missing magic header");
  const uint64_t uri_length = LoadLe32(bytes.data() + 9);
  if (uri_length > bytes.size() - kHeaderBytes - kNumbersBytes) {
    return InvalidData(fmt::format("invalid URI length: {}", uri_length));
  }
  if (uri_length < bytes.size() - kHeaderBytes - kNumbersBytes) return InvalidData("trailing bytes");

  VideoFrameDescriptor descriptor;
  descriptor.uri = std::string(bytes.substr(kHeaderBytes, uri_length));
  const char* at = bytes.data() + kHeaderBytes + uri_length;
  for (int64_t* number : {&descriptor.offset_bytes, &descriptor.length_bytes, &descriptor.frame_index,
                          &descriptor.keyframe_index_offset_bytes, &descriptor.keyframe_index_length_bytes}) {
    *number = static_cast<int64_t>(LoadLe64(at));
    at += 8;
  }
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(descriptor.uri)) return InvalidData("the URI is not UTF-8");
  ARROW_RETURN_NOT_OK(CheckNumbers(descriptor));
  return descriptor;
}

std::optional<VideoFrameDescriptor> VideoFrameDescriptor::Parse(std::string_view bytes) {
  if (!HasMagic(bytes)) return std::nullopt;
  auto descriptor = Deserialize(bytes);
  if (!descriptor.ok()) return std::nullopt;
  return std::move(descriptor).ValueUnsafe();
}

bool VideoFrameDescriptor::HasMagic(std::string_view bytes) {
  return bytes.size() >= 9 && static_cast<uint8_t>(bytes[0]) == kVersion && LoadLe64(bytes.data() + 1) == kMagic;
}

}  // namespace reelhouse
