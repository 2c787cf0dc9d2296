#include "reelhouse/media/isobmff.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

constexpr int64_t kShortHeaderBytes = 8;
constexpr int64_t kLongHeaderBytes = 16;
constexpr size_t kMaxRanges = 65'536;
constexpr int kMaxBoxes = 1 << 20;  // tiny boxes that touch are one range, so that ranges alone bound nothing

struct BoxHeader {
  std::array<char, 4> type = {};
  int64_t header_bytes = 0;
  int64_t size_bytes = 0;

  std::string_view name() const { return {type.data(), type.size()}; }
};

Result<BoxHeader> ReadBoxHeader(int64_t offset_bytes, int64_t length_bytes, const ByteSource& read) {
  const auto broken = [&](const char* text) {
    return Status::Invalid("ISO BMFF box at byte ", offset_bytes, " of ", length_bytes, ": ", text);
  };
  const int64_t left_bytes = length_bytes - offset_bytes;
  std::array<uint8_t, kLongHeaderBytes> bytes = {};
  const int64_t wanted_bytes = std::min(left_bytes, kLongHeaderBytes);
  if (wanted_bytes < kShortHeaderBytes) return broken("its header is cut");
  ARROW_RETURN_NOT_OK(read(offset_bytes, wanted_bytes, bytes.data()));
  BoxHeader box;
  std::copy_n(bytes.begin() + 4, 4, box.type.begin());
  box.header_bytes = kShortHeaderBytes;
  uint64_t size_bytes = LoadBe32(bytes.data());
  if (size_bytes == 1) {
    if (wanted_bytes < kLongHeaderBytes) return broken("its header is cut");
    size_bytes = LoadBe64(bytes.data() + kShortHeaderBytes);
    box.header_bytes = kLongHeaderBytes;
  } else if (size_bytes == 0) {
    size_bytes = static_cast<uint64_t>(left_bytes);
  }
  if (size_bytes < static_cast<uint64_t>(box.header_bytes)) return broken("its size is smaller than its header");
  if (size_bytes > static_cast<uint64_t>(left_bytes)) return broken("it reaches beyond the end of the file");
  box.size_bytes = static_cast<int64_t>(size_bytes);
  return box;
}

/// Adds a range, or widens the last one where they touch.
void AppendRange(std::vector<KeyframeIndex::Range>& ranges, KeyframeIndex::Range range) {
  if (!ranges.empty() && ranges.back().offset_bytes + ranges.back().length_bytes == range.offset_bytes) {
    ranges.back().length_bytes += range.length_bytes;
  } else {
    ranges.push_back(range);
  }
}

}  // namespace

Result<IsobmffBoxes> WalkIsobmffBoxes(int64_t length_bytes, const ByteSource& read) {
  IsobmffBoxes boxes;
  bool has_moov = false;
  int box_count = 0;
  for (int64_t offset = 0; offset < length_bytes;) {
    if (++box_count > kMaxBoxes) return Status::Invalid("ISO BMFF: more than ", kMaxBoxes, " top-level boxes");
    ARROW_ASSIGN_OR_RAISE(const BoxHeader box, ReadBoxHeader(offset, length_bytes, read));
    const bool is_body_left_out = box.name() == "mdat" || box.name() == "free" || box.name() == "skip";
    const int64_t metadata_bytes = is_body_left_out ? box.header_bytes : box.size_bytes;
    AppendRange(boxes.metadata_ranges, {offset, metadata_bytes});
    if (boxes.metadata_ranges.size() > kMaxRanges) {
      return Status::Invalid("ISO BMFF: more than 65536 separate metadata ranges");
    }
    if (metadata_bytes < box.size_bytes) {
      boxes.bodies.push_back({offset + metadata_bytes, box.size_bytes - metadata_bytes});
    }
    has_moov |= box.name() == "moov";
    offset += box.size_bytes;
  }
  if (!has_moov) return Status::Invalid("ISO BMFF: no moov box");
  return boxes;
}

}  // namespace reelhouse
