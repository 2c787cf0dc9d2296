#pragma once

#include <cstdint>
#include <vector>

#include "reelhouse/avro/avro_cursor.h"
#include "reelhouse/avro/avro_schema.h"

namespace reelhouse {

/// How to step over values of each type of a schema: short programs in which numbers and fixed bytes that follow each
/// other are one step. Immutable; does not refer to the schema.
class SkipProgram {
 public:
  explicit SkipProgram(const AvroSchema& schema);

  /// Moves the cursor behind a value of the type `node`.
  bool Skip(AvroCursor& cursor, int node) const;

 private:
  enum class Operation : uint8_t {
    kNumbers,         ///< `amount` varints
    kBytes,           ///< `amount` bytes
    kLengthBytes,     ///< a length and that many bytes
    kArray,           ///< blocks of items of type `amount`
    kMap,             ///< blocks of a text and a value of type `amount`
    kNullableNumber,  ///< null, or a number
    kNullableBytes,   ///< null, or a length and that many bytes
    kUnion,           ///< a branch number, then a value of that branch of type `amount`
    kCall,            ///< a record of type `amount`
  };
  struct Step {
    Operation operation;
    int64_t amount;
  };
  struct Program {
    std::vector<Step> steps;
    std::vector<int> branches;
    int64_t min_bytes = 0;
  };

  static void Append(Program& program, Operation operation, int64_t amount);
  static Operation OperationOfUnion(const AvroSchema& schema, const AvroSchema::Node& type);
  static void AppendType(const AvroSchema& schema, int node, Program& program);
  bool SkipBlocks(AvroCursor& cursor, int items, bool with_keys) const;

  std::vector<Program> programs_;  // by node
};

}  // namespace reelhouse
