#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reelhouse/avro/avro_cursor.h"
#include "reelhouse/avro/avro_schema.h"
#include "reelhouse/avro/skip_program.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// Reads values of one type of a writer's schema into a T. Built once a file, called once a value: which branch of a
/// union is null, which widths and which fields there are is known by then. Immutable.
///
/// T may be bool, int32_t, int64_t, std::string (of bytes or string), std::string_view (the same, into the data),
/// std::optional<T> (null = nothing), std::vector<T> (array), AvroEncoded (anything), or a struct for which
/// `AvroFieldsOf` names the fields.
template <typename T>
class AvroValueReader {
 public:
  virtual ~AvroValueReader() = default;
  virtual bool Read(AvroCursor& cursor, T* value) const = 0;
};

template <typename T>
using AvroValueReaderPtr = std::unique_ptr<AvroValueReader<T>>;

/// The writer's schema, and how to skip what the reader does not want. Shared by the readers of one file.
struct AvroWriterSchema {
  explicit AvroWriterSchema(AvroSchema parsed) : schema(std::move(parsed)), skip(schema) {}
  const AvroSchema schema;
  const SkipProgram skip;
};
using AvroWriterSchemaPtr = std::shared_ptr<const AvroWriterSchema>;

/// A value that is stepped over and kept as it is encoded: a view into the data.
struct AvroEncoded {
  std::string_view bytes;
};

/// The fields of a record that a reader wants, with the members of R that take them. Fields that are not named here are
/// skipped, whatever their type.
template <typename R>
class AvroFields {
 public:
  /// A field that the writer's schema must have.
  template <typename T>
  AvroFields& Required(std::string name, T R::*member) {
    return Add(std::move(name), /*required=*/true, Into(member));
  }

  /// A field that may be missing: the member keeps the value that it has.
  template <typename T>
  AvroFields& Optional(std::string name, T R::*member) {
    return Add(std::move(name), /*required=*/false, Into(member));
  }

  /// A required field that is read as a T and handed to `take(record, value)`, which gives an error text, or nothing.
  template <typename T>
  AvroFields& RequiredAs(std::string name, std::function<std::string(R&, T)> take) {
    return Add(std::move(name), /*required=*/true, Through<T>(std::move(take)));
  }

 private:
  template <typename>
  friend class AvroRecordReader;

  class Step {
   public:
    virtual ~Step() = default;
    virtual bool Run(AvroCursor& cursor, R* record) const = 0;
  };
  using StepPtr = std::unique_ptr<Step>;
  using StepMaker = std::function<Result<StepPtr>(const AvroWriterSchemaPtr&, int node)>;

  template <typename T>
  class MemberStep final : public Step {
   public:
    MemberStep(AvroValueReaderPtr<T> reader, T R::*member) : reader_(std::move(reader)), member_(member) {}
    bool Run(AvroCursor& cursor, R* record) const override { return reader_->Read(cursor, &(record->*member_)); }

   private:
    AvroValueReaderPtr<T> reader_;
    T R::*member_;
  };

  template <typename T>
  class TakingStep final : public Step {
   public:
    TakingStep(AvroValueReaderPtr<T> reader, std::function<std::string(R&, T)> take)
        : reader_(std::move(reader)), take_(std::move(take)) {}
    bool Run(AvroCursor& cursor, R* record) const override {
      T value{};
      if (!reader_->Read(cursor, &value)) return false;
      std::string problem = take_(*record, std::move(value));
      return problem.empty() || cursor.Fail(std::move(problem));
    }

   private:
    AvroValueReaderPtr<T> reader_;
    std::function<std::string(R&, T)> take_;
  };

  class SkipStep final : public Step {
   public:
    SkipStep(AvroWriterSchemaPtr writer, int node) : writer_(std::move(writer)), node_(node) {}
    bool Run(AvroCursor& cursor, R*) const override { return writer_->skip.Skip(cursor, node_); }

   private:
    AvroWriterSchemaPtr writer_;
    int node_;
  };

  struct Wanted {
    std::string name;
    bool required;
    StepMaker make_step;
  };

  template <typename T>
  static StepMaker Into(T R::*member);
  template <typename T>
  static StepMaker Through(std::function<std::string(R&, T)> take);

  AvroFields& Add(std::string name, bool required, StepMaker make_step) {
    wanted_.push_back({std::move(name), required, std::move(make_step)});
    return *this;
  }

  std::vector<Wanted> wanted_;
};

/// To be specialised for every struct that is read from a record: `static const AvroFields<R>& Fields()`.
template <typename R>
struct AvroFieldsOf;

/// Builds the reader of values of the type `node`.
template <typename T>
Result<AvroValueReaderPtr<T>> MakeAvroValueReader(const AvroWriterSchemaPtr& writer, int node);

// ---- Below: one reader class for each kind of destination.

template <typename T>
struct AvroDestination {
  static constexpr bool kIsOptional = false;
  static constexpr bool kIsVector = false;
};
template <typename T>
struct AvroDestination<std::optional<T>> {
  static constexpr bool kIsOptional = true;
  static constexpr bool kIsVector = false;
  using Inner = T;
};
template <typename T>
struct AvroDestination<std::vector<T>> {
  static constexpr bool kIsOptional = false;
  static constexpr bool kIsVector = true;
  using Inner = T;
};

/// A value without parts. Which kinds of the writer fit, and how many bytes they are, `Fits` and `Read` say.
template <typename T>
class AvroScalarReader final : public AvroValueReader<T> {
 public:
  static bool Fits(AvroKind kind) {
    if constexpr (std::is_same_v<T, bool>) return kind == AvroKind::kBoolean;
    if constexpr (std::is_same_v<T, int32_t>) return kind == AvroKind::kInt;
    if constexpr (std::is_same_v<T, int64_t>) return kind == AvroKind::kInt || kind == AvroKind::kLong;
    if constexpr (kIsText) return kind == AvroKind::kBytes || kind == AvroKind::kString;
    return false;
  }

  static constexpr bool kIsText = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;

  static constexpr std::string_view kExpected = std::is_same_v<T, bool>      ? "boolean"
                                                : std::is_same_v<T, int32_t> ? "int"
                                                : std::is_same_v<T, int64_t> ? "long"
                                                                             : "bytes or string";

  bool Read(AvroCursor& cursor, T* value) const override {
    if constexpr (std::is_same_v<T, bool>) {
      return cursor.ReadBoolean(value);
    } else if constexpr (std::is_same_v<T, int32_t>) {
      return cursor.ReadInt(value);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return cursor.ReadLong(value);
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return cursor.ReadBytes(value);
    } else {
      std::string_view bytes;
      if (!cursor.ReadBytes(&bytes)) return false;
      value->assign(bytes);
      return true;
    }
  }
};

/// A union. A branch without a reader is null; what null means depends on T.
template <typename T>
class AvroUnionReader final : public AvroValueReader<T> {
 public:
  explicit AvroUnionReader(std::vector<AvroValueReaderPtr<T>> branches) : branches_(std::move(branches)) {}

  bool Read(AvroCursor& cursor, T* value) const override {
    int64_t branch = 0;
    if (!cursor.ReadLong(&branch)) return false;
    if (branch < 0 || branch >= static_cast<int64_t>(branches_.size())) {
      return cursor.Fail("branch " + std::to_string(branch) + " of a union of " + std::to_string(branches_.size()));
    }
    const AvroValueReaderPtr<T>& reader = branches_[branch];
    if (reader != nullptr) return reader->Read(cursor, value);
    if constexpr (AvroDestination<T>::kIsOptional) {
      value->reset();
      return true;
    } else {
      return cursor.Fail("null where a value is required");
    }
  }

 private:
  std::vector<AvroValueReaderPtr<T>> branches_;
};

/// Always null.
template <typename T>
class AvroNullReader final : public AvroValueReader<std::optional<T>> {
 public:
  bool Read(AvroCursor&, std::optional<T>* value) const override {
    value->reset();
    return true;
  }
};

/// A value that is there, into an optional.
template <typename T>
class AvroPresentReader final : public AvroValueReader<std::optional<T>> {
 public:
  explicit AvroPresentReader(AvroValueReaderPtr<T> inner) : inner_(std::move(inner)) {}
  bool Read(AvroCursor& cursor, std::optional<T>* value) const override {
    return inner_->Read(cursor, &value->emplace());
  }

 private:
  AvroValueReaderPtr<T> inner_;
};

template <typename T>
class AvroArrayReader final : public AvroValueReader<std::vector<T>> {
 public:
  AvroArrayReader(AvroValueReaderPtr<T> items, int64_t min_item_bytes)
      : items_(std::move(items)), min_item_bytes_(min_item_bytes) {}

  bool Read(AvroCursor& cursor, std::vector<T>* value) const override {
    value->clear();
    while (true) {
      int64_t count = 0;
      int64_t size_bytes = 0;
      if (!cursor.ReadBlockHead(min_item_bytes_, &count, &size_bytes)) return false;
      if (count == 0) return true;
      // Items without bytes would let a few bytes ask for any amount of memory.
      if (min_item_bytes_ == 0 && count > kMostItemsWithoutBytes - static_cast<int64_t>(value->size())) {
        return cursor.Fail("an array of " + std::to_string(count) + " items without bytes");
      }
      value->reserve(value->size() + static_cast<size_t>(std::min(count, kMostItemsReserved)));
      for (int64_t i = 0; i < count; ++i) {
        if (!items_->Read(cursor, &value->emplace_back())) return false;
      }
    }
  }

 private:
  static constexpr int64_t kMostItemsWithoutBytes = 1 << 20;
  static constexpr int64_t kMostItemsReserved = 1 << 12;

  AvroValueReaderPtr<T> items_;
  int64_t min_item_bytes_;
};

/// Any value, left encoded.
class AvroEncodedReader final : public AvroValueReader<AvroEncoded> {
 public:
  AvroEncodedReader(AvroWriterSchemaPtr writer, int node) : writer_(std::move(writer)), node_(node) {}

  bool Read(AvroCursor& cursor, AvroEncoded* value) const override {
    const char* begin = cursor.at();
    if (!writer_->skip.Skip(cursor, node_)) return false;
    value->bytes = std::string_view(begin, static_cast<size_t>(cursor.at() - begin));
    return true;
  }

 private:
  AvroWriterSchemaPtr writer_;
  int node_;
};

/// A record: one step a field of the writer, in the order of the writer.
template <typename R>
class AvroRecordReader final : public AvroValueReader<R> {
 public:
  static Result<AvroValueReaderPtr<R>> Make(const AvroWriterSchemaPtr& writer, int node) {
    const AvroSchema::Node& type = writer->schema.node(node);
    const AvroFields<R>& fields = AvroFieldsOf<R>::Fields();
    auto reader = std::make_unique<AvroRecordReader>();
    size_t found = 0;
    for (const AvroSchema::Field& field : type.fields) {
      const auto wanted = std::find_if(fields.wanted_.begin(), fields.wanted_.end(),
                                       [&](const auto& candidate) { return candidate.name == field.name; });
      if (wanted == fields.wanted_.end()) {
        reader->steps_.push_back({field.name, std::make_unique<typename AvroFields<R>::SkipStep>(writer, field.node)});
        continue;
      }
      ++found;
      auto step = wanted->make_step(writer, field.node);
      if (!step.ok()) return Prefixed("field " + field.name, step.status());
      reader->steps_.push_back({field.name, std::move(*step)});
    }
    if (found < fields.wanted_.size()) ARROW_RETURN_NOT_OK(CheckMissing(type, fields));
    return reader;
  }

  bool Read(AvroCursor& cursor, R* record) const override {
    for (const NamedStep& step : steps_) {
      if (!step.step->Run(cursor, record)) {
        cursor.FailedIn(step.name);
        return false;
      }
    }
    return true;
  }

 private:
  struct NamedStep {
    std::string name;
    typename AvroFields<R>::StepPtr step;
  };

  static Status CheckMissing(const AvroSchema::Node& type, const AvroFields<R>& fields) {
    for (const auto& wanted : fields.wanted_) {
      if (!wanted.required) continue;
      const bool there = std::any_of(type.fields.begin(), type.fields.end(),
                                     [&](const AvroSchema::Field& field) { return field.name == wanted.name; });
      if (!there) return Status::Invalid("record ", type.name, " of the writer's schema lacks the field ", wanted.name);
    }
    return Status::OK();
  }

  std::vector<NamedStep> steps_;
};

template <typename T>
Result<AvroValueReaderPtr<T>> MakeAvroValueReader(const AvroWriterSchemaPtr& writer, int node) {
  using Destination = AvroDestination<T>;
  const AvroSchema::Node& type = writer->schema.node(node);
  if constexpr (std::is_same_v<T, AvroEncoded>) {
    return std::make_unique<AvroEncodedReader>(writer, node);
  } else if (type.kind == AvroKind::kUnion) {
    std::vector<AvroValueReaderPtr<T>> branches;
    for (int child : type.children) {
      if (writer->schema.node(child).kind == AvroKind::kNull) {
        branches.push_back(nullptr);
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto branch, MakeAvroValueReader<T>(writer, child));
      branches.push_back(std::move(branch));
    }
    return std::make_unique<AvroUnionReader<T>>(std::move(branches));
  } else if constexpr (Destination::kIsOptional) {
    using Inner = typename Destination::Inner;
    if (type.kind == AvroKind::kNull) return std::make_unique<AvroNullReader<Inner>>();
    ARROW_ASSIGN_OR_RAISE(auto inner, MakeAvroValueReader<Inner>(writer, node));
    return std::make_unique<AvroPresentReader<Inner>>(std::move(inner));
  } else if constexpr (Destination::kIsVector) {
    using Inner = typename Destination::Inner;
    if (type.kind != AvroKind::kArray) {
      return Status::Invalid("expected an array, found ", writer->schema.Describe(node));
    }
    const int items = type.children.front();
    ARROW_ASSIGN_OR_RAISE(auto inner, MakeAvroValueReader<Inner>(writer, items));
    return std::make_unique<AvroArrayReader<Inner>>(std::move(inner), writer->schema.node(items).min_bytes);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                       std::is_same_v<T, std::string_view>) {
    if (!AvroScalarReader<T>::Fits(type.kind)) {
      return Status::Invalid("expected ", AvroScalarReader<T>::kExpected, ", found ", writer->schema.Describe(node));
    }
    return std::make_unique<AvroScalarReader<T>>();
  } else {
    if (type.kind != AvroKind::kRecord) {
      return Status::Invalid("expected a record, found ", writer->schema.Describe(node));
    }
    return AvroRecordReader<T>::Make(writer, node);
  }
}

template <typename R>
template <typename T>
typename AvroFields<R>::StepMaker AvroFields<R>::Into(T R::*member) {
  return [member](const AvroWriterSchemaPtr& writer, int node) -> Result<StepPtr> {
    ARROW_ASSIGN_OR_RAISE(auto reader, MakeAvroValueReader<T>(writer, node));
    return std::make_unique<MemberStep<T>>(std::move(reader), member);
  };
}

template <typename R>
template <typename T>
typename AvroFields<R>::StepMaker AvroFields<R>::Through(std::function<std::string(R&, T)> take) {
  return [take = std::move(take)](const AvroWriterSchemaPtr& writer, int node) -> Result<StepPtr> {
    ARROW_ASSIGN_OR_RAISE(auto reader, MakeAvroValueReader<T>(writer, node));
    return std::make_unique<TakingStep<T>>(std::move(reader), take);
  };
}

}  // namespace reelhouse
