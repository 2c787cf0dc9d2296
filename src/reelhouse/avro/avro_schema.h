#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse {

enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed,
};

std::string_view NameOf(AvroKind kind);

/// A schema of Avro's specification as a graph: nodes name each other by number, so that records may contain
/// themselves. A value, immutable after Parse.
class AvroSchema {
 public:
  struct Field {
    std::string name;
    int node = 0;
  };

  struct Node {
    AvroKind kind = AvroKind::kNull;
    std::string name;                  ///< full name of a record, enum or fixed
    std::string logical_type;          ///< empty if there is none
    std::vector<Field> fields;         ///< of a record
    std::vector<int> children;         ///< branches of a union, items of an array, values of a map
    std::vector<std::string> symbols;  ///< of an enum
    int64_t fixed_size = 0;
    /// The fewest bytes that a value takes. 0 means that no value takes any, so counts of them prove nothing.
    int64_t min_bytes = 0;
  };

  /// From the JSON text of a schema. Errors are Invalid and say which type or field is wrong.
  static Result<AvroSchema> Parse(std::string_view json);

  int root() const { return root_; }
  const Node& node(int number) const { return nodes_[number]; }
  int node_count() const { return static_cast<int>(nodes_.size()); }

  /// True if values of both are the same bytes, and fields of records have the same names. Names of types, defaults and
  /// logical types may differ.
  bool EncodesLike(const AvroSchema& other) const;

  /// What a node is, for errors: `long`, `union of null and string`, `record ManifestEntry`.
  std::string Describe(int number) const;

 private:
  friend class AvroSchemaParser;
  bool EncodesLike(int number, const AvroSchema& other, int other_number, int depth) const;

  std::vector<Node> nodes_;
  int root_ = 0;
};

}  // namespace reelhouse
