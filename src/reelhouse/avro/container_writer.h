#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "reelhouse/avro/avro_encoder.h"
#include "reelhouse/avro/block_codec.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// Builds an Avro object container in memory, for files of a few megabytes. Records are encoded by the caller:
/// `writer.record().PutLong(..)...; writer.EndRecord()`. Not thread safe.
class AvroContainerWriter {
 public:
  /// `codec_name` is a name of BlockCodec.
  static Result<AvroContainerWriter> Make(std::string_view schema_json, std::string_view codec_name);

  AvroEncoder& record() { return block_; }
  Status EndRecord();
  /// Records that are encoded already, in the same schema.
  Status PutRecords(std::string_view encoded, int64_t record_count);

  /// Size of the file so far, without the block that is being filled.
  int64_t flushed_bytes() const { return static_cast<int64_t>(file_.size()); }

  /// The whole file. Exactly once, as the last call.
  Result<std::string> Finish();

 private:
  AvroContainerWriter() = default;
  Status FlushBlock();

  std::string file_;
  std::string sync_marker_;
  std::unique_ptr<BlockCodec> codec_;
  AvroEncoder block_;
  int64_t block_records_ = 0;
  std::string packed_;
};

}  // namespace reelhouse
