#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/avro/container_reader.h"
#include "reelhouse/manifest/manifest_layout.h"

namespace {

using namespace reelhouse;

// A container of one unpacked block, so that mutations reach the records and not only the framing.
std::string Container(std::string_view schema, std::string_view records) {
  AvroEncoder out;
  out.PutLong(1);
  out.PutBytes("avro.schema");
  out.PutBytes(schema);
  out.PutLong(0);
  const std::string marker(16, '#');
  AvroEncoder block;
  block.PutLong(1);
  block.PutBytes(records);
  return "Obj\x01" + out.bytes() + marker + block.bytes() + marker;
}

template <typename R>
void CheckComesBack(const Result<std::vector<R>>& records, std::string_view schema,
                    Result<std::vector<R>> (*decode)(std::string_view, std::string_view)) {
  if (!records.ok()) return;
  auto writer = AvroContainerWriter::Make(schema, "null");
  if (!writer.ok()) std::abort();
  for (const R& record : *records) {
    if (!PutRecord(*writer, record).ok()) std::abort();
  }
  auto again = decode(*writer->Finish(), "again");
  if (!again.ok() || *again != *records) std::abort();
}

// Skips a record of any schema.
void SkipRecord(std::string_view data) {
  if (data.empty()) return;
  const size_t schema_size = std::min<size_t>(static_cast<uint8_t>(data[0]) * size_t{8}, data.size() - 1);
  auto schema = AvroSchema::Parse(data.substr(1, schema_size));
  if (!schema.ok()) return;
  const AvroWriterSchema writer(*std::move(schema));
  AvroCursor cursor(data.substr(1 + schema_size));
  (void)writer.skip.Skip(cursor, writer.schema.root());
}

}  // namespace

// Any bytes are refused or read; records that were read are written and come back equal. The first byte says what the
// rest is: a manifest list, a manifest, an index manifest, a record of one of the three, or a schema and a record.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'l':
      CheckComesBack(DecodeManifestList(rest, "file"), kManifestListSchema, &DecodeManifestList);
      break;
    case 'm':
      CheckComesBack(DecodeManifest(rest, "file"), kManifestSchema, &DecodeManifest);
      break;
    case 'i':
      CheckComesBack(DecodeIndexManifest(rest, "file"), kIndexManifestSchema, &DecodeIndexManifest);
      break;
    case 'L':
      CheckComesBack(DecodeManifestList(Container(kManifestListSchema, rest), "file"), kManifestListSchema,
                     &DecodeManifestList);
      break;
    case 'M':
      CheckComesBack(DecodeManifest(Container(kManifestSchema, rest), "file"), kManifestSchema, &DecodeManifest);
      break;
    case 'I':
      CheckComesBack(DecodeIndexManifest(Container(kIndexManifestSchema, rest), "file"), kIndexManifestSchema,
                     &DecodeIndexManifest);
      break;
    default:
      SkipRecord(rest);
      break;
  }
  return 0;
}
