#include "reelhouse/deletion/deletion_vectors.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <arrow/buffer.h>
#include <roaring/roaring.h>

#include "reelhouse/base/crc32.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/base/uuid.h"
#include "reelhouse/deletion/roaring_layout.h"
#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

constexpr char kVersion = 1;
constexpr uint32_t kMagic = 1581511376;
// 64-bit vectors of other engines write theirs in the other byte order (format notes, 7.3).
constexpr uint32_t kMagic64 = 1681511377;
constexpr int64_t kMagicBytes = 4;
constexpr int64_t kSizeBytes = 4;
constexpr int64_t kCrcBytes = 4;

}  // namespace

/// Owner of a CRoaring bitmap; never null.
struct DeletionVector::Bitmap {
  explicit Bitmap(roaring_bitmap_t* owned) : roaring(owned) {
    if (roaring == nullptr) throw std::bad_alloc();
  }
  ~Bitmap() { roaring_bitmap_free(roaring); }
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;

  roaring_bitmap_t* const roaring;
};

DeletionVector::DeletionVector() : bitmap_(std::make_shared<const Bitmap>(roaring_bitmap_create())) {}

DeletionVector::DeletionVector(const std::vector<uint32_t>& positions)
    : bitmap_(std::make_shared<const Bitmap>(roaring_bitmap_of_ptr(positions.size(), positions.data()))) {}

Result<DeletionVector> DeletionVector::Deserialize(std::string_view bytes, std::string_view path) {
  if (bytes.size() < static_cast<size_t>(kMagicBytes)) return CorruptFile(path, -1, "a deletion vector without magic");
  const uint32_t magic = LoadBe32(bytes.data());
  if (magic != kMagic) {
    if (LoadLe32(bytes.data()) == kMagic64) {
      return Status::NotImplemented(path, ": deletion vectors of 64 bits (deletion-vectors.bitmap64=true)");
    }
    return CorruptFile(
        path, -1,
        "expected a deletion vector with magic " + std::to_string(kMagic) + ", found " + std::to_string(magic));
  }
  const std::string_view bitmap = bytes.substr(kMagicBytes);
  const Status valid = CheckPortableBitmap(bitmap);
  if (!valid.ok()) return CorruptFile(path, -1, valid.message());
  roaring_bitmap_t* roaring = roaring_bitmap_portable_deserialize_safe(bitmap.data(), bitmap.size());
  if (roaring == nullptr) return CorruptFile(path, -1, "CRoaring refuses the bitmap");
  DeletionVector vector;
  vector.bitmap_ = std::make_shared<const Bitmap>(roaring);
  return vector;
}

std::string DeletionVector::Serialize() const {
  std::string bytes;
  AppendBe32(bytes, kMagic);
  bytes.resize(kMagicBytes + roaring_bitmap_portable_size_in_bytes(bitmap_->roaring));
  roaring_bitmap_portable_serialize(bitmap_->roaring, bytes.data() + kMagicBytes);
  return bytes;
}

int64_t DeletionVector::cardinality() const {
  return static_cast<int64_t>(roaring_bitmap_get_cardinality(bitmap_->roaring));
}

bool DeletionVector::Contains(uint32_t position) const { return roaring_bitmap_contains(bitmap_->roaring, position); }

std::vector<uint32_t> DeletionVector::PositionsIn(uint32_t begin, uint32_t end) const {
  std::vector<uint32_t> positions;
  if (begin >= end) return positions;
  positions.resize(static_cast<size_t>(CardinalityIn(begin, end)));
  if (positions.empty()) return positions;
  roaring_uint32_iterator_t iterator;
  roaring_init_iterator(bitmap_->roaring, &iterator);
  roaring_move_uint32_iterator_equalorlarger(&iterator, begin);
  const uint32_t read =
      roaring_read_uint32_iterator(&iterator, positions.data(), static_cast<uint32_t>(positions.size()));
  positions.resize(read);
  return positions;
}

int64_t DeletionVector::CardinalityIn(uint32_t begin, uint32_t end) const {
  return begin < end ? static_cast<int64_t>(roaring_bitmap_range_cardinality(bitmap_->roaring, begin, end)) : 0;
}

DeletionVector DeletionVector::Union(const DeletionVector& other) const {
  DeletionVector both;
  both.bitmap_ = std::make_shared<const Bitmap>(roaring_bitmap_or(bitmap_->roaring, other.bitmap_->roaring));
  return both;
}

Result<DeletionVectors> ReadDeletionVectors(FileStore& files, const std::string& path, const IndexFile& index_file) {
  if (!index_file.deletion_vectors) {
    return CorruptFile(path, -1, "the index manifest lists no deletion vectors of this file");
  }
  ARROW_ASSIGN_OR_RAISE(auto input, files.OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, input->GetSize());
  ARROW_ASSIGN_OR_RAISE(auto version, input->ReadAt(0, 1));
  if (version->size() != 1 || static_cast<char>(version->data()[0]) != kVersion) {
    return CorruptFile(path, 0,
                       version->size() == 1 ? "expected version 1, found " + std::to_string(version->data()[0])
                                            : std::string("an empty file"));
  }
  DeletionVectors vectors;
  for (const DeletionVectorRange& range : *index_file.deletion_vectors) {
    const int64_t offset = range.offset_bytes;
    const int64_t length = range.length_bytes;
    if (offset < 1 || length < kMagicBytes || offset + kSizeBytes + length + kCrcBytes > file_size) {
      return CorruptFile(path, offset,
                         "the vector of " + range.data_file_name + " of " + std::to_string(length) +
                             " bytes does not lie in a file of " + std::to_string(file_size) + " bytes");
    }
    const int64_t framed = kSizeBytes + length + kCrcBytes;
    ARROW_ASSIGN_OR_RAISE(auto buffer, input->ReadAt(offset, framed));
    if (buffer->size() != framed) return CorruptFile(path, offset, "the file ends inside a deletion vector");
    const std::string_view bytes(reinterpret_cast<const char*>(buffer->data()), static_cast<size_t>(framed));
    const uint32_t size = LoadBe32(bytes.data());
    if (size != static_cast<uint32_t>(length)) {
      return CorruptFile(
          path, offset,
          "expected a vector of " + std::to_string(length) + " bytes, found a size of " + std::to_string(size));
    }
    const std::string_view content = bytes.substr(kSizeBytes, static_cast<size_t>(length));
    // The magic first: a file of another kind should not be called damaged.
    auto vector = DeletionVector::Deserialize(content, path);
    const uint32_t crc = LoadBe32(bytes.data() + kSizeBytes + length);
    if (Crc32(content) != crc && (vector.ok() || IsKind(vector.status(), ErrorKind::kCorruptFile))) {
      return CorruptFile(path, offset, "CRC mismatch of the deletion vector of " + range.data_file_name);
    }
    ARROW_RETURN_NOT_OK(vector.status());
    if (range.cardinality && *range.cardinality != vector->cardinality()) {
      return CorruptFile(path, offset,
                         "expected " + std::to_string(*range.cardinality) + " positions for " + range.data_file_name +
                             ", found " + std::to_string(vector->cardinality()));
    }
    const auto [there, is_new] = vectors.emplace(range.data_file_name, *std::move(vector));
    if (!is_new) return CorruptFile(path, offset, "two deletion vectors for " + range.data_file_name);
  }
  return vectors;
}

Result<IndexFile> WriteDeletionVectors(FileStore& files, const std::string& folder, const DeletionVectors& vectors) {
  // By name, like pypaimon: equal vectors give equal files.
  std::vector<const DeletionVectors::value_type*> ordered;
  ordered.reserve(vectors.size());
  for (const auto& vector : vectors) ordered.push_back(&vector);
  std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->first < b->first; });

  IndexFile index_file;
  index_file.index_type = kDeletionVectorsIndex;
  index_file.file_name = "index-" + NewUuid() + "-1";
  index_file.row_count = static_cast<int64_t>(ordered.size());
  auto& ranges = index_file.deletion_vectors.emplace();

  ARROW_ASSIGN_OR_RAISE(auto file, files.Create(JoinLocation(folder, index_file.file_name)));
  ARROW_RETURN_NOT_OK(file->Write(&kVersion, 1));
  int64_t offset = 1;
  for (const auto* vector : ordered) {
    const std::string content = vector->second.Serialize();
    if (offset + kSizeBytes + static_cast<int64_t>(content.size()) + kCrcBytes > std::numeric_limits<int32_t>::max()) {
      return Status::CapacityError("deletion vectors of one bucket beyond 2 GiB: compact the table");
    }
    std::string framed;
    framed.reserve(kSizeBytes + content.size() + kCrcBytes);
    AppendBe32(framed, static_cast<uint32_t>(content.size()));
    framed += content;
    AppendBe32(framed, Crc32(content));
    ARROW_RETURN_NOT_OK(file->Write(framed.data(), static_cast<int64_t>(framed.size())));
    ranges.push_back({vector->first, static_cast<int32_t>(offset), static_cast<int32_t>(content.size()),
                      vector->second.cardinality()});
    offset += static_cast<int64_t>(framed.size());
  }
  ARROW_RETURN_NOT_OK(file->Finish());
  index_file.file_size = offset;
  return index_file;
}

}  // namespace reelhouse
