#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include "reelhouse/predicate/predicate.h"

namespace reelhouse {

inline DataField TestField(std::string name, std::string_view type) {
  DataField field;
  field.name = std::move(name);
  field.type = DataType::FromText(type).ValueOrDie();
  return field;
}

/// A column of every kind, some with names that are words of the grammar.
inline std::vector<DataField> TestFields() {
  std::vector<DataField> fields = {
      TestField("id", "BIGINT"),       TestField("tiny", "TINYINT"),     TestField("a", "INT"),
      TestField("s", "STRING"),        TestField("bytes", "BYTES"),      TestField("f", "FLOAT"),
      TestField("x", "DOUBLE"),        TestField("d", "DECIMAL(10, 2)"), TestField("flag", "BOOLEAN"),
      TestField("day", "DATE"),        TestField("t", "TIME(0)"),        TestField("ts", "TIMESTAMP(6)"),
      TestField("ns", "TIMESTAMP(9)"), TestField("video", "BLOB"),       TestField("in", "INT"),
      TestField("timestamp", "INT"),   TestField("date", "DATE"),        TestField("observation.state", "INT"),
      TestField("two words", "INT"),   TestField("b`t", "INT"),          TestField("日本", "INT"),
  };
  DataField tz = TestField("tz", "BIGINT");
  int32_t next_id = 0;
  tz.type = DataType::FromArrow(*arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), true, &next_id).ValueOrDie();
  fields.push_back(tz);
  DataField list = TestField("list", "BIGINT");
  list.type = DataType::FromArrow(*arrow::list(arrow::int32()), true, &next_id).ValueOrDie();
  fields.push_back(list);
  return fields;
}

template <class Value>
using Cells = std::vector<std::optional<Value>>;

/// An array of `type`, whose class is ArrowType.
template <class ArrowType, class Value>
std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type, const Cells<Value>& cells) {
  typename arrow::TypeTraits<ArrowType>::BuilderType builder(type, arrow::default_memory_pool());
  for (const auto& cell : cells) EXPECT_TRUE((cell ? builder.Append(*cell) : builder.AppendNull()).ok());
  return builder.Finish().ValueOrDie();
}

inline std::shared_ptr<arrow::Array> Int32s(const Cells<int32_t>& cells) {
  return ArrayOf<arrow::Int32Type>(arrow::int32(), cells);
}
inline std::shared_ptr<arrow::Array> Int64s(const Cells<int64_t>& cells) {
  return ArrayOf<arrow::Int64Type>(arrow::int64(), cells);
}
inline std::shared_ptr<arrow::Array> Floats(const Cells<float>& cells) {
  return ArrayOf<arrow::FloatType>(arrow::float32(), cells);
}
inline std::shared_ptr<arrow::Array> Doubles(const Cells<double>& cells) {
  return ArrayOf<arrow::DoubleType>(arrow::float64(), cells);
}
inline std::shared_ptr<arrow::Array> Booleans(const Cells<bool>& cells) {
  return ArrayOf<arrow::BooleanType>(arrow::boolean(), cells);
}
inline std::shared_ptr<arrow::Array> Strings(const Cells<std::string>& cells) {
  return ArrayOf<arrow::StringType>(arrow::utf8(), cells);
}
inline std::shared_ptr<arrow::Array> Dates(const Cells<int32_t>& days) {
  return ArrayOf<arrow::Date32Type>(arrow::date32(), days);
}
inline std::shared_ptr<arrow::Array> Timestamps(const std::shared_ptr<arrow::DataType>& type,
                                                const Cells<int64_t>& cells) {
  return ArrayOf<arrow::TimestampType>(type, cells);
}
/// Decimals of precision 10 from texts with two digits behind the point.
inline std::shared_ptr<arrow::Array> Decimals(const Cells<std::string>& texts) {
  Cells<arrow::Decimal128> cells;
  for (const auto& text : texts) {
    cells.push_back(text ? std::optional(arrow::Decimal128::FromString(*text).ValueOrDie()) : std::nullopt);
  }
  return ArrayOf<arrow::Decimal128Type>(arrow::decimal128(10, 2), cells);
}

inline std::shared_ptr<arrow::RecordBatch> OneColumn(std::string name, const std::shared_ptr<arrow::Array>& array) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field(std::move(name), array->type())}), array->length(),
                                  {array});
}

/// Numbers of the rows for which the filter is true.
inline std::vector<int64_t> MatchedRows(const Predicate& predicate, const arrow::RecordBatch& batch) {
  const auto matched = EvaluatePredicate(predicate, batch);
  EXPECT_TRUE(matched.ok()) << matched.status();
  std::vector<int64_t> rows;
  if (!matched.ok()) return rows;
  EXPECT_EQ((*matched)->null_count(), 0);
  EXPECT_EQ((*matched)->length(), batch.num_rows());
  for (int64_t i = 0; i < (*matched)->length(); ++i) {
    if ((*matched)->Value(i)) rows.push_back(i);
  }
  return rows;
}

inline std::vector<int64_t> MatchedRows(std::string_view where, const arrow::RecordBatch& batch) {
  const auto predicate = ParsePredicate(where, TestFields());
  EXPECT_TRUE(predicate.ok()) << where << ": " << predicate.status();
  return predicate.ok() ? MatchedRows(*predicate, batch) : std::vector<int64_t>{-1};
}

}  // namespace reelhouse
