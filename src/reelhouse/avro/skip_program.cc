#include "reelhouse/avro/skip_program.h"

#include <string>

namespace reelhouse {

SkipProgram::SkipProgram(const AvroSchema& schema) : programs_(schema.node_count()) {
  for (int node = 0; node < schema.node_count(); ++node) {
    const AvroSchema::Node& type = schema.node(node);
    Program& program = programs_[node];
    program.min_bytes = type.min_bytes;
    if (type.kind == AvroKind::kRecord) {
      // Records inside are called, not copied in: types that use each other many times would grow without bound.
      for (const AvroSchema::Field& field : type.fields) AppendType(schema, field.node, program);
    } else {
      AppendType(schema, node, program);
    }
    if (type.kind == AvroKind::kUnion) program.branches = type.children;
  }
}

void SkipProgram::Append(Program& program, Operation operation, int64_t amount) {
  const bool joins = operation == Operation::kNumbers || operation == Operation::kBytes;
  if (joins && !program.steps.empty() && program.steps.back().operation == operation) {
    program.steps.back().amount += amount;
  } else {
    program.steps.push_back({operation, amount});
  }
}

SkipProgram::Operation SkipProgram::OperationOfUnion(const AvroSchema& schema, const AvroSchema::Node& type) {
  if (type.children.size() != 2 || schema.node(type.children[0]).kind != AvroKind::kNull) return Operation::kUnion;
  switch (schema.node(type.children[1]).kind) {
    case AvroKind::kInt:
    case AvroKind::kLong:
      return Operation::kNullableNumber;
    case AvroKind::kBytes:
    case AvroKind::kString:
      return Operation::kNullableBytes;
    default:
      return Operation::kUnion;
  }
}

void SkipProgram::AppendType(const AvroSchema& schema, int node, Program& program) {
  const AvroSchema::Node& type = schema.node(node);
  switch (type.kind) {
    case AvroKind::kNull:
      return;
    case AvroKind::kBoolean:
      return Append(program, Operation::kBytes, 1);
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      return Append(program, Operation::kNumbers, 1);
    case AvroKind::kFloat:
      return Append(program, Operation::kBytes, 4);
    case AvroKind::kDouble:
      return Append(program, Operation::kBytes, 8);
    case AvroKind::kFixed:
      return Append(program, Operation::kBytes, type.fixed_size);
    case AvroKind::kBytes:
    case AvroKind::kString:
      return Append(program, Operation::kLengthBytes, 0);
    case AvroKind::kArray:
      return Append(program, Operation::kArray, type.children.front());
    case AvroKind::kMap:
      return Append(program, Operation::kMap, type.children.front());
    case AvroKind::kUnion:
      return Append(program, OperationOfUnion(schema, type), node);
    case AvroKind::kRecord:
      return Append(program, Operation::kCall, node);
  }
}

bool SkipProgram::Skip(AvroCursor& cursor, int node) const {
  if (!cursor.Enter()) return false;
  for (const Step& step : programs_[node].steps) {
    switch (step.operation) {
      case Operation::kNumbers:
        for (int64_t i = 0; i < step.amount; ++i) {
          if (!cursor.SkipNumber()) return false;
        }
        break;
      case Operation::kBytes:
        if (!cursor.Skip(step.amount)) return false;
        break;
      case Operation::kLengthBytes: {
        std::string_view ignored;
        if (!cursor.ReadBytes(&ignored)) return false;
        break;
      }
      case Operation::kArray:
      case Operation::kMap:
        if (!SkipBlocks(cursor, static_cast<int>(step.amount), step.operation == Operation::kMap)) return false;
        break;
      case Operation::kNullableNumber:
      case Operation::kNullableBytes: {
        int64_t branch = 0;
        if (!cursor.ReadLong(&branch)) return false;
        if (branch == 0) break;
        if (branch != 1) return cursor.Fail("branch " + std::to_string(branch) + " of a union of 2");
        std::string_view ignored;
        if (step.operation == Operation::kNullableNumber ? !cursor.SkipNumber() : !cursor.ReadBytes(&ignored)) {
          return false;
        }
        break;
      }
      case Operation::kUnion: {
        const std::vector<int>& branches = programs_[step.amount].branches;
        int64_t branch = 0;
        if (!cursor.ReadLong(&branch)) return false;
        if (branch < 0 || branch >= static_cast<int64_t>(branches.size())) {
          return cursor.Fail("branch " + std::to_string(branch) + " of a union of " + std::to_string(branches.size()));
        }
        if (!Skip(cursor, branches[branch])) return false;
        break;
      }
      case Operation::kCall:
        if (!Skip(cursor, static_cast<int>(step.amount))) return false;
        break;
    }
  }
  cursor.Leave();
  return true;
}

bool SkipProgram::SkipBlocks(AvroCursor& cursor, int items, bool with_keys) const {
  const int64_t min_item_bytes = programs_[items].min_bytes + (with_keys ? 1 : 0);
  while (true) {
    int64_t count = 0;
    int64_t size_bytes = 0;
    if (!cursor.ReadBlockHead(min_item_bytes, &count, &size_bytes)) return false;
    if (count == 0) return true;
    if (size_bytes >= 0) {
      if (!cursor.Skip(size_bytes)) return false;
      continue;
    }
    if (min_item_bytes == 0) continue;  // items without bytes: any count of them is skipped by standing still
    for (int64_t i = 0; i < count; ++i) {
      std::string_view key;
      if (with_keys && !cursor.ReadBytes(&key)) return false;
      if (!Skip(cursor, items)) return false;
    }
  }
}

}  // namespace reelhouse
