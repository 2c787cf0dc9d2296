#include "reelhouse/media/rational.h"

#include <charconv>
#include <limits>
#include <string>

namespace reelhouse {
namespace {

/// FFmpeg's rationals hold ints.
constexpr int64_t kMaxTerm = std::numeric_limits<int32_t>::max();

/// A whole number without sign or spaces, or -1.
int64_t ParseTerm(std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') return -1;
  return value;
}

std::string_view FractionHint(std::string_view text) {
  if (text.starts_with("23.97") || text.starts_with("23.98")) return "write 24000/1001 for 23.976";
  if (text.starts_with("59.94")) return "write 60000/1001 for 59.94";
  return "write 30000/1001 for 29.97";
}

}  // namespace

Result<Rational> ParseFrameRate(std::string_view text) {
  const auto refused = [&] {
    return Status::Invalid("fps must be a positive int, a fraction or text \"N\" or \"N/D\" of positive numbers up to ",
                           kMaxTerm, ", but was '", text, "'; ", FractionHint(text));
  };
  const size_t slash = text.find('/');
  if (text.empty() || slash == 0 || slash + 1 == text.size()) return refused();
  Rational rate;
  rate.numerator = ParseTerm(text.substr(0, slash));
  rate.denominator = slash == std::string_view::npos ? 1 : ParseTerm(text.substr(slash + 1));
  const bool is_valid =
      rate.numerator > 0 && rate.denominator > 0 && rate.numerator <= kMaxTerm && rate.denominator <= kMaxTerm;
  if (!is_valid) return refused();
  return rate;
}

}  // namespace reelhouse
