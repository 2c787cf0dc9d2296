#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "reelhouse/predicate/literal_binding.h"
#include "reelhouse/predicate/literal_set.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

namespace {

// Truth of a row in one byte, so that AND is the minimum, OR the maximum and NOT the difference to kTrue: loops that
// compilers turn into vector code.
using Truth = uint8_t;
constexpr Truth kFalse = 0;
constexpr Truth kUnknown = 1;
constexpr Truth kTrue = 2;

Truth TruthOf(bool holds) { return holds ? kTrue : kFalse; }

// Rows evaluated together: the truths of a few levels stay in the first cache.
constexpr int64_t kBlockRows = 8192;

/// Rows [begin, begin + size) of an array.
struct Block {
  const arrow::Array& array;
  int64_t begin;
  int64_t size;

  template <class T>
  const T* Values() const {
    return array.data()->GetValues<T>(1) + begin;
  }
};

/// Applies `function` to the values of integer-like arrays as `const T*`.
template <class Function>
void VisitIntegers(const Block& block, Function&& function) {
  switch (block.array.type_id()) {
    case arrow::Type::INT8:
      return function(block.Values<int8_t>());
    case arrow::Type::INT16:
      return function(block.Values<int16_t>());
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return function(block.Values<int32_t>());
    default:
      return function(block.Values<int64_t>());
  }
}

/// Applies `function` to the values of FLOAT and DOUBLE arrays.
template <class Function>
void VisitFloats(const Block& block, Function&& function) {
  if (block.array.type_id() == arrow::Type::FLOAT) return function(block.Values<float>());
  function(block.Values<double>());
}

/// Applies `function` to an accessor `row -> std::string_view`.
template <class Function>
void VisitBytes(const Block& block, Function&& function) {
  const auto visit = [&](const auto& array) {
    function([&array, begin = block.begin](int64_t row) { return array.GetView(begin + row); });
  };
  switch (block.array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return visit(static_cast<const arrow::BinaryArray&>(block.array));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return visit(static_cast<const arrow::LargeBinaryArray&>(block.array));
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return visit(static_cast<const arrow::BinaryViewArray&>(block.array));
    default:
      return visit(static_cast<const arrow::FixedSizeBinaryArray&>(block.array));
  }
}

Int128 DecimalAt(const Block& block, int64_t row) {
  const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(block.array).GetValue(block.begin + row));
  return Int128{value.high_bits()} * (Int128{1} << 64) + value.low_bits();
}

bool BooleanAt(const Block& block, int64_t row) {
  return static_cast<const arrow::BooleanArray&>(block.array).Value(block.begin + row);
}

/// `values[i] op literal` into `truths`, a vectorisable loop for each operator.
template <class T, class L>
void CompareValues(const T* values, CompareOp op, L literal, int64_t size, Truth* truths) {
  const auto loop = [&](auto holds) {
    for (int64_t i = 0; i < size; ++i) truths[i] = holds(static_cast<L>(values[i])) ? kTrue : kFalse;
  };
  switch (op) {
    case CompareOp::kEqual:
      return loop([literal](L value) { return value == literal; });
    case CompareOp::kNotEqual:
      return loop([literal](L value) { return value != literal; });
    case CompareOp::kLess:
      return loop([literal](L value) { return value < literal; });
    case CompareOp::kLessEqual:
      return loop([literal](L value) { return value <= literal; });
    case CompareOp::kGreater:
      return loop([literal](L value) { return value > literal; });
    case CompareOp::kGreaterEqual:
      return loop([literal](L value) { return value >= literal; });
  }
}

/// `op` of two doubles by IEEE 754.
bool HoldsForDoubles(CompareOp op, double a, double b) {
  if (a != a || b != b) return op == CompareOp::kNotEqual;
  return Holds(op, a < b ? -1 : b < a ? 1 : 0);
}

bool IsBytesType(arrow::Type::type id) {
  return arrow::is_base_binary_like(id) || id == arrow::Type::FIXED_SIZE_BINARY || id == arrow::Type::STRING_VIEW ||
         id == arrow::Type::BINARY_VIEW;
}

bool IsOfKind(const arrow::DataType& type, ValueKind kind) {
  switch (kind) {
    case ValueKind::kBoolean:
      return type.id() == arrow::Type::BOOL;
    case ValueKind::kNumber:
      return NumberScaleOf(type).has_value();
    case ValueKind::kFloat:
      return type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
    case ValueKind::kBytes:
      return IsBytesType(type.id());
    case ValueKind::kNone:
      return true;
  }
  return false;
}

/// Evaluates one filter over one batch, block by block.
class BatchEvaluation {
 public:
  explicit BatchEvaluation(const arrow::RecordBatch& batch) : batch_(batch) {}

  /// Truths of the rows [begin, begin + size), size <= kBlockRows.
  Status Evaluate(const Predicate::Node& root, int64_t begin, int64_t size, Truth* truths) {
    begin_ = begin;
    size_ = size;
    return EvaluateNode(root, 0, truths);
  }

 private:
  Status EvaluateNode(const Predicate::Node& node, size_t depth, Truth* truths) {
    return std::visit([&](const auto& value) { return EvaluateValue(value, depth, truths); }, node.value);
  }

  Status EvaluateValue(const Constant& node, size_t, Truth* truths) {
    std::memset(truths, TruthOf(node.value), size_);
    return Status::OK();
  }

  Status EvaluateValue(const Conjunction& node, size_t depth, Truth* truths) {
    return EvaluateJoined(node.terms, depth, truths, [](Truth a, Truth b) { return std::min(a, b); });
  }

  Status EvaluateValue(const Disjunction& node, size_t depth, Truth* truths) {
    return EvaluateJoined(node.terms, depth, truths, [](Truth a, Truth b) { return std::max(a, b); });
  }

  template <class Join>
  Status EvaluateJoined(const std::vector<NodePtr>& terms, size_t depth, Truth* truths, Join join) {
    if (scratch_.size() <= depth) scratch_.resize(depth + 1);
    if (scratch_[depth] == nullptr) scratch_[depth] = std::make_unique<Truth[]>(kBlockRows);
    Truth* const others = scratch_[depth].get();
    ARROW_RETURN_NOT_OK(EvaluateNode(*terms[0], depth + 1, truths));
    for (size_t t = 1; t < terms.size(); ++t) {
      ARROW_RETURN_NOT_OK(EvaluateNode(*terms[t], depth + 1, others));
      for (int64_t i = 0; i < size_; ++i) truths[i] = join(truths[i], others[i]);
    }
    return Status::OK();
  }

  Status EvaluateValue(const Negation& node, size_t depth, Truth* truths) {
    ARROW_RETURN_NOT_OK(EvaluateNode(*node.term, depth, truths));
    for (int64_t i = 0; i < size_; ++i) truths[i] = kTrue - truths[i];
    return Status::OK();
  }

  Status EvaluateValue(const NullTest& node, size_t, Truth* truths) {
    ARROW_ASSIGN_OR_RAISE(const arrow::Array* array, FindColumn(node.column, ValueKind::kNone));
    for (int64_t i = 0; i < size_; ++i) truths[i] = TruthOf(array->IsNull(begin_ + i));
    return Status::OK();
  }

  Status EvaluateValue(const Comparison& node, size_t, Truth* truths) {
    return EvaluateLeaf(node.column, truths, [&](const Block& block) { Compare(block, node, truths); });
  }

  Status EvaluateValue(const Membership& node, size_t, Truth* truths) {
    ARROW_RETURN_NOT_OK(EvaluateLeaf(node.column, truths, [&](const Block& block) { LookUp(block, node, truths); }));
    // Not in the list but perhaps equal to its NULL: unknown.
    if (node.has_null) {
      for (int64_t i = 0; i < size_; ++i) truths[i] = std::max(truths[i], kUnknown);
    }
    return Status::OK();
  }

  Status EvaluateValue(const PatternTest& node, size_t, Truth* truths) {
    return EvaluateLeaf(node.column, truths, [&](const Block& block) {
      const bool is_prefix = node.pattern.IsPrefixOnly();
      VisitBytes(block, [&](auto bytes_at) {
        for (int64_t i = 0; i < block.size; ++i) {
          const std::string_view bytes = bytes_at(i);
          truths[i] = TruthOf(is_prefix ? bytes.starts_with(node.pattern.prefix()) : node.pattern.Matches(bytes));
        }
      });
    });
  }

  Status EvaluateValue(const ColumnComparison& node, size_t, Truth* truths) {
    const ValueKind kind = KindOf(node.left.type);
    ARROW_ASSIGN_OR_RAISE(const arrow::Array* left, FindColumn(node.left, kind));
    ARROW_ASSIGN_OR_RAISE(const arrow::Array* right, FindColumn(node.right, kind));
    if (IsAllNull(*left) || IsAllNull(*right)) {
      std::memset(truths, kUnknown, size_);
      return Status::OK();
    }
    CompareColumns({*left, begin_, size_}, node.op, {*right, begin_, size_}, kind, truths);
    ApplyNulls(*left, truths);
    ApplyNulls(*right, truths);
    return Status::OK();
  }

  /// `fill` sets the truths of the cells that are not NULL.
  template <class Fill>
  Status EvaluateLeaf(const ColumnRef& column, Truth* truths, Fill&& fill) {
    ARROW_ASSIGN_OR_RAISE(const arrow::Array* array, FindColumn(column, KindOf(column.type)));
    if (IsAllNull(*array)) {
      std::memset(truths, kUnknown, size_);
      return Status::OK();
    }
    fill(Block{*array, begin_, size_});
    ApplyNulls(*array, truths);
    return Status::OK();
  }

  /// Such arrays may come without a buffer of values.
  static bool IsAllNull(const arrow::Array& array) { return array.null_count() == array.length(); }

  void ApplyNulls(const arrow::Array& array, Truth* truths) const {
    if (array.null_count() == 0) return;
    const uint8_t* valid = array.null_bitmap_data();
    if (valid == nullptr) return;
    const int64_t offset = array.offset() + begin_;
    for (int64_t i = 0; i < size_; ++i) {
      if (!arrow::bit_util::GetBit(valid, offset + i)) truths[i] = kUnknown;
    }
  }

  Result<const arrow::Array*> FindColumn(const ColumnRef& column, ValueKind kind) {
    if (columns_.empty()) {
      // Of columns with one name the first: select may repeat a column.
      for (int i = 0; i < batch_.num_columns(); ++i) columns_.emplace(batch_.schema()->field(i)->name(), i);
    }
    const auto found = columns_.find(column.name);
    if (found == columns_.end()) {
      return Status::Invalid(fmt::format("The filter needs column '{}', which the batch lacks", column.name));
    }
    const arrow::Array* array = batch_.column(found->second).get();
    const arrow::DataType& type = *array->type();
    if (type.id() != arrow::Type::NA && !IsOfKind(type, kind)) {
      return Status::TypeError(fmt::format("The filter was made for column '{}' of type {}, the batch has {}",
                                           column.name, TypeWord(column.type), type.ToString()));
    }
    return array;
  }

  static void Compare(const Block& block, const Comparison& node, Truth* truths) {
    switch (KindOf(node.column.type)) {
      case ValueKind::kBoolean: {
        const bool literal = std::get<bool>(node.literal);
        const Truth of_false = TruthOf(Holds(node.op, 0 - literal));
        const Truth of_true = TruthOf(Holds(node.op, 1 - literal));
        for (int64_t i = 0; i < block.size; ++i) truths[i] = BooleanAt(block, i) ? of_true : of_false;
        return;
      }
      case ValueKind::kNumber:
        return CompareNumber(block, node.op, std::get<ExactNumber>(node.literal), truths);
      case ValueKind::kFloat:
        return VisitFloats(block, [&](auto* values) {
          CompareValues(values, node.op, std::get<double>(node.literal), block.size, truths);
        });
      default:
        return CompareBytes(block, node.op, std::get<std::string>(node.literal), truths);
    }
  }

  /// Exact also where the cells are coarser than the literal: milliseconds against nanoseconds.
  static void CompareNumber(const Block& block, CompareOp op, const ExactNumber& literal, Truth* truths) {
    using Place = GridPosition::Place;
    const bool is_decimal = block.array.type_id() == arrow::Type::DECIMAL128;
    GridPosition position = PlaceOnGrid(literal, *NumberScaleOf(*block.array.type()));
    if (!is_decimal && position.place <= Place::kAbove) {
      if (position.floor > std::numeric_limits<int64_t>::max()) position.place = Place::kBeyondMax;
      if (position.floor < std::numeric_limits<int64_t>::min()) position.place = Place::kBeyondMin;
    }
    if (position.place == Place::kBeyondMax || position.place == Place::kBeyondMin) {
      const Truth truth = TruthOf(Holds(op, position.place == Place::kBeyondMax ? -1 : 1));
      std::memset(truths, truth, block.size);
      return;
    }
    if (position.place == Place::kAbove) {
      if (op == CompareOp::kEqual || op == CompareOp::kNotEqual) {
        std::memset(truths, TruthOf(op == CompareOp::kNotEqual), block.size);
        return;
      }
      op = op == CompareOp::kLess || op == CompareOp::kLessEqual ? CompareOp::kLessEqual : CompareOp::kGreater;
    }
    if (is_decimal) {
      for (int64_t i = 0; i < block.size; ++i) {
        const Int128 value = DecimalAt(block, i);
        truths[i] = TruthOf(Holds(op, value < position.floor ? -1 : value > position.floor));
      }
      return;
    }
    VisitIntegers(block, [&](auto* values) {
      CompareValues(values, op, static_cast<int64_t>(position.floor), block.size, truths);
    });
  }

  static void CompareBytes(const Block& block, CompareOp op, std::string_view literal, Truth* truths) {
    VisitBytes(block, [&](auto bytes_at) {
      if (op == CompareOp::kEqual || op == CompareOp::kNotEqual) {
        const bool wanted = op == CompareOp::kEqual;
        for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf((bytes_at(i) == literal) == wanted);
      } else {
        for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(Holds(op, bytes_at(i).compare(literal)));
      }
    });
  }

  void LookUp(const Block& block, const Membership& node, Truth* truths) {
    const LiteralSet& set = *node.values;
    switch (KindOf(node.column.type)) {
      case ValueKind::kBoolean:
        for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(set.Contains(BooleanAt(block, i)));
        return;
      case ValueKind::kNumber:
        return LookUpNumbers(block, SetOnGrid(set, *NumberScaleOf(*block.array.type())), truths);
      case ValueKind::kFloat:
        return VisitFloats(block, [&](auto* values) {
          for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(set.Contains(static_cast<double>(values[i])));
        });
      default:
        return VisitBytes(block, [&](auto bytes_at) {
          for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(set.Contains(std::string_view(bytes_at(i))));
        });
    }
  }

  static void LookUpNumbers(const Block& block, const LiteralSet& set, Truth* truths) {
    if (block.array.type_id() == arrow::Type::DECIMAL128) {
      for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(set.Contains(DecimalAt(block, i)));
      return;
    }
    VisitIntegers(block, [&](auto* values) {
      for (int64_t i = 0; i < block.size; ++i) truths[i] = TruthOf(set.Contains(Int128{values[i]}));
    });
  }

  /// `set`, or one made of it for cells of another scale than usual.
  const LiteralSet& SetOnGrid(const LiteralSet& set, int32_t scale) {
    if (set.scale() == scale) return set;
    auto& own = own_sets_[&set];
    if (own == nullptr || own->scale() != scale) own = std::make_unique<const LiteralSet>(set.values(), scale);
    return *own;
  }

  static void CompareColumns(const Block& left, CompareOp op, const Block& right, ValueKind kind, Truth* truths) {
    const int64_t size = left.size;
    switch (kind) {
      case ValueKind::kBoolean:
        for (int64_t i = 0; i < size; ++i) {
          truths[i] = TruthOf(Holds(op, int{BooleanAt(left, i)} - int{BooleanAt(right, i)}));
        }
        return;
      case ValueKind::kNumber: {
        const auto numbers_of = [](const Block& block, std::vector<ExactNumber>* numbers) {
          numbers->resize(block.size);
          const int32_t scale = *NumberScaleOf(*block.array.type());
          if (block.array.type_id() == arrow::Type::DECIMAL128) {
            for (int64_t i = 0; i < block.size; ++i) (*numbers)[i] = {DecimalAt(block, i), scale};
          } else {
            VisitIntegers(block, [&](auto* values) {
              for (int64_t i = 0; i < block.size; ++i) (*numbers)[i] = {values[i], scale};
            });
          }
        };
        std::vector<ExactNumber> lefts, rights;
        numbers_of(left, &lefts);
        numbers_of(right, &rights);
        for (int64_t i = 0; i < size; ++i) truths[i] = TruthOf(Holds(op, CompareNumbers(lefts[i], rights[i])));
        return;
      }
      case ValueKind::kFloat:
        return VisitFloats(left, [&](auto* lefts) {
          VisitFloats(right, [&](auto* rights) {
            for (int64_t i = 0; i < size; ++i) truths[i] = TruthOf(HoldsForDoubles(op, lefts[i], rights[i]));
          });
        });
      default:
        return VisitBytes(left, [&](auto left_at) {
          VisitBytes(right, [&](auto right_at) {
            for (int64_t i = 0; i < size; ++i) truths[i] = TruthOf(Holds(op, left_at(i).compare(right_at(i))));
          });
        });
    }
  }

  const arrow::RecordBatch& batch_;
  int64_t begin_ = 0;
  int64_t size_ = 0;
  std::unordered_map<std::string, int> columns_;
  std::vector<std::unique_ptr<Truth[]>> scratch_;  // by depth
  std::unordered_map<const LiteralSet*, std::unique_ptr<const LiteralSet>> own_sets_;
};

}  // namespace

Result<std::shared_ptr<arrow::BooleanArray>> EvaluatePredicate(const Predicate& predicate,
                                                               const arrow::RecordBatch& batch) {
  const int64_t rows = batch.num_rows();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateBitmap(rows));
  std::memset(bits->mutable_data(), 0, bits->size());

  BatchEvaluation evaluation(batch);
  std::vector<Truth> truths(std::min(rows, kBlockRows) + 8, kFalse);
  static_assert(kBlockRows % 8 == 0, "blocks end with a byte of the result");
  for (int64_t begin = 0; begin == 0 || begin < rows; begin += kBlockRows) {
    const int64_t size = std::min(kBlockRows, rows - begin);
    ARROW_RETURN_NOT_OK(evaluation.Evaluate(predicate.root(), begin, size, truths.data()));
    std::fill_n(truths.begin() + size, 8, kFalse);
    uint8_t* bytes = bits->mutable_data() + begin / 8;
    for (int64_t i = 0; i < size; i += 8) {
      uint8_t byte = 0;
      for (int bit = 0; bit < 8; ++bit) byte |= (truths[i + bit] == kTrue) << bit;
      bytes[i / 8] = byte;
    }
  }
  return std::make_shared<arrow::BooleanArray>(rows, std::move(bits));
}

}  // namespace reelhouse
