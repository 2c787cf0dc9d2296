#include "cli/cell_text.h"

#include <cmath>

#include <algorithm>
#include <optional>

#include <arrow/api.h>
#include <arrow/util/base64.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/input_files.h"
#include "reelhouse/base/memory_size.h"
#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/predicate/calendar_text.h"

namespace reelhouse::cli {

namespace {

constexpr size_t kShownFileNameBytes = 12;

template <typename ArrayType>
const ArrayType& As(const arrow::Array& column) {
  return static_cast<const ArrayType&>(column);
}

std::optional<std::string_view> BytesOfCell(const arrow::Array& column, int64_t row) {
  switch (column.type_id()) {
    case arrow::Type::BINARY:
      return As<arrow::BinaryArray>(column).GetView(row);
    case arrow::Type::LARGE_BINARY:
      return As<arrow::LargeBinaryArray>(column).GetView(row);
    case arrow::Type::FIXED_SIZE_BINARY:
      return As<arrow::FixedSizeBinaryArray>(column).GetView(row);
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> TextOfCell(const arrow::Array& column, int64_t row) {
  switch (column.type_id()) {
    case arrow::Type::STRING:
      return As<arrow::StringArray>(column).GetView(row);
    case arrow::Type::LARGE_STRING:
      return As<arrow::LargeStringArray>(column).GetView(row);
    default:
      return std::nullopt;
  }
}

int64_t NanosecondsPer(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1'000'000'000;
    case arrow::TimeUnit::MILLI:
      return 1'000'000;
    case arrow::TimeUnit::MICRO:
      return 1'000;
    case arrow::TimeUnit::NANO:
      return 1;
  }
  return 1;
}

std::optional<std::string> TimeTextOfCell(const arrow::Array& column, int64_t row) {
  switch (column.type_id()) {
    case arrow::Type::DATE32:
      return DateToText(As<arrow::Date32Array>(column).Value(row));
    case arrow::Type::TIME32: {
      const auto& type = static_cast<const arrow::Time32Type&>(*column.type());
      return TimeOfDayToText(As<arrow::Time32Array>(column).Value(row) * NanosecondsPer(type.unit()));
    }
    case arrow::Type::TIME64: {
      const auto& type = static_cast<const arrow::Time64Type&>(*column.type());
      return TimeOfDayToText(As<arrow::Time64Array>(column).Value(row) * NanosecondsPer(type.unit()));
    }
    case arrow::Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*column.type());
      const Int128 moment = Int128{As<arrow::TimestampArray>(column).Value(row)} * NanosecondsPer(type.unit());
      return TimestampToText(moment) + (type.timezone().empty() ? "" : "Z");
    }
    default:
      return std::nullopt;
  }
}

template <typename Number>
std::string NumberText(Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return "";
  }
  return fmt::format("{}", value);
}

/// The text of a number or boolean; empty for what is none, or has no JSON.
std::string NumberTextOfCell(const arrow::Array& column, int64_t row) {
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return As<arrow::BooleanArray>(column).Value(row) ? "true" : "false";
    case arrow::Type::INT8:
      return NumberText(static_cast<int>(As<arrow::Int8Array>(column).Value(row)));
    case arrow::Type::INT16:
      return NumberText(As<arrow::Int16Array>(column).Value(row));
    case arrow::Type::INT32:
      return NumberText(As<arrow::Int32Array>(column).Value(row));
    case arrow::Type::INT64:
      return NumberText(As<arrow::Int64Array>(column).Value(row));
    case arrow::Type::FLOAT:
      return NumberText(As<arrow::FloatArray>(column).Value(row));
    case arrow::Type::DOUBLE:
      return NumberText(As<arrow::DoubleArray>(column).Value(row));
    case arrow::Type::DECIMAL128:
      return As<arrow::Decimal128Array>(column).FormatValue(row);
    default:
      return "";
  }
}

bool IsFloating(const arrow::Array& column) {
  return column.type_id() == arrow::Type::FLOAT || column.type_id() == arrow::Type::DOUBLE;
}

/// NaN and infinities as text, for CSV and people.
std::string SpecialFloatText(const arrow::Array& column, int64_t row) {
  const double value = column.type_id() == arrow::Type::FLOAT ? As<arrow::FloatArray>(column).Value(row)
                                                              : As<arrow::DoubleArray>(column).Value(row);
  return std::isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf";
}

std::string Base64(std::string_view bytes) { return arrow::util::base64_encode(bytes); }

void AppendDescriptor(const VideoFrameDescriptor& descriptor, std::string* out) {
  *out += "{\"uri\": ";
  AppendJsonString(descriptor.uri, out);
  *out += fmt::format(", \"offset\": {}, \"length\": {}, \"frame_index\": {}", descriptor.offset_bytes,
                      descriptor.length_bytes, descriptor.frame_index);
  *out += fmt::format(", \"keyframe_index_offset\": {}, \"keyframe_index_length\": {}}}",
                      descriptor.keyframe_index_offset_bytes, descriptor.keyframe_index_length_bytes);
}

void AppendDescriptor(const BlobDescriptor& descriptor, std::string* out) {
  *out += "{\"uri\": ";
  AppendJsonString(descriptor.uri, out);
  *out += fmt::format(", \"offset\": {}, \"length\": {}}}", descriptor.offset_bytes, descriptor.length_bytes);
}

/// True if the bytes are a reference, which was appended.
bool AppendIfDescriptor(std::string_view bytes, std::string* out) {
  if (const auto video = VideoFrameDescriptor::Parse(bytes)) {
    AppendDescriptor(*video, out);
    return true;
  }
  if (const auto blob = BlobDescriptor::Parse(bytes)) {
    AppendDescriptor(*blob, out);
    return true;
  }
  return false;
}

void AppendItems(const arrow::Array& values, int64_t first, int64_t count, std::string* out) {
  *out += '[';
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) *out += ", ";
    AppendJson(values, first + i, out);
  }
  *out += ']';
}

void AppendMap(const arrow::MapArray& column, int64_t row, std::string* out) {
  const arrow::Array& keys = *column.keys();
  const arrow::Array& items = *column.items();
  const bool has_text_keys = arrow::is_string(keys.type_id());
  const int64_t first = column.value_offset(row);
  *out += has_text_keys ? '{' : '[';
  for (int64_t i = first; i < first + column.value_length(row); ++i) {
    if (i > first) *out += ", ";
    if (!has_text_keys) *out += '[';
    AppendJson(keys, i, out);
    *out += has_text_keys ? ": " : ", ";
    AppendJson(items, i, out);
    if (!has_text_keys) *out += ']';
  }
  *out += has_text_keys ? '}' : ']';
}

void AppendStruct(const arrow::StructArray& column, int64_t row, std::string* out) {
  *out += '{';
  for (int i = 0; i < column.num_fields(); ++i) {
    if (i > 0) *out += ", ";
    AppendJsonString(column.struct_type()->field(i)->name(), out);
    *out += ": ";
    AppendJson(*column.field(i), row, out);
  }
  *out += '}';
}

/// True if the cell is a list, map or struct, which was appended.
bool AppendIfNested(const arrow::Array& column, int64_t row, std::string* out) {
  switch (column.type_id()) {
    case arrow::Type::LIST: {
      const auto& list = As<arrow::ListArray>(column);
      AppendItems(*list.values(), list.value_offset(row), list.value_length(row), out);
      return true;
    }
    case arrow::Type::LARGE_LIST: {
      const auto& list = As<arrow::LargeListArray>(column);
      AppendItems(*list.values(), list.value_offset(row), list.value_length(row), out);
      return true;
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = As<arrow::FixedSizeListArray>(column);
      AppendItems(*list.values(), list.value_offset(row), list.value_length(row), out);
      return true;
    }
    case arrow::Type::MAP:
      AppendMap(As<arrow::MapArray>(column), row, out);
      return true;
    case arrow::Type::STRUCT:
      AppendStruct(As<arrow::StructArray>(column), row, out);
      return true;
    default:
      return false;
  }
}

/// Types that no table has; Arrow's own spelling.
std::string OtherText(const arrow::Array& column, int64_t row) {
  const auto scalar = column.GetScalar(row);
  return scalar.ok() ? (*scalar)->ToString() : "";
}

/// The end of the file name of a reference.
std::string ShortName(const std::string& uri) {
  const std::string name = FileNameOf(uri);
  if (name.size() <= kShownFileNameBytes) return name;
  size_t begin = name.size() - kShownFileNameBytes;
  while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80) ++begin;
  return "…" + name.substr(begin);
}

std::string BytesForPeople(std::string_view bytes) {
  if (const auto video = VideoFrameDescriptor::Parse(bytes)) {
    return fmt::format("video {} frame {}", ShortName(video->uri), video->frame_index);
  }
  if (const auto blob = BlobDescriptor::Parse(bytes)) {
    if (blob->length_bytes < 0) return "blob " + ShortName(blob->uri);
    return fmt::format("blob {} {}", ShortName(blob->uri), FormatBytes(blob->length_bytes));
  }
  return fmt::format("<{} bytes>", bytes.size());
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (c == '\r') {
      line += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    *out += '"';
    *out += text;
    *out += '"';
    return;
  }
  *out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void AppendJson(const arrow::Array& column, int64_t row, std::string* out) {
  if (column.IsNull(row)) {
    *out += "null";
    return;
  }
  if (const auto text = TextOfCell(column, row)) return AppendJsonString(*text, out);
  if (const std::string number = NumberTextOfCell(column, row); !number.empty()) {
    *out += number;
    return;
  }
  if (IsFloating(column)) {
    *out += "null";
    return;
  }
  if (const auto time = TimeTextOfCell(column, row)) return AppendJsonString(*time, out);
  if (const auto bytes = BytesOfCell(column, row)) {
    if (!AppendIfDescriptor(*bytes, out)) AppendJsonString(Base64(*bytes), out);
    return;
  }
  if (!AppendIfNested(column, row, out)) AppendJsonString(OtherText(column, row), out);
}

std::string CellText(const arrow::Array& column, int64_t row) {
  if (const auto text = TextOfCell(column, row)) return std::string(*text);
  if (std::string number = NumberTextOfCell(column, row); !number.empty()) return number;
  if (IsFloating(column)) return SpecialFloatText(column, row);
  if (auto time = TimeTextOfCell(column, row)) return *std::move(time);
  std::string out;
  if (const auto bytes = BytesOfCell(column, row)) {
    if (!AppendIfDescriptor(*bytes, &out)) out = Base64(*bytes);
    return out;
  }
  if (!AppendIfNested(column, row, &out)) out = OtherText(column, row);
  return out;
}

std::string CellForPeople(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return "NULL";
  if (const auto bytes = BytesOfCell(column, row)) return OnOneLine(BytesForPeople(*bytes));
  return OnOneLine(CellText(column, row));
}

}  // namespace reelhouse::cli
