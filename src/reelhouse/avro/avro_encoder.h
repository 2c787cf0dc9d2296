#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelhouse {

/// Appends Avro values to bytes. The caller puts them in the order of its schema; nullable values are unions with null
/// first.
class AvroEncoder {
 public:
  void PutLong(int64_t value) {
    uint64_t zigzag = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    while (zigzag >= 0x80) {
      bytes_.push_back(static_cast<char>(zigzag | 0x80));
      zigzag >>= 7;
    }
    bytes_.push_back(static_cast<char>(zigzag));
  }
  void PutInt(int32_t value) { PutLong(value); }
  void PutBytes(std::string_view value) {
    PutLong(static_cast<int64_t>(value.size()));
    bytes_.append(value);
  }
  /// Bytes that are encoded already.
  void PutRaw(std::string_view encoded) { bytes_.append(encoded); }
  void PutNull() { PutLong(0); }     ///< the null of a nullable value
  void PutPresent() { PutLong(1); }  ///< before the value of a nullable value

  void PutNullable(const std::optional<int32_t>& value) {
    PutPresence(value.has_value());
    if (value) PutInt(*value);
  }
  void PutNullable(const std::optional<int64_t>& value) {
    PutPresence(value.has_value());
    if (value) PutLong(*value);
  }
  void PutNullable(const std::optional<std::string>& value) {
    PutPresence(value.has_value());
    if (value) PutBytes(*value);
  }
  template <typename T>
  void PutNullable(const std::optional<std::vector<T>>& values) {
    PutPresence(values.has_value());
    if (values) PutArray(*values);
  }

  template <typename T>
  void PutArray(const std::vector<T>& values) {
    PutArray(values, [this](const T& value) { Put(value); });
  }
  template <typename T, typename PutItem>
  void PutArray(const std::vector<T>& values, PutItem put_item) {
    if (!values.empty()) {
      PutLong(static_cast<int64_t>(values.size()));
      for (const T& value : values) put_item(value);
    }
    PutLong(0);
  }

  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  void PutPresence(bool is_present) { is_present ? PutPresent() : PutNull(); }
  void Put(int32_t value) { PutInt(value); }
  void Put(int64_t value) { PutLong(value); }
  void Put(const std::string& value) { PutBytes(value); }
  void Put(const std::optional<int64_t>& value) { PutNullable(value); }

  std::string bytes_;
};

}  // namespace reelhouse
