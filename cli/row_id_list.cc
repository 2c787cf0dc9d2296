#include "cli/row_id_list.h"

#include <charconv>
#include <string>

#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

// More than anybody looks at; a slip such as 1-99999999999 must not fill the memory.
constexpr int64_t kMostRowIds = 10'000'000;

Result<int64_t> ParseRowId(std::string_view text, std::string_view item) {
  text = TrimmedView(text);
  int64_t row_id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row_id);
  if (error != std::errc() || end != text.data() + text.size() || row_id < 0) {
    return Status::Invalid("--row-ids: expected a row id or a range as in 1,2,5-9, found ", QuoteForError(item));
  }
  return row_id;
}

}  // namespace

Result<std::vector<int64_t>> ParseRowIds(std::string_view text) {
  std::vector<int64_t> row_ids;
  for (const std::string& item : SplitCommaList(text)) {
    const size_t dash = item.find('-', 1);
    ARROW_ASSIGN_OR_RAISE(const int64_t first, ParseRowId(std::string_view(item).substr(0, dash), item));
    int64_t last = first;
    if (dash != std::string::npos) {
      ARROW_ASSIGN_OR_RAISE(last, ParseRowId(std::string_view(item).substr(dash + 1), item));
    }
    if (last < first) return Status::Invalid("--row-ids: the range ", QuoteForError(item), " ends before it begins");
    if (last - first >= kMostRowIds - static_cast<int64_t>(row_ids.size())) {
      return Status::Invalid("--row-ids: more than ", kMostRowIds, " row ids; use --where \"_ROW_ID BETWEEN a AND b\"");
    }
    for (int64_t row_id = first; row_id <= last; ++row_id) row_ids.push_back(row_id);
  }
  if (row_ids.empty()) return Status::Invalid("--row-ids: expected a list as in 1,2,5-9, found nothing");
  return row_ids;
}

}  // namespace reelhouse::cli
