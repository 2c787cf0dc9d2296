#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reelhouse/avro/block_codec.h"
#include "reelhouse/avro/value_reader.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// Bounds on what a file may make us allocate.
struct AvroReadLimits {
  int64_t most_block_bytes = 256 << 20;
  /// All blocks together may unpack to this much, plus `most_growth` times the size of the file.
  int64_t most_total_bytes = 256 << 20;
  int64_t most_growth = 1024;
};

class AvroSchemaCache;

/// A failure of the container `path`; an offset below 0 is not told.
Status AvroFileError(std::string_view path, int64_t offset_bytes, std::string_view where, std::string_view text);

/// Pulls the blocks out of an Avro object container in memory. The bytes must outlive it. Errors are CorruptFile and
/// begin with the name of the file: `manifest-list-3: block 2 at byte 8192: sync marker mismatch`. Not thread safe.
class AvroContainerReader {
 public:
  struct Block {
    int64_t ordinal = 0;  ///< from 1
    int64_t offset_bytes = 0;
    int64_t record_count = 0;
    std::string_view records;  ///< unpacked; valid until the next call of Next
  };

  /// `path` is for errors; their text names its last part. The schema is looked up in `schemas`, if given.
  static Result<AvroContainerReader> Open(std::string_view file, std::string_view path, AvroReadLimits limits = {},
                                          AvroSchemaCache* schemas = nullptr);

  const AvroWriterSchemaPtr& writer() const { return writer_; }
  const std::string& codec_name() const { return codec_name_; }

  /// Nothing at the end of the file.
  Result<std::optional<Block>> Next();

  /// The failure of decoding `record` (from 0) of `block`.
  Status ErrorIn(const Block& block, int64_t record, std::string_view text) const;
  /// A failure of the file as a whole.
  Status Error(int64_t offset_bytes, std::string_view where, std::string_view text) const;

 private:
  AvroContainerReader() = default;
  Status ReadHeader(AvroSchemaCache* schemas);

  std::string_view file_;
  std::string path_;
  AvroReadLimits limits_;
  size_t at_ = 0;
  std::array<char, 16> sync_marker_{};
  std::string codec_name_;
  std::unique_ptr<BlockCodec> codec_;
  AvroWriterSchemaPtr writer_;
  int64_t block_ordinal_ = 0;
  int64_t total_bytes_ = 0;
  std::string unpacked_;
};

/// All records of a container as structs that `AvroFieldsOf` describes.
template <typename R>
Result<std::vector<R>> ReadAvroRecords(std::string_view file, std::string_view path, AvroReadLimits limits = {}) {
  ARROW_ASSIGN_OR_RAISE(auto container, AvroContainerReader::Open(file, path, limits));
  auto reader = MakeAvroValueReader<R>(container.writer(), container.writer()->schema.root());
  if (!reader.ok()) return container.Error(-1, "", reader.status().message());
  std::vector<R> records;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto block, container.Next());
    if (!block) return records;
    AvroCursor cursor(block->records);
    for (int64_t i = 0; i < block->record_count; ++i) {
      if (!(*reader)->Read(cursor, &records.emplace_back())) return container.ErrorIn(*block, i, cursor.failure());
    }
    if (cursor.remaining() > 0) {
      return container.ErrorIn(*block, block->record_count,
                               std::to_string(cursor.remaining()) + " bytes behind the last record");
    }
  }
}

}  // namespace reelhouse
