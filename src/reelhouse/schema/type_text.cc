#include "reelhouse/schema/type_text.h"

#include <charconv>
#include <optional>
#include <utility>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

// Deeper types than anybody writes; keeps a hostile text from exhausting the stack.
constexpr int kDeepestType = 64;
constexpr int32_t kMaxDecimalPrecision = 38;
constexpr int32_t kMaxTimePrecision = 9;

struct AtomicName {
  std::string_view text;
  TypeRoot root;
};

// The first name of a root is the one that is written.
constexpr AtomicName kAtomicNames[] = {
    {"BOOLEAN", TypeRoot::kBoolean},     {"TINYINT", TypeRoot::kTinyInt},
    {"SMALLINT", TypeRoot::kSmallInt},   {"INT", TypeRoot::kInt},
    {"INTEGER", TypeRoot::kInt},         {"BIGINT", TypeRoot::kBigInt},
    {"FLOAT", TypeRoot::kFloat},         {"DOUBLE", TypeRoot::kDouble},
    {"DECIMAL", TypeRoot::kDecimal},     {"DEC", TypeRoot::kDecimal},
    {"NUMERIC", TypeRoot::kDecimal},     {"CHAR", TypeRoot::kChar},
    {"VARCHAR", TypeRoot::kVarChar},     {"STRING", TypeRoot::kVarChar},
    {"BINARY", TypeRoot::kBinary},       {"VARBINARY", TypeRoot::kVarBinary},
    {"BYTES", TypeRoot::kVarBinary},     {"BLOB", TypeRoot::kBlob},
    {"DATE", TypeRoot::kDate},           {"TIME", TypeRoot::kTime},
    {"TIMESTAMP", TypeRoot::kTimestamp}, {"TIMESTAMP_LTZ", TypeRoot::kTimestampLtz},
    {"VARIANT", TypeRoot::kVariant},
};

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A reader of one type text. Blanks between words and signs have no meaning.
class TypeTextReader {
 public:
  explicit TypeTextReader(std::string_view text) : text_(text) {}

  Result<DataType> ReadAll() {
    ARROW_ASSIGN_OR_RAISE(DataType type, ReadType(0));
    SkipBlanks();
    if (at_ != text_.size()) return Refuse("expected the end of the type");
    return type;
  }

 private:
  Status Refuse(std::string_view expected) const {
    return Status::Invalid("type ", QuoteForError(text_), ": ", expected, " at position ", at_);
  }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool TakeSign(char sign) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  std::string_view TakeWord() {
    SkipBlanks();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Takes all of `words` or nothing.
  bool TakeWords(std::initializer_list<std::string_view> words) {
    const size_t begin = at_;
    for (std::string_view word : words) {
      if (!EqualsIgnoreCase(TakeWord(), word)) {
        at_ = begin;
        return false;
      }
    }
    return true;
  }

  Result<int32_t> TakeNumber(std::string_view what, int32_t least, int32_t most) {
    SkipBlanks();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    int32_t number = 0;
    const auto [behind, error] = std::from_chars(text_.data() + begin, text_.data() + at_, number);
    if (begin == at_ || error != std::errc() || number < least || number > most) {
      at_ = begin;
      return Refuse("expected " + std::string(what) + " between " + std::to_string(least) + " and " +
                    std::to_string(most));
    }
    return number;
  }

  Status ExpectSign(char sign) {
    if (TakeSign(sign)) return Status::OK();
    return Refuse(std::string("expected '") + sign + "'");
  }

  bool TakeNullability() {
    if (TakeWords({"NOT", "NULL"})) return false;
    TakeWords({"NULL"});
    return true;
  }

  Result<DataType> ReadType(int depth) {
    if (depth > kDeepestType) return Refuse("nested too deeply");
    SkipBlanks();
    const size_t begin = at_;
    const std::string_view name = TakeWord();
    if (name.empty()) return Refuse("expected a type name");
    if (EqualsIgnoreCase(name, "ARRAY")) return ReadArray(depth);
    if (EqualsIgnoreCase(name, "MULTISET")) return ReadMultiset(depth);
    if (EqualsIgnoreCase(name, "VECTOR")) return ReadVector(depth);
    if (EqualsIgnoreCase(name, "MAP")) return ReadMap(depth);
    if (EqualsIgnoreCase(name, "ROW")) return ReadRow(depth);
    for (const AtomicName& known : kAtomicNames) {
      if (EqualsIgnoreCase(name, known.text)) return ReadAtomic(known);
    }
    at_ = begin;
    return Refuse("Unknown type: " + std::string(name));
  }

  Result<DataType> ReadAtomic(const AtomicName& name) {
    DataType type(name.root);
    switch (name.root) {
      case TypeRoot::kChar:
      case TypeRoot::kVarChar:
      case TypeRoot::kBinary:
      case TypeRoot::kVarBinary:
        if (name.text != "STRING" && name.text != "BYTES" && TakeSign('(')) {
          ARROW_ASSIGN_OR_RAISE(int32_t length, TakeNumber("a length", 0, DataType::kMaxLength));
          ARROW_RETURN_NOT_OK(ExpectSign(')'));
          type = DataType::OfLength(name.root, length);
        }
        break;
      case TypeRoot::kDecimal:
        if (TakeSign('(')) {
          ARROW_ASSIGN_OR_RAISE(int32_t precision, TakeNumber("a precision", 1, kMaxDecimalPrecision));
          int32_t scale = 0;
          // pypaimon stores scales above the precision, so a reader must take them.
          if (TakeSign(',')) {
            ARROW_ASSIGN_OR_RAISE(scale, TakeNumber("a scale", 0, kMaxDecimalPrecision));
          }
          ARROW_RETURN_NOT_OK(ExpectSign(')'));
          type = DataType::OfPrecision(name.root, precision, scale);
        }
        break;
      case TypeRoot::kTime:
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz: {
        int32_t precision = type.precision();
        if (TakeSign('(')) {
          ARROW_ASSIGN_OR_RAISE(precision, TakeNumber("a precision", 0, kMaxTimePrecision));
          ARROW_RETURN_NOT_OK(ExpectSign(')'));
        }
        TypeRoot root = name.root;
        if (root == TypeRoot::kTimestamp && TakeWords({"WITH", "LOCAL", "TIME", "ZONE"})) {
          root = TypeRoot::kTimestampLtz;
        } else if (root != TypeRoot::kTimestampLtz) {
          TakeWords({"WITHOUT", "TIME", "ZONE"});
        }
        type = DataType::OfPrecision(root, precision);
        break;
      }
      case TypeRoot::kDouble:
        TakeWords({"PRECISION"});
        break;
      default:
        break;
    }
    return type.WithNullable(TakeNullability());
  }

  Result<DataType> ReadArray(int depth) {
    ARROW_RETURN_NOT_OK(ExpectSign('<'));
    ARROW_ASSIGN_OR_RAISE(DataType element, ReadType(depth + 1));
    ARROW_RETURN_NOT_OK(ExpectSign('>'));
    return DataType::Array(std::move(element), TakeNullability());
  }

  Result<DataType> ReadMultiset(int depth) {
    ARROW_RETURN_NOT_OK(ExpectSign('<'));
    ARROW_ASSIGN_OR_RAISE(DataType element, ReadType(depth + 1));
    ARROW_RETURN_NOT_OK(ExpectSign('>'));
    return DataType::Multiset(std::move(element), TakeNullability());
  }

  Result<DataType> ReadVector(int depth) {
    ARROW_RETURN_NOT_OK(ExpectSign('<'));
    ARROW_ASSIGN_OR_RAISE(DataType element, ReadType(depth + 1));
    if (!IsVectorElement(element)) {
      return Status::Invalid("Invalid element type for vector: ", element.WithNullable(true).ToText());
    }
    ARROW_RETURN_NOT_OK(ExpectSign(','));
    ARROW_ASSIGN_OR_RAISE(int32_t length, TakeNumber("a length", 1, DataType::kMaxLength));
    ARROW_RETURN_NOT_OK(ExpectSign('>'));
    return DataType::Vector(std::move(element), length, TakeNullability());
  }

  Result<DataType> ReadMap(int depth) {
    ARROW_RETURN_NOT_OK(ExpectSign('<'));
    ARROW_ASSIGN_OR_RAISE(DataType key, ReadType(depth + 1));
    ARROW_RETURN_NOT_OK(ExpectSign(','));
    ARROW_ASSIGN_OR_RAISE(DataType value, ReadType(depth + 1));
    ARROW_RETURN_NOT_OK(ExpectSign('>'));
    return DataType::Map(std::move(key), std::move(value), TakeNullability());
  }

  Result<std::string> ReadMemberName() {
    if (!TakeSign('`')) {
      std::string name(TakeWord());
      if (name.empty()) return Refuse("expected the name of a ROW member");
      return name;
    }
    std::string name;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '`') {
        name += c;
      } else if (at_ < text_.size() && text_[at_] == '`') {
        name += text_[at_++];
      } else {
        return name;
      }
    }
    return Refuse("expected '`' behind the name of a ROW member");
  }

  Result<DataType> ReadRow(int depth) {
    ARROW_RETURN_NOT_OK(ExpectSign('<'));
    std::vector<DataField> members;
    if (TakeSign('>')) return DataType::Row({}, TakeNullability());
    do {
      DataField member;
      ARROW_ASSIGN_OR_RAISE(member.name, ReadMemberName());
      TakeSign(':');
      ARROW_ASSIGN_OR_RAISE(member.type, ReadType(depth + 1));
      members.push_back(std::move(member));
    } while (TakeSign(','));
    ARROW_RETURN_NOT_OK(ExpectSign('>'));
    return DataType::Row(std::move(members), TakeNullability());
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string_view NameOf(TypeRoot root) {
  for (const AtomicName& name : kAtomicNames) {
    if (name.root == root) return name.text;
  }
  return "";
}

void PrintTo(const DataType& type, std::string* out);

void PrintMemberName(const std::string& name, std::string* out) {
  bool is_plain = !name.empty();
  for (char c : name) is_plain = is_plain && IsNameByte(c);
  if (is_plain) {
    *out += name;
    return;
  }
  *out += '`';
  for (char c : name) {
    if (c == '`') *out += c;
    *out += c;
  }
  *out += '`';
}

void PrintUnqualified(const DataType& type, std::string* out) {
  switch (type.root()) {
    case TypeRoot::kVarChar:
    case TypeRoot::kVarBinary:
      if (type.length() == DataType::kMaxLength) {
        *out += type.root() == TypeRoot::kVarChar ? "STRING" : "BYTES";
        return;
      }
      [[fallthrough]];
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
      *out += NameOf(type.root());
      *out += "(" + std::to_string(type.length()) + ")";
      return;
    case TypeRoot::kDecimal:
      *out += "DECIMAL(" + std::to_string(type.precision()) + ", " + std::to_string(type.scale()) + ")";
      return;
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      *out += NameOf(type.root());
      *out += "(" + std::to_string(type.precision()) + ")";
      return;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      *out += type.root() == TypeRoot::kArray ? "ARRAY<" : "MULTISET<";
      PrintTo(type.children()[0], out);
      *out += ">";
      return;
    case TypeRoot::kVector:
      *out += "VECTOR<";
      PrintTo(type.children()[0], out);
      *out += ", " + std::to_string(type.length()) + ">";
      return;
    case TypeRoot::kMap:
      *out += "MAP<";
      PrintTo(type.children()[0], out);
      *out += ", ";
      PrintTo(type.children()[1], out);
      *out += ">";
      return;
    case TypeRoot::kRow:
      *out += "ROW<";
      for (size_t i = 0; i < type.fields().size(); ++i) {
        if (i > 0) *out += ", ";
        PrintMemberName(type.fields()[i].name, out);
        *out += ": ";
        PrintTo(type.fields()[i].type, out);
      }
      *out += ">";
      return;
    default:
      *out += NameOf(type.root());
  }
}

void PrintTo(const DataType& type, std::string* out) {
  PrintUnqualified(type, out);
  if (!type.nullable()) *out += " NOT NULL";
}

}  // namespace

Result<DataType> ParseTypeText(std::string_view text) { return TypeTextReader(text).ReadAll(); }

std::string PrintTypeText(const DataType& type) {
  std::string text;
  PrintTo(type, &text);
  return text;
}

bool IsVectorElement(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return true;
    default:
      return false;
  }
}

}  // namespace reelhouse
