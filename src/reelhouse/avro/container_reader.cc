#include "reelhouse/avro/container_reader.h"

#include <cstring>

#include "reelhouse/avro/schema_cache.h"
#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

constexpr std::string_view kMagic{"Obj\x01", 4};
// Blocks of records without bytes: their count is bounded by nothing else.
constexpr int64_t kMostRecordsWithoutBytes = 1 << 20;

std::string_view LastPart(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

Result<AvroContainerReader> AvroContainerReader::Open(std::string_view file, std::string_view path,
                                                      AvroReadLimits limits, AvroSchemaCache* schemas) {
  AvroContainerReader reader;
  reader.file_ = file;
  reader.path_ = path;
  reader.limits_ = limits;
  ARROW_RETURN_NOT_OK(reader.ReadHeader(schemas));
  return reader;
}

Status AvroFileError(std::string_view path, int64_t offset_bytes, std::string_view where, std::string_view text) {
  std::string message(LastPart(path));
  if (!where.empty()) message.append(": ").append(where);
  ErrorFields fields;
  fields.path = path;
  if (offset_bytes >= 0) {
    message += where.empty() ? ": byte " : " at byte ";
    message += std::to_string(offset_bytes);
    fields.offset_bytes = offset_bytes;
  }
  message.append(": ").append(text);
  return MakeError(ErrorKind::kCorruptFile, std::move(message), std::move(fields));
}

Status AvroContainerReader::Error(int64_t offset_bytes, std::string_view where, std::string_view text) const {
  return AvroFileError(path_, offset_bytes, where, text);
}

Status AvroContainerReader::ErrorIn(const Block& block, int64_t record, std::string_view text) const {
  std::string message;
  if (record < block.record_count) message = "record " + std::to_string(record + 1) + ": ";
  message += text;
  return Error(block.offset_bytes, "block " + std::to_string(block.ordinal), message);
}

Status AvroContainerReader::ReadHeader(AvroSchemaCache* schemas) {
  if (file_.size() < kMagic.size() || file_.substr(0, kMagic.size()) != kMagic) {
    return Error(0, "",
                 "not an Avro file: expected the magic `Obj` 1, found " +
                     QuoteForError(file_.substr(0, std::min(file_.size(), kMagic.size()))));
  }
  AvroCursor cursor(file_.substr(kMagic.size()));
  const auto offset = [&] { return static_cast<int64_t>(file_.size()) - cursor.remaining(); };
  std::string_view schema_text;
  std::string_view codec;
  while (true) {
    int64_t count = 0;
    int64_t size_bytes = 0;
    if (!cursor.ReadBlockHead(/*min_item_bytes=*/2, &count, &size_bytes)) {
      return Error(offset(), "", "broken header: " + cursor.failure());
    }
    if (count == 0) break;
    for (int64_t i = 0; i < count; ++i) {
      std::string_view key;
      std::string_view value;
      if (!cursor.ReadBytes(&key) || !cursor.ReadBytes(&value)) {
        return Error(offset(), "", "broken header: " + cursor.failure());
      }
      if (key == "avro.schema") schema_text = value;
      if (key == "avro.codec") codec = value;
    }
  }
  if (!cursor.Take(sync_marker_.data(), sync_marker_.size())) {
    return Error(offset(), "", "broken header: the file ends before the sync marker");
  }
  at_ = static_cast<size_t>(offset());
  if (schema_text.empty()) return Error(0, "", "broken header: no `avro.schema`");
  AvroSchemaCache for_this_file;
  auto writer = (schemas != nullptr ? *schemas : for_this_file).Parse(schema_text);
  if (!writer.ok()) return Error(0, "", writer.status().message());
  writer_ = std::move(*writer);
  codec_name_ = codec.empty() ? std::string("null") : std::string(codec);
  auto made = BlockCodec::Make(codec);
  // A codec that we lack is no fault of the file.
  if (!made.ok()) return Prefixed(LastPart(path_), made.status());
  codec_ = std::move(*made);
  return Status::OK();
}

Result<std::optional<AvroContainerReader::Block>> AvroContainerReader::Next() {
  if (at_ == file_.size()) return std::nullopt;
  Block block;
  block.ordinal = ++block_ordinal_;
  block.offset_bytes = static_cast<int64_t>(at_);
  const auto fail = [&](std::string_view text) {
    return Error(block.offset_bytes, "block " + std::to_string(block.ordinal), text);
  };
  AvroCursor cursor(file_.substr(at_));
  std::string_view packed;
  if (!cursor.ReadLong(&block.record_count) || !cursor.ReadBytes(&packed)) return fail(cursor.failure());
  if (block.record_count < 0) return fail("a count of " + std::to_string(block.record_count) + " records");
  std::array<char, 16> marker;
  if (!cursor.Take(marker.data(), marker.size())) return fail("the file ends before the sync marker");
  if (marker != sync_marker_) return fail("sync marker mismatch");

  const Status unpacked = codec_->Unpack(packed, limits_.most_block_bytes, &unpacked_);
  if (!unpacked.ok()) return fail(unpacked.message());
  total_bytes_ += static_cast<int64_t>(unpacked_.size());
  if ((total_bytes_ - limits_.most_total_bytes) / limits_.most_growth > static_cast<int64_t>(file_.size())) {
    return fail("the file unpacks to more than " + std::to_string(total_bytes_) + " bytes, the most that is accepted");
  }
  const int64_t min_bytes = writer_->schema.node(writer_->schema.root()).min_bytes;
  const int64_t most_records =
      min_bytes > 0 ? static_cast<int64_t>(unpacked_.size()) / min_bytes : kMostRecordsWithoutBytes;
  if (block.record_count > most_records) {
    return fail(std::to_string(block.record_count) + " records in " + std::to_string(unpacked_.size()) + " bytes");
  }
  block.records = unpacked_;
  at_ = file_.size() - static_cast<size_t>(cursor.remaining());
  return block;
}

}  // namespace reelhouse
