#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/avro/container_reader.h"
#include "reelhouse/avro/schema_cache.h"
#include "reelhouse/avro/value_reader.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// The records of a container in memory, unpacked but not decoded. A value.
struct AvroUnpackedRecords {
  struct Block {
    int64_t ordinal = 0;  ///< from 1
    int64_t offset_bytes = 0;
    int64_t record_count = 0;
    size_t begin = 0;  ///< in `bytes`
    size_t size_bytes = 0;
  };

  std::string path;
  AvroWriterSchemaPtr writer;
  std::string bytes;
  std::vector<Block> blocks;

  std::string_view BytesOf(const Block& block) const {
    return std::string_view(bytes).substr(block.begin, block.size_bytes);
  }

  /// The failure of decoding `record` (from 0) of `block`, as AvroContainerReader::ErrorIn has it.
  Status ErrorIn(const Block& block, int64_t record, std::string_view text) const;
};

/// Errors are those of AvroContainerReader. `schemas` may be null.
Result<AvroUnpackedRecords> UnpackAvroRecords(std::string_view file, std::string_view path, AvroSchemaCache* schemas,
                                              AvroReadLimits limits = {});

/// Decodes the records of `block` one by one into `record` and calls `visit(begin)` after each, with the place of the
/// record in the bytes; the failure of a visit is returned as it is.
template <typename R, typename Visit>
Status DecodeAvroBlock(const AvroUnpackedRecords& records, const AvroUnpackedRecords::Block& block,
                       const AvroValueReader<R>& reader, R* record, Visit visit) {
  AvroCursor cursor(records.BytesOf(block));
  for (int64_t i = 0; i < block.record_count; ++i) {
    const char* begin = cursor.at();
    if (!reader.Read(cursor, record)) return records.ErrorIn(block, i, cursor.failure());
    ARROW_RETURN_NOT_OK(visit(begin));
  }
  if (cursor.remaining() == 0) return Status::OK();
  return records.ErrorIn(block, block.record_count,
                         std::to_string(cursor.remaining()) + " bytes behind the last record");
}

}  // namespace reelhouse
