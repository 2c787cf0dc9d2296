#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reelhouse/media/keyframe_index.h"

// Any bytes are refused or read; what was read is written and read again as the same index.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kVideoBytes = 1 << 20;
  const auto index = reelhouse::KeyframeIndex::Deserialize({reinterpret_cast<const char*>(data), size}, kVideoBytes);
  if (!index.ok()) return 0;
  const auto bytes = index->Serialize();
  if (!bytes.ok()) std::abort();
  const auto again = reelhouse::KeyframeIndex::Deserialize(*bytes, kVideoBytes);
  if (!again.ok() || *again != *index) std::abort();
  return 0;
}
