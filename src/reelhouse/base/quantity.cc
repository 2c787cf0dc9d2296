#include "reelhouse/base/quantity.h"

#include <charconv>

#include "reelhouse/base/text.h"

namespace reelhouse {

Result<int64_t> ParseQuantity(std::string_view text, std::span<const QuantityUnit> units, std::string_view what,
                              std::string_view examples) {
  const std::string_view trimmed = TrimmedView(text);
  const char* const end = trimmed.data() + trimmed.size();
  int64_t number = 0;
  const auto [behind, error] = std::from_chars(trimmed.data(), end, number);
  if (error == std::errc::result_out_of_range) {
    return Status::Invalid(what, " ", QuoteForError(text), ": the number does not fit 64 bits");
  }
  if (error != std::errc() || number < 0) {
    return Status::Invalid(what, " ", QuoteForError(text), ": expected a whole number and a unit, as in ", examples);
  }
  const std::string_view unit = TrimmedView(std::string_view(behind, static_cast<size_t>(end - behind)));
  if (unit.empty()) return number;
  for (const QuantityUnit& known : units) {
    if (!EqualsIgnoreCase(unit, known.name)) continue;
    int64_t product = 0;
    if (__builtin_mul_overflow(number, known.factor, &product)) {
      return Status::Invalid(what, " ", QuoteForError(text), ": the number does not fit 64 bits");
    }
    return product;
  }
  return Status::Invalid(what, " ", QuoteForError(text), ": unknown unit ", QuoteForError(unit), "; expected ",
                         examples);
}

}  // namespace reelhouse
