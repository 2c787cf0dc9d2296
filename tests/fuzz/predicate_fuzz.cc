#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "reelhouse/predicate/predicate.h"

namespace {

using reelhouse::DataField;
using reelhouse::DataType;

std::vector<DataField> Fields() {
  std::vector<DataField> fields;
  for (const auto& [name, type] : {std::pair{"a", "INT"},
                                   {"id", "BIGINT"},
                                   {"s", "STRING"},
                                   {"b", "BYTES"},
                                   {"f", "FLOAT"},
                                   {"x", "DOUBLE"},
                                   {"d", "DECIMAL(10, 2)"},
                                   {"flag", "BOOLEAN"},
                                   {"day", "DATE"},
                                   {"t", "TIME(0)"},
                                   {"ts", "TIMESTAMP(6)"},
                                   {"tz", "TIMESTAMP(3) WITH LOCAL TIME ZONE"},
                                   {"video", "BLOB"},
                                   {"in", "INT"}}) {
    DataField& field = fields.emplace_back();
    field.name = name;
    field.type = DataType::FromText(type).ValueOrDie();
  }
  return fields;
}

/// A row of NULLs and a row of the least values.
std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<DataField>& fields) {
  arrow::FieldVector columns;
  arrow::ArrayVector arrays;
  const auto add = [&](const std::string& name, const std::shared_ptr<arrow::DataType>& type) {
    auto builder = arrow::MakeBuilder(type).ValueOrDie();
    if (!builder->AppendNull().ok() || !builder->AppendEmptyValue().ok()) std::abort();
    arrays.push_back(builder->Finish().ValueOrDie());
    columns.push_back(arrow::field(name, type));
  };
  for (const DataField& field : fields) add(field.name, field.type.ToArrow());
  add("_ROW_ID", arrow::int64());
  add("_SEQUENCE_NUMBER", arrow::int64());
  return arrow::RecordBatch::Make(arrow::schema(columns), 2, arrays);
}

}  // namespace

// Any text is refused as Invalid, or is a filter that evaluates, and whose canonical text is the same filter.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<DataField> fields = Fields();
  static const std::shared_ptr<arrow::RecordBatch> rows = Rows(fields);

  const auto predicate = reelhouse::ParsePredicate({reinterpret_cast<const char*>(data), size}, fields);
  if (!predicate.ok()) {
    if (!predicate.status().IsInvalid()) std::abort();
    return 0;
  }
  const std::string text = predicate->ToText();
  const auto again = reelhouse::ParsePredicate(text, fields);
  if (!again.ok() || again->ToText() != text || again->Columns() != predicate->Columns()) std::abort();

  const auto matched = reelhouse::EvaluatePredicate(*predicate, *rows);
  const auto matched_again = reelhouse::EvaluatePredicate(*again, *rows);
  if (!matched.ok() || !matched_again.ok() || !(*matched)->Equals(**matched_again)) std::abort();

  const bool may_match = reelhouse::MayMatch(*predicate, [](std::string_view) { return std::nullopt; });
  if (!may_match && (*matched)->true_count() > 0) std::abort();
  if (reelhouse::WantedRowIds(*predicate) != reelhouse::WantedRowIds(*again)) std::abort();
  return 0;
}
