#include "reelhouse/avro/unpacked_records.h"

namespace reelhouse {

Status AvroUnpackedRecords::ErrorIn(const Block& block, int64_t record, std::string_view text) const {
  std::string message;
  if (record < block.record_count) message = "record " + std::to_string(record + 1) + ": ";
  message += text;
  return AvroFileError(path, block.offset_bytes, "block " + std::to_string(block.ordinal), message);
}

Result<AvroUnpackedRecords> UnpackAvroRecords(std::string_view file, std::string_view path, AvroSchemaCache* schemas,
                                              AvroReadLimits limits) {
  ARROW_ASSIGN_OR_RAISE(auto container, AvroContainerReader::Open(file, path, limits, schemas));
  AvroUnpackedRecords unpacked;
  unpacked.path = path;
  unpacked.writer = container.writer();
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto block, container.Next());
    if (!block) return unpacked;
    unpacked.blocks.push_back({.ordinal = block->ordinal,
                               .offset_bytes = block->offset_bytes,
                               .record_count = block->record_count,
                               .begin = unpacked.bytes.size(),
                               .size_bytes = block->records.size()});
    unpacked.bytes.append(block->records);
  }
}

}  // namespace reelhouse
