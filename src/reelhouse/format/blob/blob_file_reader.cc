#include "reelhouse/format/blob/blob_file_reader.h"

#include <limits>

#include <arrow/buffer.h>
#include <fmt/format.h>

#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/format/blob/blob_layout.h"

namespace reelhouse {
namespace {

Result<std::shared_ptr<arrow::Buffer>> ReadExactly(arrow::io::RandomAccessFile& file, const std::string& path,
                                                   int64_t offset_bytes, int64_t size_bytes) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, file.ReadAt(offset_bytes, size_bytes));
  if (bytes->size() != size_bytes) {
    return CorruptFile(path, offset_bytes, fmt::format("expected {} bytes, found {}", size_bytes, bytes->size()));
  }
  return bytes;
}

std::string_view View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

}  // namespace

Result<BlobFileIndex> ReadBlobFileIndex(FileStore& files, const std::string& path, int64_t file_size) {
  using namespace blob_layout;
  if (file_size < kFooterBytes) {
    return CorruptFile(path, 0,
                       fmt::format("expected at least {} bytes of a .blob file, found {}", kFooterBytes, file_size));
  }
  ARROW_ASSIGN_OR_RAISE(auto file, files.OpenInput(path));
  const int64_t footer_at = file_size - kFooterBytes;
  ARROW_ASSIGN_OR_RAISE(auto footer, ReadExactly(*file, path, footer_at, kFooterBytes));
  const auto version = footer->data()[4];
  if (version != kVersion) {
    return CorruptFile(path, file_size - 1, fmt::format(".blob version: expected {}, found {}", kVersion, version));
  }
  const auto index_bytes = static_cast<int32_t>(LoadLe32(footer->data()));
  if (index_bytes < 0 || index_bytes > footer_at) {
    return CorruptFile(path, footer_at,
                       fmt::format("index length: expected 0 to {}, found {}", footer_at, index_bytes));
  }
  const int64_t index_at = footer_at - index_bytes;
  ARROW_ASSIGN_OR_RAISE(auto index, ReadExactly(*file, path, index_at, index_bytes));
  auto decoded = DecodeDeltaVarints(View(*index));
  if (!decoded.ok()) return CorruptFile(path, index_at, "row index: " + decoded.status().message());

  BlobFileIndex rows;
  rows.lengths_bytes = std::move(decoded).ValueUnsafe();
  rows.offsets_bytes.reserve(rows.lengths_bytes.size());
  int64_t at = 0;
  for (size_t row = 0; row < rows.lengths_bytes.size(); ++row) {
    int64_t& length = rows.lengths_bytes[row];
    rows.offsets_bytes.push_back(at + kRecordHeaderBytes);
    if (length == BlobFileIndex::kNull || length == BlobFileIndex::kPlaceholder) continue;
    if (length < kRecordFrameBytes || length > index_at - at) {
      return CorruptFile(path, index_at,
                         fmt::format("record of row {} at byte {}: expected a length of {} to {}, -1 or -2, found {}",
                                     row, at, kRecordFrameBytes, index_at - at, length));
    }
    at += length;
    length -= kRecordFrameBytes;
  }
  if (at != index_at) {
    return CorruptFile(path, index_at, fmt::format("records end at byte {}, but the index starts at {}", at, index_at));
  }
  return rows;
}

}  // namespace reelhouse
