#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace reelhouse {

/// A place in the bytes of Avro values. Every read checks the end; the first failure stays, and reads return false.
/// Failures are texts, not statuses, because the hot path is per value: whoever owns the file makes the error.
class AvroCursor {
 public:
  explicit AvroCursor(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  int64_t remaining() const { return end_ - at_; }
  const char* at() const { return at_; }

  bool ReadLong(int64_t* value) {
    // Most numbers have one byte.
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      const uint8_t byte = static_cast<uint8_t>(*at_++);
      *value = static_cast<int64_t>(byte >> 1) ^ -static_cast<int64_t>(byte & 1);
      return true;
    }
    return ReadLongNumber(value);
  }

  bool ReadLongNumber(int64_t* value) {
    uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return Fail("the data ends inside a number");
      const uint8_t byte = static_cast<uint8_t>(*at_++);
      // The tenth byte holds one bit.
      if (shift == 63 && byte > 1) break;
      bits |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        *value = static_cast<int64_t>(bits >> 1) ^ -static_cast<int64_t>(bits & 1);
        return true;
      }
    }
    return Fail("a number of more than 64 bits");
  }

  bool ReadInt(int32_t* value) {
    int64_t wide = 0;
    if (!ReadLong(&wide)) return false;
    if (wide < INT32_MIN || wide > INT32_MAX) return Fail("expected an int of 32 bits, found " + std::to_string(wide));
    *value = static_cast<int32_t>(wide);
    return true;
  }

  bool ReadBoolean(bool* value) {
    if (at_ == end_) return Fail("the data ends before a boolean");
    const char byte = *at_++;
    if (byte != 0 && byte != 1) return Fail("expected a boolean of 0 or 1, found " + std::to_string(byte));
    *value = byte == 1;
    return true;
  }

  /// The bytes of `bytes` or `string`; a view into the data.
  bool ReadBytes(std::string_view* value) {
    int64_t length = 0;
    if (!ReadLong(&length)) return false;
    if (length < 0 || length > remaining()) {
      return Fail("a length of " + std::to_string(length) + " where " + std::to_string(remaining()) +
                  " bytes are left");
    }
    *value = std::string_view(at_, static_cast<size_t>(length));
    at_ += length;
    return true;
  }

  bool Take(void* to, int64_t size_bytes) {
    const char* from = at_;
    if (!Skip(size_bytes)) return false;
    std::memcpy(to, from, static_cast<size_t>(size_bytes));
    return true;
  }

  bool Skip(int64_t size_bytes) {
    if (size_bytes < 0 || size_bytes > remaining()) {
      return Fail("a value of " + std::to_string(size_bytes) + " bytes where " + std::to_string(remaining()) +
                  " are left");
    }
    at_ += size_bytes;
    return true;
  }

  bool SkipNumber() {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      ++at_;
      return true;
    }
    int64_t ignored = 0;
    return ReadLong(&ignored);
  }

  /// The head of one block of an array or map: `count` items follow (0 = the end), in `size_bytes` (-1 = not given).
  /// Counts that `min_item_bytes` proves to be impossible fail.
  bool ReadBlockHead(int64_t min_item_bytes, int64_t* count, int64_t* size_bytes) {
    if (!ReadLong(count)) return false;
    *size_bytes = -1;
    if (*count < 0) {
      if (*count == INT64_MIN) return Fail("an array of 2^63 items");
      *count = -*count;
      if (!ReadLong(size_bytes)) return false;
      if (*size_bytes < 0 || *size_bytes > remaining()) {
        return Fail("an array block of " + std::to_string(*size_bytes) + " bytes where " + std::to_string(remaining()) +
                    " are left");
      }
    }
    if (min_item_bytes > 0 && *count > remaining() / min_item_bytes) {
      return Fail("an array of " + std::to_string(*count) + " items where " + std::to_string(remaining()) +
                  " bytes are left");
    }
    return true;
  }

  /// Always false, to be returned.
  bool Fail(std::string text) {
    if (failure_.empty()) failure_ = std::move(text);
    return false;
  }

  /// Puts the name of the field that is being read in front of the failure: `_FILE._FILE_NAME: ...`.
  void FailedIn(std::string_view field) {
    field_path_ = field_path_.empty() ? std::string(field) : std::string(field) + "." + field_path_;
  }

  std::string failure() const { return field_path_.empty() ? failure_ : field_path_ + ": " + failure_; }

  // Values may contain themselves, so the data decides how deep readers call themselves.
  bool Enter() { return ++depth_ <= kDeepestValue || Fail("values nested deeper than 100 levels"); }
  void Leave() { --depth_; }

 private:
  static constexpr int kDeepestValue = 100;

  const char* at_;
  const char* end_;
  int depth_ = 0;
  std::string failure_;
  std::string field_path_;
};

}  // namespace reelhouse
