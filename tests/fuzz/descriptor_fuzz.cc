// Whatever the bytes, descriptors are refused or say something that serializes to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reelhouse/format/video/video_frame_descriptor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reelhouse::BlobDescriptor::Deserialize(bytes);
  if (const auto blob = reelhouse::BlobDescriptor::Parse(bytes)) {
    if (blob->Serialize() != bytes) std::abort();
  }
  const auto frame = reelhouse::VideoFrameDescriptor::Deserialize(bytes);
  if (frame.ok() && frame->Serialize() != bytes) std::abort();
  if (frame.ok() != reelhouse::VideoFrameDescriptor::Parse(bytes).has_value()) std::abort();
  return 0;
}
