#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "reelhouse/deletion/deletion_vectors.h"

// Any bytes are refused or read as a deletion vector whose answers agree with each other and that comes back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace reelhouse;
  constexpr uint32_t kEnd = 1u << 31;
  auto vector = DeletionVector::Deserialize({reinterpret_cast<const char*>(data), size}, "file");
  if (!vector.ok()) return 0;
  const std::vector<uint32_t> positions = vector->PositionsIn(0, kEnd);
  if (static_cast<int64_t>(positions.size()) != vector->cardinality()) std::abort();
  for (size_t i = 0; i < positions.size(); ++i) {
    if (i > 0 && positions[i] <= positions[i - 1]) std::abort();
    if (i < 100 && !vector->Contains(positions[i])) std::abort();
  }
  if (!positions.empty()) {
    const size_t middle = positions.size() / 2;
    if (vector->CardinalityIn(positions[middle], kEnd) != static_cast<int64_t>(positions.size() - middle)) std::abort();
  }
  auto again = DeletionVector::Deserialize(vector->Serialize(), "again");
  if (!again.ok() || again->PositionsIn(0, kEnd) != positions) std::abort();
  if (DeletionVector(positions).Union(*vector).cardinality() != vector->cardinality()) std::abort();
  return 0;
}
