#include "reelhouse/avro/container_writer.h"

#include <utility>

#include "reelhouse/base/uuid.h"

namespace reelhouse {
namespace {

// What pypaimon asks for; a block is closed by the record that reaches it.
constexpr size_t kBlockBytes = 16000;

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// The bits of a UUID are random enough that the marker never lies inside the data.
std::string NewSyncMarker() {
  std::string digits;
  for (char c : NewUuid()) {
    if (c != '-') digits.push_back(c);
  }
  std::string marker;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    marker.push_back(static_cast<char>(HexDigit(digits[i]) << 4 | HexDigit(digits[i + 1])));
  }
  return marker;
}

}  // namespace

Result<AvroContainerWriter> AvroContainerWriter::Make(std::string_view schema_json, std::string_view codec_name) {
  AvroContainerWriter writer;
  ARROW_ASSIGN_OR_RAISE(writer.codec_, BlockCodec::Make(codec_name));
  writer.sync_marker_ = NewSyncMarker();
  AvroEncoder header;
  header.PutLong(2);
  header.PutBytes("avro.codec");
  header.PutBytes(codec_name);
  header.PutBytes("avro.schema");
  header.PutBytes(schema_json);
  header.PutLong(0);
  writer.file_.append("Obj\x01").append(header.bytes()).append(writer.sync_marker_);
  return writer;
}

Status AvroContainerWriter::EndRecord() {
  ++block_records_;
  return block_.bytes().size() >= kBlockBytes ? FlushBlock() : Status::OK();
}

Status AvroContainerWriter::PutRecords(std::string_view encoded, int64_t record_count) {
  block_.PutRaw(encoded);
  block_records_ += record_count;
  return block_.bytes().size() >= kBlockBytes ? FlushBlock() : Status::OK();
}

Status AvroContainerWriter::FlushBlock() {
  if (block_records_ == 0) return Status::OK();
  ARROW_RETURN_NOT_OK(codec_->Pack(block_.bytes(), &packed_));
  AvroEncoder head;
  head.PutLong(block_records_);
  head.PutLong(static_cast<int64_t>(packed_.size()));
  file_.append(head.bytes()).append(packed_).append(sync_marker_);
  block_.Clear();
  block_records_ = 0;
  return Status::OK();
}

Result<std::string> AvroContainerWriter::Finish() {
  ARROW_RETURN_NOT_OK(FlushBlock());
  return std::move(file_);
}

}  // namespace reelhouse
