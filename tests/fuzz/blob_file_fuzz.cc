// Whatever the bytes, the reader of `.blob` files and of the arrays and maps in them refuses them or gives ranges that
// lie inside them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <arrow/api.h>

#include "reelhouse/format/blob/blob_collection.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "tests/support/bytes_file_store.h"

namespace {

void CheckElements(const std::vector<reelhouse::BlobElement>& elements, std::string_view payload) {
  for (const auto& element : elements) {
    if (element.length_bytes < -1 || element.offset_bytes < 0) std::abort();
    if (element.length_bytes > static_cast<int64_t>(payload.size()) - element.offset_bytes) std::abort();
  }
}

void CheckCollections(std::string_view payload) {
  const auto elements = reelhouse::DecodeBlobArray(payload, "fuzz.blob");
  if (elements.ok()) CheckElements(*elements, payload);
  const auto map = reelhouse::DecodeBlobMap(payload, "fuzz.blob");
  if (!map.ok()) return;
  CheckElements(map->values, payload);
  if (map->keys.size() != map->values.size()) std::abort();
  for (const auto& key : map->keys) {
    if (!key) continue;
    for (const auto& type : {arrow::utf8(), arrow::int32(), arrow::boolean(), arrow::decimal128(30, 2)}) {
      (void)reelhouse::DecodeBlobMapKey(*key, type);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckCollections(bytes);
  reelhouse::BytesFileStore files(bytes);
  const auto index = reelhouse::ReadBlobFileIndex(files, "fuzz.blob", static_cast<int64_t>(size));
  if (!index.ok()) return 0;
  if (index->offsets_bytes.size() != index->lengths_bytes.size()) std::abort();
  for (size_t row = 0; row < index->lengths_bytes.size(); ++row) {
    const int64_t length = index->lengths_bytes[row];
    if (length < 0) continue;
    const int64_t offset = index->offsets_bytes[row];
    if (offset < 0 || length > static_cast<int64_t>(size) - offset) std::abort();
    CheckCollections(bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(length)));
  }
  return 0;
}
