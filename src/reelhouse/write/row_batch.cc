#include "reelhouse/write/row_batch.h"

#include <arrow/buffer.h>
#include <fmt/format.h>

#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse {

std::string VideoPayload::Identity() const {
  if (bytes != nullptr) {
    return fmt::format("memory:{}\n{}\n{}", static_cast<const void*>(bytes->data()), offset_bytes, length_bytes);
  }
  return fmt::format("{}\n{}\n{}", location, offset_bytes, length_bytes);
}

Status ReferencePolicy::Check(const std::string& uri, std::string_view column, int64_t row) const {
  if (trusted_uris.contains(uri)) return Status::OK();
  for (const std::string& root : roots) {
    ARROW_ASSIGN_OR_RAISE(const bool is_inside, LiesUnder(uri, root));
    if (is_inside) return Status::OK();
  }
  return Status::Invalid("Column '", column, "', row ", row, ": these bytes are a serialized descriptor that names ",
                         QuoteForError(uri, 200),
                         ", outside the warehouse and 'reelhouse.external-roots'. Pass a "
                         "descriptor object to copy from there, or a Blob to store the bytes themselves.");
}

}  // namespace reelhouse
