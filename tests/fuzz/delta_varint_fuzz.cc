#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "reelhouse/base/delta_varint.h"

// Any bytes are refused or read; what was read is written and read again as the same numbers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto decoded = reelhouse::DecodeDeltaVarints({reinterpret_cast<const char*>(data), size});
  if (!decoded.ok()) return 0;
  auto again = reelhouse::DecodeDeltaVarints(reelhouse::EncodeDeltaVarints(*decoded));
  if (!again.ok() || *again != *decoded) std::abort();
  return 0;
}
