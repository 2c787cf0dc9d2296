#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "reelhouse/base/text.h"
#include "reelhouse/predicate/calendar_text.h"
#include "reelhouse/predicate/literal_set.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

namespace {

// Words that the grammar has a use for: as names they go into backticks.
constexpr std::array<std::string_view, 15> kReservedWords = {"AND",  "OR",      "NOT",    "IN",      "IS",
                                                             "LIKE", "BETWEEN", "NULL",   "TRUE",    "FALSE",
                                                             "DATE", "TIME",    "ESCAPE", "DECIMAL", "TIMESTAMP"};

std::string Quoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (char c : text) {
    if (c == quote) quoted += quote;
    quoted += c;
  }
  quoted += quote;
  return quoted;
}

std::string NameText(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_plain = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  const bool is_word = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_plain);
  const bool is_reserved = std::any_of(kReservedWords.begin(), kReservedWords.end(),
                                       [&](std::string_view word) { return EqualsIgnoreCase(name, word); });
  return is_word && !is_reserved ? name : Quoted(name, '`');
}

template <class Float>
std::string FloatText(double value) {
  if (std::isinf(value)) return value > 0 ? "'Infinity'" : "'-Infinity'";
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<Float>(value));
  return std::string(buffer.data(), result.ptr);
}

std::string HexText(std::string_view bytes) {
  std::string text = "X'";
  for (char byte : bytes) text += fmt::format("{:02X}", static_cast<unsigned char>(byte));
  return text + "'";
}

std::string LiteralText(const ColumnRef& column, const Literal& literal) {
  switch (column.type.root()) {
    case TypeRoot::kBoolean:
      return std::get<bool>(literal) ? "TRUE" : "FALSE";
    case TypeRoot::kFloat:
      return FloatText<float>(std::get<double>(literal));
    case TypeRoot::kDouble:
      return FloatText<double>(std::get<double>(literal));
    case TypeRoot::kChar:
    case TypeRoot::kVarChar:
      return Quoted(std::get<std::string>(literal), '\'');
    case TypeRoot::kBinary:
    case TypeRoot::kVarBinary:
      return HexText(std::get<std::string>(literal));
    case TypeRoot::kDate:
      return fmt::format("DATE '{}'", DateToText(static_cast<int64_t>(std::get<ExactNumber>(literal).units)));
    case TypeRoot::kTime:
      return fmt::format("TIME '{}'", TimeOfDayToText(static_cast<int64_t>(std::get<ExactNumber>(literal).units)));
    case TypeRoot::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", TimestampToText(std::get<ExactNumber>(literal).units));
    case TypeRoot::kTimestampLtz:
      return fmt::format("TIMESTAMP '{}Z'", TimestampToText(std::get<ExactNumber>(literal).units));
    default:
      return ToText(std::get<ExactNumber>(literal));
  }
}

std::string_view OpText(CompareOp op) {
  static constexpr std::array<std::string_view, 6> kTexts = {"=", "<>", "<", "<=", ">", ">="};
  return kTexts[static_cast<size_t>(op)];
}

/// Writes a tree as text.
class TextWriter {
 public:
  void Write(const Predicate::Node& node) {
    std::visit([this](const auto& value) { WriteNode(value); }, node.value);
  }
  std::string text() && { return std::move(text_); }

 private:
  void WriteNode(const Constant& node) { text_ += node.value ? "TRUE" : "FALSE"; }
  void WriteNode(const Conjunction& node) { WriteJoined(node.terms, " AND "); }
  void WriteNode(const Disjunction& node) { WriteJoined(node.terms, " OR "); }
  void WriteNode(const Negation& node) {
    if (const auto* test = std::get_if<NullTest>(&node.term->value)) {
      text_ += NameText(test->column.name) + " IS NOT NULL";
    } else if (const auto* membership = std::get_if<Membership>(&node.term->value)) {
      WriteMembership(*membership, " NOT IN (");
    } else if (const auto* pattern = std::get_if<PatternTest>(&node.term->value)) {
      WritePattern(*pattern, " NOT LIKE ");
    } else {
      text_ += "NOT ";
      WriteInParentheses(*node.term);
    }
  }
  void WriteNode(const Comparison& node) {
    text_ +=
        fmt::format("{} {} {}", NameText(node.column.name), OpText(node.op), LiteralText(node.column, node.literal));
  }
  void WriteNode(const ColumnComparison& node) {
    text_ += fmt::format("{} {} {}", NameText(node.left.name), OpText(node.op), NameText(node.right.name));
  }
  void WriteNode(const NullTest& node) { text_ += NameText(node.column.name) + " IS NULL"; }
  void WriteNode(const Membership& node) { WriteMembership(node, " IN ("); }
  void WriteNode(const PatternTest& node) { WritePattern(node, " LIKE "); }

  void WriteMembership(const Membership& node, std::string_view opening) {
    text_ += NameText(node.column.name);
    text_ += opening;
    std::string_view separator;
    for (const Literal& value : node.values->values()) {
      text_ += separator;
      text_ += LiteralText(node.column, value);
      separator = ", ";
    }
    if (node.has_null) {
      text_ += separator;
      text_ += "NULL";
    }
    text_ += ')';
  }

  void WritePattern(const PatternTest& node, std::string_view word) {
    text_ += NameText(node.column.name);
    text_ += word;
    text_ += Quoted(node.pattern.ToText(), '\'');
  }

  void WriteJoined(const std::vector<NodePtr>& terms, std::string_view separator) {
    std::string_view before;
    for (const NodePtr& term : terms) {
      text_ += before;
      const bool is_joined =
          std::holds_alternative<Conjunction>(term->value) || std::holds_alternative<Disjunction>(term->value);
      is_joined ? WriteInParentheses(*term) : Write(*term);
      before = separator;
    }
  }

  void WriteInParentheses(const Predicate::Node& node) {
    text_ += '(';
    Write(node);
    text_ += ')';
  }

  std::string text_;
};

}  // namespace

std::string Predicate::ToText() const {
  TextWriter writer;
  writer.Write(*root_);
  return std::move(writer).text();
}

}  // namespace reelhouse
