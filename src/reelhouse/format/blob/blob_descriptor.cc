#include "reelhouse/format/blob/blob_descriptor.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

constexpr uint8_t kVersion = 2;
constexpr uint64_t kMagic = 0x424C4F4244455343;
constexpr uint64_t kVideoMagic = 0x564944454F46524D;
constexpr size_t kVersionBytes = 1;
constexpr size_t kMagicBytes = 8;
constexpr size_t kUriLengthBytes = 4;
constexpr size_t kRangeBytes = 16;

struct Parsed {
  BlobDescriptor descriptor;
  size_t size_bytes = 0;
};

Result<Parsed> ParseDescriptor(std::string_view bytes) {
  if (bytes.size() < kVersionBytes + kUriLengthBytes) return Status::Invalid("Invalid BlobDescriptor data: too short");
  const auto version = static_cast<uint8_t>(bytes[0]);
  if (version > kVersion) {
    return Status::Invalid(
        fmt::format("Expecting BlobDescriptor version to be less than or equal to 2, but found {}.", version));
  }
  if (version == 0) return Status::Invalid("Invalid BlobDescriptor data: version 0 does not exist");
  size_t at = kVersionBytes;
  const bool has_magic = version == kVersion;
  if (has_magic) {
    if (bytes.size() < at + kMagicBytes + kUriLengthBytes) {
      return Status::Invalid("Invalid BlobDescriptor data: too short");
    }
    const uint64_t found = LoadLe64(bytes.data() + at);
    if (found != kMagic) {
      return Status::Invalid(fmt::format(
          "Invalid BlobDescriptor: missing magic header. Expected magic: {}, but found: {}", kMagic, found));
    }
    at += kMagicBytes;
  } else if (bytes.size() >= at + kMagicBytes && LoadLe64(bytes.data() + at) == kVideoMagic) {
    return Status::Invalid("Invalid BlobDescriptor data: these bytes are a VideoFrameDescriptor");
  }
  const auto uri_length = static_cast<int32_t>(LoadLe32(bytes.data() + at));
  at += kUriLengthBytes;
  if (uri_length < 0) {
    return Status::Invalid(fmt::format("Invalid BlobDescriptor data: negative URI length: {}", uri_length));
  }
  if (static_cast<size_t>(uri_length) > bytes.size() - at) {
    return Status::Invalid("Invalid BlobDescriptor data: URI length exceeds data size");
  }
  Parsed parsed;
  parsed.descriptor.uri = std::string(bytes.substr(at, static_cast<size_t>(uri_length)));
  at += static_cast<size_t>(uri_length);
  if (bytes.size() - at < kRangeBytes) return Status::Invalid("Invalid BlobDescriptor data: missing offset/length");
  parsed.descriptor.offset_bytes = static_cast<int64_t>(LoadLe64(bytes.data() + at));
  parsed.descriptor.length_bytes = static_cast<int64_t>(LoadLe64(bytes.data() + at + 8));
  parsed.size_bytes = at + kRangeBytes;
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(parsed.descriptor.uri)) {
    return Status::Invalid("Invalid BlobDescriptor data: the URI is not UTF-8");
  }
  if (parsed.descriptor.offset_bytes < 0 || parsed.descriptor.length_bytes < -1) {
    return Status::Invalid(fmt::format("Invalid BlobDescriptor data: offset {} and length {} are no byte range",
                                       parsed.descriptor.offset_bytes, parsed.descriptor.length_bytes));
  }
  return parsed;
}

}  // namespace

std::string BlobDescriptor::Serialize() const {
  std::string out;
  out.reserve(29 + uri.size());
  out.push_back(static_cast<char>(kVersion));
  AppendLe64(out, kMagic);
  AppendLe32(out, static_cast<uint32_t>(uri.size()));
  out.append(uri);
  AppendLe64(out, static_cast<uint64_t>(offset_bytes));
  AppendLe64(out, static_cast<uint64_t>(length_bytes));
  return out;
}

Result<BlobDescriptor> BlobDescriptor::Deserialize(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(Parsed parsed, ParseDescriptor(bytes));
  return std::move(parsed.descriptor);
}

std::optional<BlobDescriptor> BlobDescriptor::Parse(std::string_view bytes) {
  if (!HasMagic(bytes)) return std::nullopt;
  auto parsed = ParseDescriptor(bytes);
  if (!parsed.ok() || parsed->size_bytes != bytes.size()) return std::nullopt;
  return std::move(parsed->descriptor);
}

bool BlobDescriptor::HasMagic(std::string_view bytes) {
  return bytes.size() >= kVersionBytes + kMagicBytes && static_cast<uint8_t>(bytes[0]) == kVersion &&
         LoadLe64(bytes.data() + kVersionBytes) == kMagic;
}

}  // namespace reelhouse
