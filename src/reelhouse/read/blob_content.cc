#include "reelhouse/read/blob_content.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/read/file_ranges.h"
#include "reelhouse/read/reference_roots.h"

namespace reelhouse {
namespace {

// Distinct ranges that cells refer to.
class ReferencedRanges {
 public:
  struct Range {
    const OpenedFiles::File* file = nullptr;
    int64_t offset_bytes = 0;
    int64_t length_bytes = 0;
    int64_t first_cell_offset = -1;  ///< where in the result its bytes lie first
  };

  ReferencedRanges(FileStore& files, const std::vector<std::string>& roots) : files_(files), roots_(roots) {}

  // The place of the range that `bytes` refer to, or nothing if they are content. Ranges lie within their files, so
  // that their sizes can be trusted.
  Result<std::optional<size_t>> PlaceOf(std::string_view bytes) {
    std::optional<BlobDescriptor> descriptor;
    if (BlobDescriptor::HasMagic(bytes)) {
      descriptor = BlobDescriptor::Parse(bytes);
    } else if (VideoFrameDescriptor::HasMagic(bytes)) {
      if (auto frame = VideoFrameDescriptor::Parse(bytes)) descriptor = frame->payload();
    }
    if (!descriptor) return std::nullopt;
    ARROW_RETURN_NOT_OK(roots_.Check(descriptor->uri));
    ARROW_ASSIGN_OR_RAISE(const OpenedFiles::File* file, files_.Open(descriptor->uri));
    const int64_t offset = descriptor->offset_bytes;
    int64_t length = descriptor->length_bytes;
    if (length == -1) length = std::max<int64_t>(file->size_bytes - offset, 0);
    ARROW_RETURN_NOT_OK(file->CheckRange(offset, length));
    auto [found, is_new] = place_of_.try_emplace(Key{file, offset, length}, ranges_.size());
    if (is_new) ranges_.push_back({file, offset, length});
    return found->second;
  }

  std::vector<Range>& ranges() { return ranges_; }

 private:
  using Key = std::tuple<const OpenedFiles::File*, int64_t, int64_t>;

  OpenedFiles files_;
  ReferenceRoots roots_;
  std::map<Key, size_t> place_of_;
  std::vector<Range> ranges_;
};

template <typename ArrayType>
Result<std::shared_ptr<arrow::Array>> ContentOf(FileStore& files, const std::vector<std::string>& roots,
                                                const ArrayType& cells, int parallelism) {
  using Offset = typename ArrayType::offset_type;
  constexpr int64_t kContent = -1;
  ReferencedRanges referenced(files, roots);
  const int64_t count = cells.length();
  std::vector<int64_t> place_of(static_cast<size_t>(count), kContent);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets_buffer,
                        arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(Offset))));
  auto* offsets = reinterpret_cast<Offset*>(offsets_buffer->mutable_data());
  int64_t end = 0;
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<Offset>(end);
    if (cells.IsNull(i)) continue;
    std::string_view bytes = cells.GetView(i);
    ARROW_ASSIGN_OR_RAISE(std::optional<size_t> place, referenced.PlaceOf(bytes));
    int64_t length = static_cast<int64_t>(bytes.size());
    if (place) {
      place_of[i] = static_cast<int64_t>(*place);
      length = referenced.ranges()[*place].length_bytes;
    }
    if (length > std::numeric_limits<Offset>::max() - end) {
      return Status::CapacityError("the content of ", count, " cells is larger than ",
                                   std::numeric_limits<Offset>::max(), " bytes; read fewer rows at a time");
    }
    end += length;
  }
  offsets[count] = static_cast<Offset>(end);

  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> data, arrow::AllocateBuffer(end));
  uint8_t* to = data->mutable_data();
  std::vector<FileRange> ranges;
  for (int64_t i = 0; i < count; ++i) {
    if (cells.IsNull(i)) continue;
    if (place_of[i] == kContent) {
      std::string_view bytes = cells.GetView(i);
      std::memcpy(to + offsets[i], bytes.data(), bytes.size());
      continue;
    }
    ReferencedRanges::Range& range = referenced.ranges()[place_of[i]];
    if (range.first_cell_offset >= 0) continue;
    range.first_cell_offset = offsets[i];
    ranges.push_back({range.file, range.offset_bytes, range.length_bytes, to + offsets[i]});
  }
  ARROW_RETURN_NOT_OK(ReadFileRanges(std::move(ranges), parallelism));
  for (int64_t i = 0; i < count; ++i) {
    if (place_of[i] == kContent) continue;
    const ReferencedRanges::Range& range = referenced.ranges()[place_of[i]];
    if (range.first_cell_offset == offsets[i]) continue;
    std::memcpy(to + offsets[i], to + range.first_cell_offset, static_cast<size_t>(range.length_bytes));
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (cells.null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(count));
    for (int64_t i = 0; i < count; ++i) {
      if (cells.IsValid(i)) arrow::bit_util::SetBit(validity->mutable_data(), i);
    }
  }
  return std::make_shared<ArrayType>(count, std::move(offsets_buffer), std::move(data), std::move(validity),
                                     cells.null_count());
}

// `list` with other values in place of those that it shows.
template <typename ListType>
Result<std::shared_ptr<arrow::Array>> WithContent(FileStore& files, const std::vector<std::string>& roots,
                                                  const ListType& list, const std::shared_ptr<arrow::Array>& values,
                                                  int parallelism) {
  const int64_t first = list.length() == 0 ? 0 : list.value_offset(0);
  const int64_t last = list.length() == 0 ? 0 : list.value_offset(list.length());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> content,
                        ReadBlobContent(files, roots, values->Slice(first, last - first), parallelism));
  // Values before `first` are never looked at, but offsets count from the very first value.
  if (first > 0) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> unseen, arrow::MakeArrayOfNull(content->type(), first));
    ARROW_ASSIGN_OR_RAISE(content, arrow::Concatenate({unseen, content}));
  }
  return content;
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> ReadBlobContent(FileStore& files, const std::vector<std::string>& roots,
                                                      const std::shared_ptr<arrow::Array>& cells, int parallelism) {
  switch (cells->type_id()) {
    case arrow::Type::LARGE_BINARY:
      return ContentOf(files, roots, static_cast<const arrow::LargeBinaryArray&>(*cells), parallelism);
    case arrow::Type::BINARY:
      return ContentOf(files, roots, static_cast<const arrow::BinaryArray&>(*cells), parallelism);
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
      const bool is_map = cells->type_id() == arrow::Type::MAP;
      const auto& list = static_cast<const arrow::ListArray&>(*cells);  // A MapArray is one, too.
      std::shared_ptr<arrow::Array> values =
          is_map ? static_cast<const arrow::MapArray&>(*cells).items() : list.values();
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> content,
                            WithContent(files, roots, list, values, parallelism));
      if (is_map) {
        const auto& map = static_cast<const arrow::MapArray&>(*cells);
        std::shared_ptr<arrow::Array> keys = map.keys()->Slice(0, content->length());
        return std::make_shared<arrow::MapArray>(cells->type(), cells->length(), list.value_offsets(), keys, content,
                                                 cells->null_bitmap(), cells->null_count(), cells->offset());
      }
      return std::make_shared<arrow::ListArray>(cells->type(), cells->length(), list.value_offsets(), content,
                                                cells->null_bitmap(), cells->null_count(), cells->offset());
    }
    default:
      return Status::TypeError("expected a column of BLOB, ARRAY<BLOB> or MAP<_, BLOB> cells, found ",
                               cells->type()->ToString());
  }
}

}  // namespace reelhouse
