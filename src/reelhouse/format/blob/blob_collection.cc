#include "reelhouse/format/blob/blob_collection.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/format/blob/blob_layout.h"

namespace reelhouse {
namespace {

using blob_layout::kNestedHeaderBytes;
using blob_layout::kNullElement;

std::string NestedHeader(uint32_t magic, size_t count) {
  std::string out;
  AppendLe32(out, magic);
  out.push_back(static_cast<char>(blob_layout::kNestedVersion));
  AppendLe32(out, static_cast<uint32_t>(count));
  return out;
}

template <typename Text>
std::string EncodeLengths(const std::vector<std::optional<Text>>& pieces) {
  std::vector<int64_t> lengths;
  lengths.reserve(pieces.size());
  for (const auto& piece : pieces) lengths.push_back(piece ? static_cast<int64_t>(piece->size()) : kNullElement);
  return EncodeDeltaVarints(lengths);
}

// Reads the parts of one nested payload; every failure names the file and the place in the payload.
class NestedPayload {
 public:
  NestedPayload(std::string_view bytes, std::string_view path) : bytes_(bytes), path_(path) {}

  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

  Status Corrupt(int64_t at, std::string_view text) const {
    return CorruptFile(path_, at, fmt::format("nested blob value: {}", text));
  }

  Result<int64_t> ReadCount(uint32_t magic, int64_t trailer_bytes) const {
    if (size() < kNestedHeaderBytes + trailer_bytes) {
      return Corrupt(0,
                     fmt::format("expected at least {} bytes, found {}", kNestedHeaderBytes + trailer_bytes, size()));
    }
    if (LoadLe32(bytes_.data()) != magic) {
      return Corrupt(0, fmt::format("magic: expected {:#x}, found {:#x}", magic, LoadLe32(bytes_.data())));
    }
    if (static_cast<uint8_t>(bytes_[4]) != blob_layout::kNestedVersion) {
      return Corrupt(4, fmt::format("version: expected 1, found {}", static_cast<uint8_t>(bytes_[4])));
    }
    return static_cast<int64_t>(LoadLe32(bytes_.data() + 5));
  }

  // The lengths of `count` pieces, encoded in the `size_bytes` before `end`.
  Result<std::vector<int64_t>> ReadLengths(int64_t end, int64_t size_bytes, int64_t count) const {
    if (size_bytes > end - kNestedHeaderBytes) {
      return Corrupt(
          end, fmt::format("length index: expected at most {} bytes, found {}", end - kNestedHeaderBytes, size_bytes));
    }
    const int64_t at = end - size_bytes;
    auto lengths = DecodeDeltaVarints(bytes_.substr(static_cast<size_t>(at), static_cast<size_t>(size_bytes)));
    if (!lengths.ok()) return Corrupt(at, "length index: " + lengths.status().message());
    if (static_cast<int64_t>(lengths->size()) != count) {
      return Corrupt(at, fmt::format("length index: expected {} entries, found {}", count, lengths->size()));
    }
    return lengths;
  }

  // Lays pieces one after another from `*at`, never beyond `end`.
  Result<std::vector<BlobElement>> PlaceElements(const std::vector<int64_t>& lengths, int64_t* at, int64_t end) const {
    std::vector<BlobElement> elements;
    elements.reserve(lengths.size());
    for (const int64_t length : lengths) {
      if (length < kNullElement || length > end - *at) {
        return Corrupt(*at, fmt::format("element {}: expected a length of -1 to {}, found {}", elements.size(),
                                        end - *at, length));
      }
      elements.push_back({*at, length});
      *at += std::max<int64_t>(length, 0);
    }
    return elements;
  }

  Status ExpectEnd(int64_t at, int64_t end) const {
    if (at == end) return Status::OK();
    return Corrupt(at, fmt::format("elements end at byte {} of the value, but their index starts at {}", at, end));
  }

  std::string_view Piece(const BlobElement& element) const {
    return bytes_.substr(static_cast<size_t>(element.offset_bytes), static_cast<size_t>(element.length_bytes));
  }

  uint32_t LoadAt(int64_t at) const { return LoadLe32(bytes_.data() + at); }

 private:
  std::string_view bytes_;
  std::string_view path_;
};

template <typename T>
std::string LittleEndian(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

template <typename T>
Result<T> LoadNumber(std::string_view bytes, const arrow::DataType& type) {
  if (bytes.size() != sizeof(T)) {
    return Status::Invalid(
        fmt::format("map key of type {}: expected {} bytes, found {}", type.ToString(), sizeof(T), bytes.size()));
  }
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

constexpr int32_t kCompactDecimalDigits = 18;

// Java's BigInteger.toByteArray: as few bytes as hold the number and its sign.
std::string ShortestBigEndian(const arrow::Decimal128& value) {
  std::string bytes(16, '\0');
  const auto little = value.ToBytes();
  std::reverse_copy(little.begin(), little.end(), bytes.begin());
  size_t first = 0;
  while (first < 15) {
    const bool negative = (bytes[first + 1] & 0x80) != 0;
    if (bytes[first] != (negative ? '\xff' : '\0')) break;
    ++first;
  }
  return bytes.substr(first);
}

}  // namespace

std::string EncodeBlobArray(const std::vector<std::optional<std::string_view>>& elements) {
  std::string out = NestedHeader(blob_layout::kArrayMagic, elements.size());
  for (const auto& element : elements) {
    if (element) out.append(*element);
  }
  const std::string lengths = EncodeLengths(elements);
  out.append(lengths);
  AppendLe32(out, static_cast<uint32_t>(lengths.size()));
  return out;
}

Result<std::vector<BlobElement>> DecodeBlobArray(std::string_view payload, std::string_view path) {
  constexpr int64_t kTrailerBytes = 4;
  const NestedPayload nested(payload, path);
  ARROW_ASSIGN_OR_RAISE(const int64_t count, nested.ReadCount(blob_layout::kArrayMagic, kTrailerBytes));
  const int64_t index_end = nested.size() - kTrailerBytes;
  const int64_t index_bytes = nested.LoadAt(index_end);
  ARROW_ASSIGN_OR_RAISE(auto lengths, nested.ReadLengths(index_end, index_bytes, count));
  int64_t at = kNestedHeaderBytes;
  ARROW_ASSIGN_OR_RAISE(auto elements, nested.PlaceElements(lengths, &at, index_end - index_bytes));
  ARROW_RETURN_NOT_OK(nested.ExpectEnd(at, index_end - index_bytes));
  return elements;
}

std::string EncodeBlobMap(const std::vector<std::optional<std::string>>& keys,
                          const std::vector<std::optional<std::string_view>>& values) {
  std::string out = NestedHeader(blob_layout::kMapMagic, keys.size());
  for (const auto& key : keys) {
    if (key) out.append(*key);
  }
  for (const auto& value : values) {
    if (value) out.append(*value);
  }
  const std::string key_lengths = EncodeLengths(keys);
  const std::string value_lengths = EncodeLengths(values);
  out.append(key_lengths);
  out.append(value_lengths);
  AppendLe32(out, static_cast<uint32_t>(key_lengths.size()));
  AppendLe32(out, static_cast<uint32_t>(value_lengths.size()));
  return out;
}

Result<BlobMap> DecodeBlobMap(std::string_view payload, std::string_view path) {
  constexpr int64_t kTrailerBytes = 8;
  const NestedPayload nested(payload, path);
  ARROW_ASSIGN_OR_RAISE(const int64_t count, nested.ReadCount(blob_layout::kMapMagic, kTrailerBytes));
  const int64_t values_end = nested.size() - kTrailerBytes;
  const int64_t key_index_bytes = nested.LoadAt(values_end);
  const int64_t value_index_bytes = nested.LoadAt(values_end + 4);
  ARROW_ASSIGN_OR_RAISE(auto value_lengths, nested.ReadLengths(values_end, value_index_bytes, count));
  const int64_t keys_end = values_end - value_index_bytes;
  ARROW_ASSIGN_OR_RAISE(auto key_lengths, nested.ReadLengths(keys_end, key_index_bytes, count));
  const int64_t content_end = keys_end - key_index_bytes;
  int64_t at = kNestedHeaderBytes;
  ARROW_ASSIGN_OR_RAISE(auto keys, nested.PlaceElements(key_lengths, &at, content_end));
  BlobMap map;
  ARROW_ASSIGN_OR_RAISE(map.values, nested.PlaceElements(value_lengths, &at, content_end));
  ARROW_RETURN_NOT_OK(nested.ExpectEnd(at, content_end));
  map.keys.reserve(keys.size());
  for (const BlobElement& key : keys) {
    if (key.length_bytes < 0) {
      map.keys.emplace_back();
    } else {
      map.keys.emplace_back(std::string(nested.Piece(key)));
    }
  }
  return map;
}

Result<std::string> EncodeBlobMapKey(const arrow::Scalar& key) {
  switch (key.type->id()) {
    case arrow::Type::BOOL:
      return std::string(1, static_cast<const arrow::BooleanScalar&>(key).value ? '\1' : '\0');
    case arrow::Type::INT8:
      return LittleEndian(static_cast<const arrow::Int8Scalar&>(key).value);
    case arrow::Type::INT16:
      return LittleEndian(static_cast<const arrow::Int16Scalar&>(key).value);
    case arrow::Type::INT32:
      return LittleEndian(static_cast<const arrow::Int32Scalar&>(key).value);
    case arrow::Type::INT64:
      return LittleEndian(static_cast<const arrow::Int64Scalar&>(key).value);
    case arrow::Type::DATE32:
      return LittleEndian(static_cast<const arrow::Date32Scalar&>(key).value);
    case arrow::Type::TIME32: {
      const int32_t value = static_cast<const arrow::Time32Scalar&>(key).value;
      const bool seconds = static_cast<const arrow::Time32Type&>(*key.type).unit() == arrow::TimeUnit::SECOND;
      return LittleEndian(seconds ? value * 1000 : value);
    }
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128& value = static_cast<const arrow::Decimal128Scalar&>(key).value;
      if (static_cast<const arrow::Decimal128Type&>(*key.type).precision() > kCompactDecimalDigits) {
        return ShortestBigEndian(value);
      }
      return LittleEndian(static_cast<int64_t>(value.low_bits()));
    }
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return static_cast<const arrow::BaseBinaryScalar&>(key).value->ToString();
    default:
      return Status::NotImplemented("map of BLOBs: no stored form of keys of type ", key.type->ToString());
  }
}

Result<std::shared_ptr<arrow::Scalar>> DecodeBlobMapKey(std::string_view bytes,
                                                        const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::BOOL: {
      ARROW_ASSIGN_OR_RAISE(const int8_t value, LoadNumber<int8_t>(bytes, *type));
      return std::make_shared<arrow::BooleanScalar>(value != 0);
    }
    case arrow::Type::INT8: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int8_t>(bytes, *type));
      return std::make_shared<arrow::Int8Scalar>(value);
    }
    case arrow::Type::INT16: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int16_t>(bytes, *type));
      return std::make_shared<arrow::Int16Scalar>(value);
    }
    case arrow::Type::INT32: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int32_t>(bytes, *type));
      return std::make_shared<arrow::Int32Scalar>(value);
    }
    case arrow::Type::INT64: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int64_t>(bytes, *type));
      return std::make_shared<arrow::Int64Scalar>(value);
    }
    case arrow::Type::DATE32: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int32_t>(bytes, *type));
      return std::make_shared<arrow::Date32Scalar>(value);
    }
    case arrow::Type::TIME32: {
      ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int32_t>(bytes, *type));
      const bool seconds = static_cast<const arrow::Time32Type&>(*type).unit() == arrow::TimeUnit::SECOND;
      return std::make_shared<arrow::Time32Scalar>(seconds ? value / 1000 : value, type);
    }
    case arrow::Type::DECIMAL128: {
      if (static_cast<const arrow::Decimal128Type&>(*type).precision() <= kCompactDecimalDigits) {
        ARROW_ASSIGN_OR_RAISE(const auto value, LoadNumber<int64_t>(bytes, *type));
        return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(value), type);
      }
      if (bytes.empty() || bytes.size() > 16) {
        return Status::Invalid(
            fmt::format("map key of type {}: expected 1 to 16 bytes, found {}", type->ToString(), bytes.size()));
      }
      ARROW_ASSIGN_OR_RAISE(const auto value,
                            arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                             static_cast<int32_t>(bytes.size())));
      return std::make_shared<arrow::Decimal128Scalar>(value, type);
    }
    case arrow::Type::STRING:
      return std::make_shared<arrow::StringScalar>(std::string(bytes));
    case arrow::Type::BINARY:
      return std::make_shared<arrow::BinaryScalar>(std::string(bytes));
    case arrow::Type::LARGE_BINARY:
      return std::make_shared<arrow::LargeBinaryScalar>(std::string(bytes));
    case arrow::Type::FIXED_SIZE_BINARY: {
      const int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width();
      if (bytes.size() != static_cast<size_t>(width)) {
        return Status::Invalid(fmt::format("map key: expected {} bytes, found {}", width, bytes.size()));
      }
      return std::make_shared<arrow::FixedSizeBinaryScalar>(arrow::Buffer::FromString(std::string(bytes)), type);
    }
    default:
      return Status::NotImplemented("map of BLOBs: no stored form of keys of type ", type->ToString());
  }
}

}  // namespace reelhouse
