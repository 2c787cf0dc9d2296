#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "reelhouse/base/text.h"
#include "reelhouse/predicate/literal_binding.h"
#include "reelhouse/predicate/predicate_node.h"
#include "reelhouse/predicate/where_tokens.h"

namespace reelhouse {

namespace {

using TokenKind = WhereToken::Kind;
using RawKind = RawLiteral::Kind;

// Deeper nesting is no honest filter. Rooms that walk a tree may recurse: it is at most three times as deep as this.
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxListedFields = 200;
constexpr size_t kMaxQuotedBytes = 60;

constexpr std::string_view kSupportedOperators =
    "=, !=, <>, <, <=, >, >=, IS NULL, IS NOT NULL, IN, NOT IN, BETWEEN, LIKE, NOT BETWEEN, NOT LIKE";

std::optional<CompareOp> CompareOpOf(const WhereToken& token) {
  if (token.kind != TokenKind::kSymbol) return std::nullopt;
  if (token.source == "=") return CompareOp::kEqual;
  if (token.source == "!=" || token.source == "<>") return CompareOp::kNotEqual;
  if (token.source == "<") return CompareOp::kLess;
  if (token.source == "<=") return CompareOp::kLessEqual;
  if (token.source == ">") return CompareOp::kGreater;
  if (token.source == ">=") return CompareOp::kGreaterEqual;
  return std::nullopt;
}

std::optional<std::string> BytesOfHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t at = 0; at < hex.size(); ++at) {
    const char c = hex[at];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    if (at % 2 == 0) {
      bytes += static_cast<char>(digit << 4);
    } else {
      bytes.back() = static_cast<char>(bytes.back() | digit);
    }
  }
  return bytes;
}

/// The right side of a comparison: a literal or a column.
using Operand = std::variant<RawLiteral, ColumnRef>;

/// Reads the tokens of one filter, from left to right.
class WhereParser {
 public:
  WhereParser(std::string_view text, const std::vector<DataField>& fields) : text_(text), fields_(fields) {
    types_.emplace("_ROW_ID", DataType(TypeRoot::kBigInt, /*nullable=*/false));
    types_.emplace("_SEQUENCE_NUMBER", DataType(TypeRoot::kBigInt));
    for (const DataField& field : fields) types_.insert_or_assign(field.name, field.type);
  }

  Result<NodePtr> Parse() {
    ARROW_ASSIGN_OR_RAISE(tokens_, TokenizeWhere(text_));
    if (Now().kind == TokenKind::kEnd) return MakeConstant(true);
    ARROW_ASSIGN_OR_RAISE(NodePtr root, ParseExpression());
    if (Now().kind != TokenKind::kEnd) {
      std::string_view rest = TrimmedView(text_.substr(Now().offset));
      const bool is_after_string = tokens_[next_ - 1].IsString();
      return Fail(
          Now(), fmt::format("Unexpected tokens after parsing: {}", Shortened(rest)),
          is_after_string ? "Double the quote for one inside a string: 'it''s'" : "Join conditions with AND or OR");
    }
    return root;
  }

 private:
  // Tokens. There is always one more: kEnd.

  const WhereToken& Now() const { return tokens_[next_]; }
  const WhereToken& After() const { return tokens_[std::min(next_ + 1, tokens_.size() - 1)]; }
  const WhereToken& Take() {
    const WhereToken& token = tokens_[next_];
    if (token.kind != TokenKind::kEnd) ++next_;
    return token;
  }
  bool TakeKeyword(std::string_view keyword) {
    if (!Now().IsKeyword(keyword)) return false;
    ++next_;
    return true;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!Now().IsSymbol(symbol)) return false;
    ++next_;
    return true;
  }

  Status Fail(const WhereToken& token, std::string_view what, std::string_view hint = "") const {
    return WhereError(text_, token.offset, what, hint);
  }

  static std::string Shortened(std::string_view source) {
    if (source.size() <= kMaxQuotedBytes) return std::string(source);
    size_t size = kMaxQuotedBytes;
    while (size > 0 && (static_cast<unsigned char>(source[size]) & 0xC0) == 0x80) --size;
    return std::string(source.substr(0, size)) + "...";
  }

  static std::string Found(const WhereToken& token) {
    return token.kind == TokenKind::kEnd ? "the end of the filter" : "'" + Shortened(token.source) + "'";
  }

  // Names

  std::optional<ColumnRef> FindColumn(const WhereToken& token) const {
    if (token.kind != TokenKind::kWord && token.kind != TokenKind::kQuotedName) return std::nullopt;
    std::string name = token.Content();
    const auto found = types_.find(name);
    if (found == types_.end()) return std::nullopt;
    return ColumnRef{std::move(name), found->second};
  }

  Status UnknownField(const WhereToken& token) const {
    const std::string name = token.Content();
    std::vector<std::string> names;
    for (const DataField& field : fields_) names.push_back(field.name);
    std::sort(names.begin(), names.end());
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), kMaxListedFields); ++i) {
      list += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
    }
    if (names.size() > kMaxListedFields) list += fmt::format(", and {} more", names.size() - kMaxListedFields);

    std::string hint;
    if (After().IsSymbol("(") && token.kind == TokenKind::kWord) {
      hint = "Filters have no functions";
    } else {
      names.insert(names.end(), {"_ROW_ID", "_SEQUENCE_NUMBER"});
      const std::string nearest = NearestName(name, names);
      if (!nearest.empty()) hint = fmt::format("Did you mean '{}'?", nearest);
    }
    return Fail(token, fmt::format("Unknown field '{}'. Available fields: [{}]", Shortened(name), list), hint);
  }

  // Grammar

  /// What stands between two parentheses, as far as it is read.
  struct Group {
    bool is_negated = false;  // by the NOT in front of its '('
    std::vector<NodePtr> alternatives;
    std::vector<NodePtr> conditions;  // of the last alternative

    void CloseAlternative() {
      alternatives.push_back(MakeConjunction(std::move(conditions)));
      conditions.clear();
    }
    NodePtr Close() {
      CloseAlternative();
      NodePtr inside = MakeDisjunction(std::move(alternatives));
      return is_negated ? MakeNegation(std::move(inside)) : inside;
    }
  };

  /// Conditions joined by AND, OR, NOT and parentheses. The groups that are open lie on a stack of our own: texts from
  /// outside may nest as deep as they like without using up the stack of the thread.
  Result<NodePtr> ParseExpression() {
    std::vector<Group> open(1);
    while (true) {
      bool is_negated = false;
      while (IsNotKeyword()) {
        Take();
        is_negated = !is_negated;
      }
      if (Now().IsSymbol("(")) {
        if (open.size() > kMaxDepth) {
          return Fail(Now(), fmt::format("More than {} parentheses inside each other", kMaxDepth));
        }
        Take();
        open.push_back({is_negated, {}, {}});
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(NodePtr condition, ParsePrimary());
      if (is_negated) condition = MakeNegation(std::move(condition));

      // What was read may be the last of one or more groups.
      while (true) {
        open.back().conditions.push_back(std::move(condition));
        if (TakeKeyword("AND")) break;
        if (TakeKeyword("OR")) {
          open.back().CloseAlternative();
          break;
        }
        condition = open.back().Close();
        open.pop_back();
        if (open.empty()) return condition;
        if (!TakeSymbol(")")) {
          return Fail(Now(), "Missing closing parenthesis ')'", fmt::format("Found {}", Found(Now())));
        }
      }
    }
  }

  /// True if the word NOT here is the keyword, not a column of that name.
  bool IsNotKeyword() const { return Now().IsKeyword("NOT") && !(FindColumn(Now()) && StartsCondition(After())); }

  static bool StartsCondition(const WhereToken& token) {
    if (CompareOpOf(token)) return true;
    return std::any_of(kConditionWords.begin(), kConditionWords.end(),
                       [&](std::string_view word) { return token.IsKeyword(word); });
  }

  Result<NodePtr> ParsePrimary() {
    const WhereToken& token = Now();
    if (token.kind == TokenKind::kEnd) return Fail(token, "Unexpected end of WHERE clause");
    if (!IsTypedLiteral()) {
      if (auto column = FindColumn(token)) {
        Take();
        return ParseCondition(*std::move(column), token);
      }
    }
    if ((token.IsKeyword("TRUE") || token.IsKeyword("FALSE")) && !CompareOpOf(After())) {
      return MakeConstant(Take().IsKeyword("TRUE"));
    }
    if (IsLiteralStart()) return ParseLiteralFirst();
    if (token.IsKeyword("NULL")) {
      return Fail(token, "NULL is neither a filter nor to be compared with", "Write: field IS NULL");
    }
    if (token.kind == TokenKind::kSymbol) return Fail(token, fmt::format("Expected a field, found {}", Found(token)));
    return UnknownField(token);
  }

  /// `1 = a`.
  Result<NodePtr> ParseLiteralFirst() {
    const WhereToken& first = Now();
    ARROW_ASSIGN_OR_RAISE(const RawLiteral literal, ParseLiteral());
    const WhereToken& op_token = Take();
    const auto op = CompareOpOf(op_token);
    auto column = op ? FindColumn(Now()) : std::nullopt;
    if (!column) {
      std::string hint = "All rows: TRUE";
      if (first.kind == TokenKind::kDoubleQuoted) hint = "Double quotes make a string; a name needs none, or backticks";
      if (op && (Now().kind == TokenKind::kWord || Now().kind == TokenKind::kQuotedName) && !IsLiteralStart()) {
        return UnknownField(Now());
      }
      return Fail(first, fmt::format("Expected a field, found {}, and none follows", Found(first)), hint);
    }
    const WhereToken& name = Take();
    ARROW_RETURN_NOT_OK(CheckComparable(*column, name));
    ARROW_ASSIGN_OR_RAISE(const BoundLiteral bound, BindLiteral(text_, *column, literal));
    return MakeComparison(*column, Mirrored(*op), bound);
  }

  /// What follows the name of a column.
  Result<NodePtr> ParseCondition(ColumnRef column, const WhereToken& name) {
    if (TakeKeyword("IS")) return ParseNullTest(std::move(column));
    ARROW_RETURN_NOT_OK(CheckComparable(column, name));
    if (const auto op = CompareOpOf(Now())) {
      const WhereToken& op_token = Take();
      ARROW_ASSIGN_OR_RAISE(const Operand operand, ParseOperand(column, fmt::format("'{}'", op_token.source)));
      return Compare(column, *op, operand, op_token);
    }
    const bool is_negated = TakeKeyword("NOT");
    NodePtr condition;
    if (TakeKeyword("IN")) {
      ARROW_ASSIGN_OR_RAISE(condition, ParseList(column));
    } else if (TakeKeyword("BETWEEN")) {
      ARROW_ASSIGN_OR_RAISE(condition, ParseBetween(column));
    } else if (Now().IsKeyword("LIKE")) {
      ARROW_ASSIGN_OR_RAISE(condition, ParseLike(column));
    } else if (is_negated) {
      return Fail(Now(), fmt::format("Expected 'IN', 'BETWEEN' or 'LIKE' after 'NOT' for field '{}'", column.name),
                  fmt::format("Found {}", Found(Now())));
    } else {
      return ParseAlone(column);
    }
    return is_negated ? MakeNegation(std::move(condition)) : condition;
  }

  /// A column without an operator: a BOOLEAN one is a filter by itself.
  Result<NodePtr> ParseAlone(const ColumnRef& column) {
    const WhereToken& token = Now();
    const bool is_over =
        token.kind == TokenKind::kEnd || token.IsSymbol(")") || token.IsKeyword("AND") || token.IsKeyword("OR");
    if (is_over && KindOf(column.type) == ValueKind::kBoolean) {
      return MakeNode(Comparison{column, CompareOp::kEqual, true});
    }
    if (token.kind == TokenKind::kEnd) {
      return Fail(token, fmt::format("Unexpected end after field name '{}'", column.name),
                  fmt::format("Field '{}' is {}: compare it with something", column.name, TypeWord(column.type)));
    }
    return Fail(token, fmt::format("Unsupported operator '{}' for field '{}'. Supported: {}", Shortened(token.source),
                                   column.name, kSupportedOperators));
  }

  Status CheckComparable(const ColumnRef& column, const WhereToken& name) const {
    if (KindOf(column.type) != ValueKind::kNone) return Status::OK();
    if (column.type.root() == TypeRoot::kBlob) {
      return Fail(name,
                  fmt::format("Field '{}' is a BLOB, whose content cannot be compared in WHERE clauses", column.name),
                  "IS NULL and IS NOT NULL work");
    }
    return Fail(name,
                fmt::format("Field '{}' has a non-atomic type (e.g., ARRAY, MAP, ROW) which is not supported in WHERE "
                            "clauses. Only atomic type fields (INT, STRING, DOUBLE, etc.) can be used for filtering.",
                            column.name),
                fmt::format("It is {}; IS NULL and IS NOT NULL work", TypeWord(column.type)));
  }

  Result<NodePtr> ParseNullTest(ColumnRef column) {
    if (Now().kind == TokenKind::kEnd) {
      return Fail(Now(), fmt::format("Unexpected end after 'IS' for field '{}'", column.name));
    }
    const WhereToken& first = Now();
    const bool is_negated = TakeKeyword("NOT");
    if (!TakeKeyword("NULL")) {
      return Fail(first, fmt::format("Expected 'NULL' or 'NOT NULL' after 'IS' for field '{}'", column.name),
                  KindOf(column.type) == ValueKind::kBoolean ? "Compare with = TRUE or = FALSE" : "");
    }
    NodePtr test = MakeNode(NullTest{std::move(column)});
    return is_negated ? MakeNegation(std::move(test)) : test;
  }

  Result<NodePtr> ParseList(const ColumnRef& column) {
    if (!TakeSymbol("(")) return Fail(Now(), "Expected '(' after IN", fmt::format("Found {}", Found(Now())));
    std::vector<Literal> values;
    bool has_null = false;
    while (!TakeSymbol(")")) {
      if (Now().kind == TokenKind::kEnd) return Fail(Now(), "Missing closing ')' in IN list");
      if (TakeKeyword("NULL")) {
        has_null = true;
      } else if (IsLiteralStart() || IsValueWord(column)) {
        ARROW_ASSIGN_OR_RAISE(const RawLiteral literal, ParseLiteral());
        ARROW_ASSIGN_OR_RAISE(BoundLiteral bound, BindLiteral(text_, column, literal));
        // What is not a value of the column equals no cell.
        if (bound.place == BoundLiteral::Place::kValue) values.push_back(std::move(bound.value));
      } else if (Now().kind == TokenKind::kWord || Now().kind == TokenKind::kQuotedName) {
        return BareWord(Now(), FindColumn(Now()) ? "IN takes literals only" : "");
      } else {
        return Fail(Now(), fmt::format("Expected a literal in the IN list for field '{}'", column.name),
                    fmt::format("Found {}", Found(Now())));
      }
      TakeSymbol(",");
    }
    return MakeMembership(column, std::move(values), has_null);
  }

  Result<NodePtr> ParseBetween(const ColumnRef& column) {
    const WhereToken& lower_token = Now();
    ARROW_ASSIGN_OR_RAISE(const Operand lower, ParseOperand(column, "'BETWEEN'"));
    if (!TakeKeyword("AND")) {
      return Fail(Now(), fmt::format("Expected 'AND' in BETWEEN expression for field '{}'", column.name),
                  fmt::format("Found {}", Found(Now())));
    }
    const WhereToken& upper_token = Now();
    ARROW_ASSIGN_OR_RAISE(const Operand upper, ParseOperand(column, "'AND'"));
    ARROW_ASSIGN_OR_RAISE(NodePtr above, Compare(column, CompareOp::kGreaterEqual, lower, lower_token));
    ARROW_ASSIGN_OR_RAISE(NodePtr below, Compare(column, CompareOp::kLessEqual, upper, upper_token));
    return MakeConjunction({std::move(above), std::move(below)});
  }

  Result<NodePtr> ParseLike(const ColumnRef& column) {
    const WhereToken& like = Take();
    if (column.type.root() != TypeRoot::kVarChar && column.type.root() != TypeRoot::kChar) {
      return Fail(like, fmt::format("LIKE needs a STRING field, '{}' is {}", column.name, TypeWord(column.type)));
    }
    if (!Now().IsString()) {
      return Fail(Now(), fmt::format("Expected a quoted pattern after 'LIKE' for field '{}'", column.name),
                  fmt::format("Found {}; write a pattern such as 'run-%'", Found(Now())));
    }
    const WhereToken& pattern = Take();
    std::string escape = "\\";
    if (TakeKeyword("ESCAPE")) {
      const WhereToken& token = Now();
      if (token.IsString()) escape = Take().Content();
      const auto characters = std::count_if(escape.begin(), escape.end(),
                                            [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      if (!token.IsString() || characters > 1) {
        return Fail(token, "Expected one quoted character after 'ESCAPE'", fmt::format("Found {}", Found(token)));
      }
    }
    auto compiled = LikePattern::Compile(pattern.Content(), escape);
    if (!compiled) {
      return Fail(
          pattern,
          fmt::format("The LIKE pattern {} ends in a lone escape character '{}'", Shortened(pattern.source), escape),
          "Write it twice for the character itself");
    }
    return MakeNode(PatternTest{column, *std::move(compiled)});
  }

  Result<NodePtr> Compare(const ColumnRef& column, CompareOp op, const Operand& operand, const WhereToken& at) {
    if (const auto* literal = std::get_if<RawLiteral>(&operand)) {
      ARROW_ASSIGN_OR_RAISE(const BoundLiteral bound, BindLiteral(text_, column, *literal));
      return MakeComparison(column, op, bound);
    }
    const auto& other = std::get<ColumnRef>(operand);
    if (!AreComparable(column.type, other.type)) {
      return Fail(at,
                  fmt::format("Fields '{}' ({}) and '{}' ({}) cannot be compared with each other", column.name,
                              TypeWord(column.type), other.name, TypeWord(other.type)),
                  "Both must be integers, or FLOAT and DOUBLE, or of one type");
    }
    return MakeNode(ColumnComparison{column, op, other});
  }

  static bool AreComparable(const DataType& a, const DataType& b) {
    if (KindOf(a) != KindOf(b) || KindOf(a) == ValueKind::kNone) return false;
    const auto group = [](const DataType& type) {
      switch (type.root()) {
        case TypeRoot::kTinyInt:
        case TypeRoot::kSmallInt:
        case TypeRoot::kInt:
          return TypeRoot::kBigInt;
        case TypeRoot::kFloat:
          return TypeRoot::kDouble;
        case TypeRoot::kChar:
          return TypeRoot::kVarChar;
        case TypeRoot::kBinary:
          return TypeRoot::kVarBinary;
        default:
          return type.root();
      }
    };
    return group(a) == group(b);
  }

  // Operands

  /// True if a literal that names its type is here: DATE '..', X'..'. No column can be followed by a string.
  bool IsTypedLiteral() const {
    if (Now().kind != TokenKind::kWord || !After().IsString()) return false;
    if (Now().IsKeyword("X")) return After().offset == Now().end();
    return std::any_of(kTypeWords.begin(), kTypeWords.end(),
                       [&](const auto& word) { return Now().IsKeyword(word.first); });
  }

  static bool IsNumber(const WhereToken& token) {
    return token.kind == TokenKind::kWord && DecimalText::Parse(token.source).has_value();
  }

  bool IsLiteralStart() const {
    return Now().IsString() || IsNumber(Now()) || Now().IsKeyword("TRUE") || Now().IsKeyword("FALSE") ||
           IsTypedLiteral();
  }

  /// True for NaN and the like, where the column's type has such values.
  bool IsValueWord(const ColumnRef& column) const {
    if (Now().kind != TokenKind::kWord) return false;
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
      return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return Now().IsKeyword(word); });
    };
    if (KindOf(column.type) == ValueKind::kBoolean) return is_one_of({"yes", "no"});
    if (KindOf(column.type) != ValueKind::kFloat) return false;
    return is_one_of({"nan", "+nan", "-nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"});
  }

  Result<Operand> ParseOperand(const ColumnRef& column, std::string_view after) {
    const WhereToken& token = Now();
    if (token.kind == TokenKind::kEnd) {
      return Fail(token, "Unexpected end of WHERE clause",
                  fmt::format("Expected a literal or a field after {} for field '{}'", after, column.name));
    }
    if (IsLiteralStart()) return ParseLiteral();
    if (token.IsKeyword("NULL")) {
      return Fail(token, fmt::format("Field '{}' cannot be compared with NULL: the result is never true", column.name),
                  fmt::format("Write: {0} IS NULL, or {0} IS NOT NULL", column.name));
    }
    if (auto other = FindColumn(token)) {
      Take();
      return *std::move(other);
    }
    if (IsValueWord(column)) return ParseLiteral();
    if (token.kind == TokenKind::kQuotedName) return UnknownField(token);
    if (token.kind == TokenKind::kWord) return BareWord(token, "");
    return Fail(token, fmt::format("Expected a literal or a field after {} for field '{}'", after, column.name),
                fmt::format("Found {}", Found(token)));
  }

  Status BareWord(const WhereToken& token, std::string_view reason) const {
    if (!reason.empty()) return Fail(token, fmt::format("Unexpected field {}", Found(token)), reason);
    std::vector<std::string> names = {"TRUE", "FALSE", "NULL"};
    for (const DataField& field : fields_) names.push_back(field.name);
    const std::string nearest = NearestName(token.source, names);
    const bool has_curly_quote = token.source.find("\xE2\x80\x98") != std::string_view::npos ||
                                 token.source.find("\xE2\x80\x99") != std::string_view::npos ||
                                 token.source.find("\xE2\x80\x9C") != std::string_view::npos ||
                                 token.source.find("\xE2\x80\x9D") != std::string_view::npos;
    std::string hint = fmt::format("Put a string into quotes: '{}'", Shortened(token.source));
    if (has_curly_quote) hint = "Use straight quotes: '";
    if (!nearest.empty()) hint = fmt::format("Did you mean {}? {}", nearest, hint);
    return Fail(token, fmt::format("Bare word '{}' is no field, number, TRUE, FALSE or NULL", Shortened(token.source)),
                hint);
  }

  /// The literal that starts here.
  Result<RawLiteral> ParseLiteral() {
    RawLiteral literal;
    literal.offset = Now().offset;
    if (IsTypedLiteral()) {
      const WhereToken& type = Take();
      const WhereToken& value = Take();
      literal.text = value.Content();
      literal.source = text_.substr(type.offset, value.end() - type.offset);
      if (type.IsKeyword("X")) {
        literal.kind = RawKind::kBytes;
        auto bytes = BytesOfHex(literal.text);
        if (!bytes) {
          return Fail(type, fmt::format("Invalid BYTES literal: {}", Shortened(literal.source)),
                      "Write two hexadecimal digits for each byte: X'00ff'");
        }
        literal.text = *std::move(bytes);
        return literal;
      }
      for (const auto& [word, kind] : kTypeWords) {
        if (type.IsKeyword(word)) literal.kind = kind;
      }
      return literal;
    }
    const WhereToken& token = Take();
    literal.text = token.Content();
    literal.source = token.source;
    literal.kind = token.IsString()           ? RawKind::kString
                   : IsNumber(token)          ? RawKind::kNumber
                   : token.IsKeyword("TRUE")  ? RawKind::kTrue
                   : token.IsKeyword("FALSE") ? RawKind::kFalse
                                              : RawKind::kWord;
    return literal;
  }

  static constexpr std::array<std::string_view, 5> kConditionWords = {"IS", "IN", "LIKE", "BETWEEN", "NOT"};
  static constexpr std::array<std::pair<std::string_view, RawKind>, 4> kTypeWords = {{
      {"DATE", RawKind::kDate},
      {"TIME", RawKind::kTime},
      {"TIMESTAMP", RawKind::kTimestamp},
      {"DECIMAL", RawKind::kDecimal},
  }};

  std::string_view text_;
  const std::vector<DataField>& fields_;
  std::unordered_map<std::string, DataType> types_;
  std::vector<WhereToken> tokens_;
  size_t next_ = 0;
};

}  // namespace

Result<Predicate> ParsePredicate(std::string_view text, const std::vector<DataField>& fields) {
  ARROW_ASSIGN_OR_RAISE(NodePtr root, WhereParser(text, fields).Parse());
  return Predicate(std::move(root));
}

}  // namespace reelhouse
