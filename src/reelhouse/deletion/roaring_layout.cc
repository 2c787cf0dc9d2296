#include "reelhouse/deletion/roaring_layout.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kMostContainers = 1 << 16;
constexpr uint32_t kNoOffsetThreshold = 4;
constexpr uint32_t kMostArrayValues = 4096;
constexpr size_t kBitsetBytes = 8192;
constexpr uint16_t kHighestKey = 0x7FFF;

/// The bytes from front to back; taking more than there is fails.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  size_t remaining() const { return bytes_.size() - at_; }

  Result<const char*> Take(size_t size_bytes) {
    if (size_bytes > remaining()) {
      return Status::Invalid("bitmap: expected ", size_bytes, " bytes at byte ", at_, ", found ", remaining());
    }
    const char* taken = bytes_.data() + at_;
    at_ += size_bytes;
    return taken;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

Status CheckArray(Input& input, uint32_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const char* values, input.Take(size_t{2} * cardinality));
  for (uint32_t i = 1; i < cardinality; ++i) {
    if (LoadLe16(values + 2 * i) <= LoadLe16(values + 2 * (i - 1))) {
      return Status::Invalid("bitmap: values that do not ascend before byte ", input.at());
    }
  }
  return Status::OK();
}

Status CheckBitset(Input& input, uint32_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const char* words, input.Take(kBitsetBytes));
  uint32_t found = 0;
  for (size_t at = 0; at < kBitsetBytes; at += 8) found += std::popcount(LoadLe64(words + at));
  if (found != cardinality) {
    return Status::Invalid("bitmap: expected ", cardinality, " values before byte ", input.at(), ", found ", found);
  }
  return Status::OK();
}

Status CheckRuns(Input& input, uint32_t cardinality) {
  ARROW_ASSIGN_OR_RAISE(const char* head, input.Take(2));
  const uint32_t run_count = LoadLe16(head);
  ARROW_ASSIGN_OR_RAISE(const char* runs, input.Take(size_t{4} * run_count));
  uint32_t found = 0;
  int64_t last = -1;
  for (uint32_t i = 0; i < run_count; ++i) {
    const int64_t begin = LoadLe16(runs + 4 * i);
    const int64_t end = begin + LoadLe16(runs + 4 * i + 2);
    if (begin <= last || end > 0xFFFF) {
      return Status::Invalid("bitmap: runs that overlap or do not ascend before byte ", input.at());
    }
    last = end;
    found += static_cast<uint32_t>(end - begin + 1);
  }
  if (found != cardinality) {
    return Status::Invalid("bitmap: expected ", cardinality, " values before byte ", input.at(), ", found ", found);
  }
  return Status::OK();
}

}  // namespace

Status CheckPortableBitmap(std::string_view bytes) {
  Input input(bytes);
  ARROW_ASSIGN_OR_RAISE(const char* head, input.Take(4));
  const uint32_t cookie = LoadLe32(head);
  const bool with_runs = (cookie & 0xFFFF) == kCookieWithRuns;
  uint32_t containers = 0;
  const char* run_flags = nullptr;
  if (with_runs) {
    containers = (cookie >> 16) + 1;
    ARROW_ASSIGN_OR_RAISE(run_flags, input.Take((containers + 7) / 8));
  } else if (cookie == kCookieWithoutRuns) {
    ARROW_ASSIGN_OR_RAISE(const char* count, input.Take(4));
    containers = LoadLe32(count);
    if (containers > kMostContainers) return Status::Invalid("bitmap: ", containers, " containers");
  } else {
    return Status::Invalid("bitmap: expected the cookie 12346 or 12347, found ", cookie);
  }
  ARROW_ASSIGN_OR_RAISE(const char* heads, input.Take(size_t{4} * containers));
  const char* offsets = nullptr;
  if (!with_runs || containers >= kNoOffsetThreshold) {
    ARROW_ASSIGN_OR_RAISE(offsets, input.Take(size_t{4} * containers));
  }
  for (uint32_t i = 0; i < containers; ++i) {
    const uint16_t key = LoadLe16(heads + 4 * i);
    const uint32_t cardinality = LoadLe16(heads + 4 * i + 2) + uint32_t{1};
    if (key > kHighestKey) return Status::Invalid("bitmap: positions beyond 2^31 - 1");
    if (i > 0 && key <= LoadLe16(heads + 4 * (i - 1))) return Status::Invalid("bitmap: keys that do not ascend");
    if (offsets != nullptr && LoadLe32(offsets + 4 * i) != input.at()) {
      return Status::Invalid("bitmap: expected container ", i, " at byte ", input.at(), ", its offset is ",
                             LoadLe32(offsets + 4 * i));
    }
    const bool is_run = with_runs && (run_flags[i / 8] >> (i % 8) & 1) != 0;
    if (is_run) {
      ARROW_RETURN_NOT_OK(CheckRuns(input, cardinality));
    } else if (cardinality <= kMostArrayValues) {
      ARROW_RETURN_NOT_OK(CheckArray(input, cardinality));
    } else {
      ARROW_RETURN_NOT_OK(CheckBitset(input, cardinality));
    }
  }
  if (input.remaining() > 0) return Status::Invalid("bitmap: ", input.remaining(), " bytes behind the last container");
  return Status::OK();
}

}  // namespace reelhouse
