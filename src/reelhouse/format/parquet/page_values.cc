#include "reelhouse/format/parquet/page_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/type.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/format/parquet/run_or_packed_reader.h"

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

Status ValuesEndEarly() { return Status::Invalid("the values of a page end early"); }

// Indexes of values into the dictionary of a column chunk, checked against its size.
class DictionaryIndexes {
 public:
  Status Begin(Bytes bytes, size_t dictionary_size) {
    dictionary_size_ = dictionary_size;
    reader_ = {};
    if (bytes.empty()) {
      reader_ = RunOrPackedReader(bytes, 1);  // a page of NULLs alone
      return Status::OK();
    }
    if (bytes[0] > RunOrPackedReader::kMostBitWidth) {
      return Status::Invalid("dictionary indexes: expected at most 32 bits, found ", static_cast<int>(bytes[0]));
    }
    reader_ = RunOrPackedReader(bytes.subspan(1), bytes[0]);
    return Status::OK();
  }

  Status Skip(int64_t count) { return reader_.Skip(count) ? Status::OK() : ValuesEndEarly(); }

  // `count` <= PageValues::kMostValues.
  Result<const uint32_t*> Read(int64_t count) {
    if (!reader_.Read(count, scratch_.data())) return ValuesEndEarly();
    ARROW_RETURN_NOT_OK(CheckScratch(count));
    return scratch_.data();
  }

  // Calls `run(index, count)` and `packed(indexes, count)` for `count` values, in order.
  template <class OnRun, class OnPacked>
  Status Visit(int64_t count, OnRun&& run, OnPacked&& packed) {
    while (count > 0) {
      RunOrPackedReader::Stretch stretch = reader_.Next(count);
      if (stretch.count == 0) return ValuesEndEarly();
      if (stretch.is_run) {
        if (stretch.value >= dictionary_size_) return OutOfDictionary(stretch.value);
        ARROW_RETURN_NOT_OK(run(stretch.value, stretch.count));
      } else {
        stretch.count = std::min(stretch.count, PageValues::kMostValues);
        reader_.Unpack(stretch.count, scratch_.data());
        ARROW_RETURN_NOT_OK(CheckScratch(stretch.count));
        ARROW_RETURN_NOT_OK(packed(scratch_.data(), stretch.count));
      }
      count -= stretch.count;
    }
    return Status::OK();
  }

 private:
  Status CheckScratch(int64_t count) const {
    // No index is larger than the bits of all of them; four sums, since each step of one waits for the step before.
    uint32_t bits[4] = {};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      for (int64_t lane = 0; lane < 4; ++lane) bits[lane] |= scratch_[i + lane];
    }
    for (; i < count; ++i) bits[0] |= scratch_[i];
    if (count == 0 || (bits[0] | bits[1] | bits[2] | bits[3]) < dictionary_size_) return Status::OK();
    const uint32_t most = *std::max_element(scratch_.begin(), scratch_.begin() + count);
    return most < dictionary_size_ ? Status::OK() : OutOfDictionary(most);
  }

  Status OutOfDictionary(uint32_t index) const {
    return Status::Invalid("dictionary index: expected less than ", dictionary_size_, ", found ", index);
  }

  RunOrPackedReader reader_;
  size_t dictionary_size_ = 0;
  std::array<uint32_t, PageValues::kMostValues> scratch_;
};

enum class PageEncoding { kPlain, kDictionary };

Result<PageEncoding> EncodingOf(parquet::Encoding::type encoding) {
  switch (encoding) {
    case parquet::Encoding::PLAIN:
      return PageEncoding::kPlain;
    case parquet::Encoding::RLE_DICTIONARY:
    case parquet::Encoding::PLAIN_DICTIONARY:
      return PageEncoding::kDictionary;
    default:
      return Status::NotImplemented("encoding ", static_cast<int>(encoding));
  }
}

// Values of a fixed size: stored as `Stored`, given as `Value`.
template <class Stored, class Value>
class FixedValues final : public PageValues {
 public:
  Status BeginArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(Value))));
    to_ = reinterpret_cast<Value*>(buffer_->mutable_data());
    return Status::OK();
  }

  Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    return std::vector<std::shared_ptr<arrow::Buffer>>{std::move(buffer_)};
  }

  Status SetDictionary(Bytes bytes, int64_t count) override {
    if (count < 0 || static_cast<uint64_t>(count) > bytes.size() / sizeof(Stored)) {
      return Status::Invalid("dictionary: expected ", count, " values, found ", bytes.size(), " bytes");
    }
    dictionary_.resize(static_cast<size_t>(count));
    for (size_t i = 0; i < dictionary_.size(); ++i) dictionary_[i] = At(bytes.data(), static_cast<int64_t>(i));
    return Status::OK();
  }

  Status BeginPage(parquet::Encoding::type encoding, Bytes bytes) override {
    ARROW_ASSIGN_OR_RAISE(encoding_, EncodingOf(encoding));
    plain_ = bytes;
    return encoding_ == PageEncoding::kDictionary ? indexes_.Begin(bytes, dictionary_.size()) : Status::OK();
  }

  Status Skip(int64_t count) override {
    if (encoding_ == PageEncoding::kDictionary) return indexes_.Skip(count);
    return TakePlain(count).status();
  }

  Status AppendAll(int64_t count) override {
    if (encoding_ == PageEncoding::kDictionary) {
      return indexes_.Visit(
          count,
          [this](uint32_t index, int64_t run) {
            to_ = std::fill_n(to_, run, dictionary_[index]);
            return Status::OK();
          },
          [this](const uint32_t* indexes, int64_t packed) {
            const Value* dictionary = dictionary_.data();
            for (int64_t i = 0; i < packed; ++i) to_[i] = dictionary[indexes[i]];
            to_ += packed;
            return Status::OK();
          });
    }
    ARROW_ASSIGN_OR_RAISE(const uint8_t* values, TakePlain(count));
    if constexpr (sizeof(Stored) == sizeof(Value)) {
      if (count > 0) std::memcpy(to_, values, static_cast<size_t>(count) * sizeof(Value));
    } else {
      for (int64_t i = 0; i < count; ++i) to_[i] = At(values, i);
    }
    to_ += count;
    return Status::OK();
  }

  Status AppendPicked(int64_t count, std::span<const int32_t> picks) override {
    if (encoding_ == PageEncoding::kDictionary) {
      ARROW_ASSIGN_OR_RAISE(const uint32_t* indexes, indexes_.Read(count));
      for (const int32_t pick : picks) *to_++ = pick < 0 ? Value{} : dictionary_[indexes[pick]];
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const uint8_t* values, TakePlain(count));
    for (const int32_t pick : picks) *to_++ = pick < 0 ? Value{} : At(values, pick);
    return Status::OK();
  }

 private:
  static Value At(const uint8_t* values, int64_t i) {
    Stored value;
    std::memcpy(&value, values + i * static_cast<int64_t>(sizeof(Stored)), sizeof(Stored));
    return static_cast<Value>(value);
  }

  Result<const uint8_t*> TakePlain(int64_t count) {
    if (static_cast<uint64_t>(count) > plain_.size() / sizeof(Stored)) return ValuesEndEarly();
    const uint8_t* values = plain_.data();
    plain_ = plain_.subspan(static_cast<size_t>(count) * sizeof(Stored));
    return values;
  }

  std::shared_ptr<arrow::Buffer> buffer_;
  Value* to_ = nullptr;
  std::vector<Value> dictionary_;
  PageEncoding encoding_ = PageEncoding::kPlain;
  Bytes plain_;
  DictionaryIndexes indexes_;
};

// Texts and byte strings.
class BytesValues final : public PageValues {
 public:
  Status BeginArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(offsets_, arrow::AllocateBuffer((rows + 1) * static_cast<int64_t>(sizeof(int32_t))));
    next_offset_ = reinterpret_cast<int32_t*>(offsets_->mutable_data());
    *next_offset_++ = 0;
    ARROW_ASSIGN_OR_RAISE(data_, arrow::AllocateResizableBuffer(kSlackBytes));
    size_ = 0;
    return Status::OK();
  }

  Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    ARROW_RETURN_NOT_OK(data_->Resize(size_, /*shrink_to_fit=*/size_ < data_->capacity() / 2));
    return std::vector<std::shared_ptr<arrow::Buffer>>{std::move(offsets_), std::move(data_)};
  }

  Status SetDictionary(Bytes bytes, int64_t count) override {
    // Copied with slack, so that short values can be copied as one word of fixed size.
    dictionary_bytes_.assign(bytes.begin(), bytes.end());
    dictionary_bytes_.resize(bytes.size() + kSlackBytes);
    Bytes rest = Bytes(dictionary_bytes_).first(bytes.size());
    if (count < 0 || static_cast<uint64_t>(count) > bytes.size() / kLengthBytes) {
      return Status::Invalid("dictionary: expected ", count, " values, found ", bytes.size(), " bytes");
    }
    dictionary_.clear();
    dictionary_.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view value, TakeValue(&rest));
      dictionary_.push_back(value);
    }
    return Status::OK();
  }

  Status BeginPage(parquet::Encoding::type encoding, Bytes bytes) override {
    ARROW_ASSIGN_OR_RAISE(encoding_, EncodingOf(encoding));
    plain_ = bytes;
    return encoding_ == PageEncoding::kDictionary ? indexes_.Begin(bytes, dictionary_.size()) : Status::OK();
  }

  Status Skip(int64_t count) override {
    if (encoding_ == PageEncoding::kDictionary) return indexes_.Skip(count);
    for (; count > 0; --count) ARROW_RETURN_NOT_OK(TakeValue(&plain_).status());
    return Status::OK();
  }

  Status AppendAll(int64_t count) override {
    if (encoding_ == PageEncoding::kDictionary) {
      return indexes_.Visit(
          count,
          [this](uint32_t index, int64_t run) {
            const std::string_view value = dictionary_[index];
            ARROW_RETURN_NOT_OK(Reserve(static_cast<int64_t>(value.size()), run));
            for (int64_t i = 0; i < run; ++i) CopyFromDictionary(value);
            return Status::OK();
          },
          [this](const uint32_t* indexes, int64_t packed) {
            int64_t bytes = 0;
            for (int64_t i = 0; i < packed; ++i) bytes += static_cast<int64_t>(dictionary_[indexes[i]].size());
            ARROW_RETURN_NOT_OK(Reserve(bytes, 1));
            for (int64_t i = 0; i < packed; ++i) CopyFromDictionary(dictionary_[indexes[i]]);
            return Status::OK();
          });
    }
    for (; count > 0; --count) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view value, TakeValue(&plain_));
      ARROW_RETURN_NOT_OK(Reserve(static_cast<int64_t>(value.size()), 1));
      Copy(value);
    }
    return Status::OK();
  }

  Status AppendPicked(int64_t count, std::span<const int32_t> picks) override {
    if (encoding_ == PageEncoding::kDictionary) {
      ARROW_ASSIGN_OR_RAISE(const uint32_t* indexes, indexes_.Read(count));
      values_.resize(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) values_[i] = dictionary_[indexes[i]];
    } else {
      values_.clear();
      for (int64_t i = 0; i < count; ++i) {
        ARROW_ASSIGN_OR_RAISE(const std::string_view value, TakeValue(&plain_));
        values_.push_back(value);
      }
    }
    int64_t bytes = 0;
    for (const int32_t pick : picks) bytes += pick < 0 ? 0 : static_cast<int64_t>(values_[pick].size());
    ARROW_RETURN_NOT_OK(Reserve(bytes, 1));
    for (const int32_t pick : picks) Copy(pick < 0 ? std::string_view() : values_[pick]);
    return Status::OK();
  }

 private:
  static constexpr size_t kLengthBytes = 4;
  static constexpr int64_t kSlackBytes = 16;

  static Result<std::string_view> TakeValue(Bytes* bytes) {
    if (bytes->size() < kLengthBytes) return ValuesEndEarly();
    const size_t size = LoadLe32(bytes->data());
    if (size > bytes->size() - kLengthBytes) return ValuesEndEarly();
    const std::string_view value(reinterpret_cast<const char*>(bytes->data()) + kLengthBytes, size);
    *bytes = bytes->subspan(kLengthBytes + size);
    return value;
  }

  // Room for `times` values of `bytes` bytes.
  Status Reserve(int64_t bytes, int64_t times) {
    constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max();
    if (bytes > 0 && times > (kMostBytes - size_) / bytes) {
      return Status::CapacityError("more than 2147483647 bytes of one column in one batch; read fewer rows at a time");
    }
    const int64_t needed = size_ + bytes * times + kSlackBytes;
    if (needed <= data_->size()) return Status::OK();
    return data_->Resize(std::max(needed, data_->size() * 2), /*shrink_to_fit=*/false);
  }

  void Copy(std::string_view value) {
    if (!value.empty()) std::memcpy(data_->mutable_data() + size_, value.data(), value.size());
    size_ += static_cast<int64_t>(value.size());
    *next_offset_++ = static_cast<int32_t>(size_);
  }

  void CopyFromDictionary(std::string_view value) {
    if (value.size() > static_cast<size_t>(kSlackBytes)) return Copy(value);
    std::memcpy(data_->mutable_data() + size_, value.data(), kSlackBytes);
    size_ += static_cast<int64_t>(value.size());
    *next_offset_++ = static_cast<int32_t>(size_);
  }

  std::shared_ptr<arrow::Buffer> offsets_;
  int32_t* next_offset_ = nullptr;
  std::shared_ptr<arrow::ResizableBuffer> data_;
  int64_t size_ = 0;
  std::vector<uint8_t> dictionary_bytes_;
  std::vector<std::string_view> dictionary_;
  std::vector<std::string_view> values_;
  PageEncoding encoding_ = PageEncoding::kPlain;
  Bytes plain_;
  DictionaryIndexes indexes_;
};

}  // namespace

std::unique_ptr<PageValues> PageValues::Make(parquet::Type::type stored, const std::shared_ptr<arrow::DataType>& type) {
  const arrow::Type::type id = type->id();
  switch (stored) {
    case parquet::Type::INT32:
      if (id == arrow::Type::INT32 || id == arrow::Type::DATE32 || id == arrow::Type::TIME32) {
        return std::make_unique<FixedValues<int32_t, int32_t>>();
      }
      if (id == arrow::Type::INT16) return std::make_unique<FixedValues<int32_t, int16_t>>();
      if (id == arrow::Type::INT8) return std::make_unique<FixedValues<int32_t, int8_t>>();
      return nullptr;
    case parquet::Type::INT64:
      if (id == arrow::Type::INT64 || id == arrow::Type::TIMESTAMP || id == arrow::Type::TIME64) {
        return std::make_unique<FixedValues<int64_t, int64_t>>();
      }
      return nullptr;
    case parquet::Type::FLOAT:
      if (id == arrow::Type::FLOAT) return std::make_unique<FixedValues<float, float>>();
      return nullptr;
    case parquet::Type::DOUBLE:
      if (id == arrow::Type::DOUBLE) return std::make_unique<FixedValues<double, double>>();
      return nullptr;
    case parquet::Type::BYTE_ARRAY:
      if (id == arrow::Type::STRING || id == arrow::Type::BINARY) return std::make_unique<BytesValues>();
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace reelhouse
