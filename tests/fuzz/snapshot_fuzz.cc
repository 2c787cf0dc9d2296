#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reelhouse/snapshot/snapshot.h"

// Any bytes are refused as a CorruptFile or read; what was read is written and read again as the same snapshot.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using reelhouse::Snapshot;
  auto snapshot = Snapshot::FromJsonText({reinterpret_cast<const char*>(data), size}, "snapshot-1");
  if (!snapshot.ok()) {
    if (!reelhouse::IsKind(snapshot.status(), reelhouse::ErrorKind::kCorruptFile)) std::abort();
    return 0;
  }
  auto again = Snapshot::FromJsonText(snapshot->ToJsonText(), "snapshot-1");
  if (!again.ok() || !(*again == *snapshot)) std::abort();
  return 0;
}
