#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reelhouse/schema/table_schema.h"

// Any bytes are refused as a CorruptFile or read; what was read is written and read again as the same schema, and its
// rules and Arrow types can be asked for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using reelhouse::TableSchema;
  auto schema = TableSchema::FromJsonText({reinterpret_cast<const char*>(data), size}, "schema-0");
  if (!schema.ok()) {
    if (!reelhouse::IsKind(schema.status(), reelhouse::ErrorKind::kCorruptFile)) std::abort();
    return 0;
  }
  const std::string text = schema->ToJsonText();
  auto again = TableSchema::FromJsonText(text, "schema-0");
  if (!again.ok() || again->fields != schema->fields || !(again->options == schema->options)) std::abort();
  if (again->ToJsonText() != text) std::abort();
  static_cast<void>(schema->Validate());
  static_cast<void>(schema->ToArrow());
  for (const reelhouse::DataField& field : schema->fields) {
    auto type = reelhouse::DataType::FromText(field.type.ToText());
    if (field.type.IsAtomic() && (!type.ok() || !(*type == field.type))) std::abort();
  }
  return 0;
}
