#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// Payload of an ARRAY<BLOB> row (format notes, 5.2): elements, nothing for NULL.
std::string EncodeBlobArray(const std::vector<std::optional<std::string_view>>& elements);

/// Where the elements of an ARRAY<BLOB> payload lie, relative to its start; length -1 = NULL.
struct BlobElement {
  int64_t offset_bytes = 0;
  int64_t length_bytes = -1;
};
Result<std::vector<BlobElement>> DecodeBlobArray(std::string_view payload, std::string_view path);

/// Payload of a MAP<K, BLOB> row (5.3). Keys are already in their stored bytes (see EncodeBlobMapKey).
std::string EncodeBlobMap(const std::vector<std::optional<std::string>>& keys,
                          const std::vector<std::optional<std::string_view>>& values);

struct BlobMap {
  std::vector<std::optional<std::string>> keys;
  std::vector<BlobElement> values;
};
Result<BlobMap> DecodeBlobMap(std::string_view payload, std::string_view path);

/// Stored bytes of a map key, and back; `type` is the Arrow type of the key column (format notes, 5.3).
Result<std::string> EncodeBlobMapKey(const arrow::Scalar& key);
Result<std::shared_ptr<arrow::Scalar>> DecodeBlobMapKey(std::string_view bytes,
                                                        const std::shared_ptr<arrow::DataType>& type);

}  // namespace reelhouse
