#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <arrow/scalar.h>

#include "reelhouse/manifest/binary_row.h"

// Any bytes are refused or read as fields of any types; values that were read have one encoding, which gives them back.
// The first byte is the number of fields, then one byte a field chooses its type.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace reelhouse;
  static const std::vector<DataType> kTypes = [] {
    std::vector<DataType> types;
    for (const char* text : {"BOOLEAN",         "TINYINT",      "SMALLINT",     "INT",
                             "BIGINT",          "FLOAT",        "DOUBLE",       "DECIMAL(18, 2)",
                             "DECIMAL(38, 5)",  "STRING",       "CHAR(3)",      "BYTES",
                             "BINARY(4)",       "BLOB",         "DATE",         "TIME(0)",
                             "TIMESTAMP(0)",    "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)",
                             "TIMESTAMP_LTZ(6)"}) {
      types.push_back(DataType::FromText(text).ValueOrDie());
    }
    return types;
  }();
  if (size == 0 || size - 1 < data[0]) return 0;
  std::vector<DataType> types;
  for (size_t i = 0; i < data[0]; ++i) types.push_back(kTypes[data[1 + i] % kTypes.size()]);
  const std::string_view row(reinterpret_cast<const char*>(data) + 1 + data[0], size - 1 - data[0]);

  for (size_t i = 0; i < types.size(); ++i) (void)DecodeBinaryRowField(row, static_cast<int32_t>(i), types[i]);
  auto values = DecodeBinaryRow(row, types);
  if (!values.ok()) return 0;
  auto encoded = EncodeBinaryRow(types, *values);
  if (!encoded.ok()) std::abort();
  auto again = DecodeBinaryRow(*encoded, types);
  if (!again.ok() || *EncodeBinaryRow(types, *again) != *encoded) std::abort();
  return 0;
}
