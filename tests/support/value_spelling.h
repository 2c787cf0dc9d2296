#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/api.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <nlohmann/json.hpp>

#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/io/location.h"

namespace reelhouse {

/// SHA-256 in hex.
inline std::string Sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

/// Spells Arrow values as `expected.json` of the test warehouses does (see tests/data/vectors). `warehouse` is the
/// prefix of URIs that becomes `$WH`.
class ValueSpelling {
 public:
  explicit ValueSpelling(std::string warehouse) : warehouse_(std::move(warehouse)) {}

  nlohmann::json Of(const arrow::Array& array, int64_t i) const {
    using nlohmann::json;
    if (array.IsNull(i)) return nullptr;
    switch (array.type_id()) {
      case arrow::Type::BOOL:
        return static_cast<const arrow::BooleanArray&>(array).Value(i);
      case arrow::Type::INT8:
        return static_cast<const arrow::Int8Array&>(array).Value(i);
      case arrow::Type::INT16:
        return static_cast<const arrow::Int16Array&>(array).Value(i);
      case arrow::Type::INT32:
        return static_cast<const arrow::Int32Array&>(array).Value(i);
      case arrow::Type::INT64:
        return static_cast<const arrow::Int64Array&>(array).Value(i);
      case arrow::Type::FLOAT:
        return static_cast<double>(static_cast<const arrow::FloatArray&>(array).Value(i));
      case arrow::Type::DOUBLE:
        return static_cast<const arrow::DoubleArray&>(array).Value(i);
      case arrow::Type::STRING:
        return static_cast<const arrow::StringArray&>(array).GetString(i);
      case arrow::Type::BINARY:
        return OfBytes(static_cast<const arrow::BinaryArray&>(array).GetView(i));
      case arrow::Type::LARGE_BINARY:
        return OfBytes(static_cast<const arrow::LargeBinaryArray&>(array).GetView(i));
      case arrow::Type::FIXED_SIZE_BINARY:
        return OfBytes(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(i));
      case arrow::Type::DATE32:
        return {{"date", DateText(static_cast<const arrow::Date32Array&>(array).Value(i))}};
      case arrow::Type::TIME32:
        return {{"time", TimeText(static_cast<const arrow::Time32Array&>(array).Value(i) * int64_t{1000})}};
      case arrow::Type::TIMESTAMP:
        return {{"timestamp", TimestampText(static_cast<const arrow::TimestampArray&>(array), i)}};
      case arrow::Type::DECIMAL128:
        return {{"decimal", static_cast<const arrow::Decimal128Array&>(array).FormatValue(i)}};
      case arrow::Type::STRUCT: {
        const auto& rows = static_cast<const arrow::StructArray&>(array);
        json members = json::object();
        for (int k = 0; k < rows.num_fields(); ++k)
          members[rows.struct_type()->field(k)->name()] = Of(*rows.field(k), i);
        return {{"struct", members}};
      }
      case arrow::Type::MAP: {
        const auto& maps = static_cast<const arrow::MapArray&>(array);
        json pairs = json::array();
        for (int64_t k = maps.value_offset(i); k < maps.value_offset(i + 1); ++k) {
          pairs.push_back(json::array({Of(*maps.keys(), k), Of(*maps.items(), k)}));
        }
        return pairs;
      }
      case arrow::Type::LIST: {
        const auto& lists = static_cast<const arrow::ListArray&>(array);
        return OfItems(*lists.values(), lists.value_offset(i), lists.value_offset(i + 1));
      }
      case arrow::Type::FIXED_SIZE_LIST: {
        const auto& lists = static_cast<const arrow::FixedSizeListArray&>(array);
        return OfItems(*lists.values(), lists.value_offset(i), lists.value_offset(i + 1));
      }
      default:
        return "a type that the test warehouses have not: " + array.type()->ToString();
    }
  }

  nlohmann::json OfRow(const arrow::RecordBatch& batch, int64_t i) const {
    nlohmann::json row = nlohmann::json::object();
    for (int k = 0; k < batch.num_columns(); ++k) row[batch.schema()->field(k)->name()] = Of(*batch.column(k), i);
    return row;
  }

 private:
  nlohmann::json OfItems(const arrow::Array& values, int64_t begin, int64_t end) const {
    nlohmann::json items = nlohmann::json::array();
    for (int64_t k = begin; k < end; ++k) items.push_back(Of(values, k));
    return items;
  }

  nlohmann::json OfBytes(std::string_view bytes) const {
    if (auto video = VideoFrameDescriptor::Parse(bytes)) {
      nlohmann::json body = OfReference(video->payload());
      body["wire"] = "video";
      body["version"] = 1;
      body["frame_index"] = video->frame_index;
      body["keyframe_index_offset"] = video->keyframe_index_offset_bytes;
      body["keyframe_index_length"] = video->keyframe_index_length_bytes;
      return {{"descriptor", body}};
    }
    if (auto blob = BlobDescriptor::Parse(bytes)) {
      nlohmann::json body = OfReference(*blob);
      body["wire"] = "blob";
      body["version"] = 2;
      return {{"descriptor", body}};
    }
    if (bytes.size() > 64) return {{"bytes_sha256", Sha256(bytes)}, {"length", bytes.size()}};
    std::string hex;
    for (char c : bytes) hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
    return {{"bytes_hex", hex}};
  }

  nlohmann::json OfReference(const BlobDescriptor& reference) const {
    const bool is_ours = reference.uri.starts_with(warehouse_);
    nlohmann::json body = {{"uri", is_ours ? "$WH" + reference.uri.substr(warehouse_.size()) : reference.uri},
                           {"offset", reference.offset_bytes},
                           {"length", reference.length_bytes}};
    auto path = LocalPath(reference.uri);
    if (!path.ok()) return body;
    std::ifstream file(*path, std::ios::binary);
    if (!file) return body;
    file.seekg(reference.offset_bytes);
    std::string payload{std::istreambuf_iterator<char>(file), {}};
    if (reference.length_bytes >= 0) payload.resize(std::min<size_t>(payload.size(), reference.length_bytes));
    body["payload_sha256"] = Sha256(payload);
    body["payload_length"] = payload.size();
    return body;
  }

  static std::string DateText(int64_t days) {
    // Days to civil date, valid for all years (Howard Hinnant's algorithm).
    const int64_t z = days + 719468;
    const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    const int64_t day_of_era = z - era * 146097;
    const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted_month = (5 * day_of_year + 2) / 153;
    const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    return fmt::format("{:04}-{:02}-{:02}", year, month, day);
  }

  static std::string TimeText(int64_t micros) {
    const int64_t seconds = micros / 1000000;
    std::string text = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (micros % 1000000 != 0) text += fmt::format(".{:06}", micros % 1000000);
    return text;
  }

  static std::string TimestampText(const arrow::TimestampArray& array, int64_t i) {
    const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
    int64_t micros = array.Value(i);
    switch (type.unit()) {
      case arrow::TimeUnit::SECOND:
        micros *= 1000000;
        break;
      case arrow::TimeUnit::MILLI:
        micros *= 1000;
        break;
      case arrow::TimeUnit::MICRO:
        break;
      case arrow::TimeUnit::NANO:
        micros /= 1000;
        break;
    }
    constexpr int64_t kDay = int64_t{86400} * 1000000;
    int64_t days = micros / kDay;
    if (micros % kDay < 0) --days;
    return DateText(days) + "T" + TimeText(micros - days * kDay) + (type.timezone().empty() ? "" : "+00:00");
  }

  std::string warehouse_;
};

}  // namespace reelhouse
