#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace reelhouse::cli {

/// A cell as a JSON value. Descriptors are objects, other bytes Base64, times texts as in filters, maps with text keys
/// objects and other maps lists of pairs; what JSON has no number for (NaN, infinity) is null.
void AppendJson(const arrow::Array& column, int64_t row, std::string* out);

/// A cell that is not NULL as plain text: as JSON, but texts, times and bytes without quotes.
std::string CellText(const arrow::Array& column, int64_t row);

/// A cell for people: as CellText, but NULL is `NULL`, a reference is short (`video …d-0.video frame 12`), other bytes
/// are counted, and control characters do not break the line.
std::string CellForPeople(const arrow::Array& column, int64_t row);

/// Appends `text` as a JSON string; bytes that are not UTF-8 are replaced.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace reelhouse::cli
