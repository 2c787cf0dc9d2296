#include "reelhouse/write/blob_cell.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <fmt/format.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/format/video/video_frame_descriptor.h"

namespace reelhouse {
namespace {

constexpr std::string_view kViewFields = "blob-view-field";

std::string Where(const std::string& column, int64_t row) { return fmt::format("Column '{}', row {}", column, row); }

// A BlobView (format notes, 5.5), exactly.
bool IsBlobView(std::string_view cell) {
  constexpr uint64_t kMagic = 0x424C4F4256494557;
  constexpr size_t kHeaderBytes = 13;
  constexpr size_t kTrailerBytes = 12;
  if (cell.size() < kHeaderBytes + kTrailerBytes || cell[0] != 1 || LoadLe64(cell.data() + 1) != kMagic) return false;
  return LoadLe32(cell.data() + 9) == cell.size() - kHeaderBytes - kTrailerBytes;
}

Status CheckInlineCells(const arrow::LargeBinaryArray& cells, const std::string& column, bool is_view) {
  for (int64_t row = 0; row < cells.length(); ++row) {
    if (cells.IsNull(row)) continue;
    const std::string_view cell = cells.GetView(row);
    if (is_view ? IsBlobView(cell) : BlobDescriptor::Parse(cell).has_value()) continue;
    return Status::Invalid(is_view
                               ? "blob-view-field requires blob field value to be a serialized BlobView."
                               : "blob-descriptor-field requires blob field value to be a serialized BlobDescriptor.",
                           " (", Where(column, row), ")");
  }
  return Status::OK();
}

// Checks one cell after another; what was found good once is not asked again.
class ReferenceCheck {
 public:
  ReferenceCheck(const std::string& column, const ReferencePolicy& policy, BlobSources& sources)
      : column_(column), policy_(policy), sources_(sources) {}

  Status Check(std::string_view cell, int64_t row) {
    auto reference = ReferenceIn(cell);
    if (!reference.ok()) return Prefixed(Where(column_, row), reference.status());
    if (!*reference) return Status::OK();
    const BlobDescriptor& descriptor = **reference;
    if (!allowed_.contains(descriptor.uri)) {
      ARROW_RETURN_NOT_OK(policy_.Check(descriptor.uri, column_, row));
      allowed_.insert(descriptor.uri);
    }
    return Prefixed(Where(column_, row), sources_.Open(descriptor).status());
  }

 private:
  const std::string& column_;
  const ReferencePolicy& policy_;
  BlobSources& sources_;
  std::unordered_set<std::string> allowed_;
};

Status CheckReferences(const arrow::Array& column, const std::set<int64_t>* literal, ReferenceCheck& check) {
  const auto is_literal = [&](int64_t row) { return literal != nullptr && literal->contains(row); };
  if (column.type_id() == arrow::Type::LARGE_BINARY) {
    const auto& cells = static_cast<const arrow::LargeBinaryArray&>(column);
    for (int64_t row = 0; row < cells.length(); ++row) {
      if (cells.IsValid(row) && !is_literal(row)) ARROW_RETURN_NOT_OK(check.Check(cells.GetView(row), row));
    }
    return Status::OK();
  }
  // ARRAY and MAP are both lists in Arrow; the blobs of a map are its items.
  const auto& lists = static_cast<const arrow::ListArray&>(column);
  const auto values =
      column.type_id() == arrow::Type::MAP ? static_cast<const arrow::MapArray&>(column).items() : lists.values();
  const auto& elements = static_cast<const arrow::LargeBinaryArray&>(*values);
  for (int64_t row = 0; row < lists.length(); ++row) {
    if (lists.IsNull(row) || is_literal(row)) continue;
    for (int64_t k = lists.value_offset(row); k < lists.value_offset(row) + lists.value_length(row); ++k) {
      if (elements.IsValid(k)) ARROW_RETURN_NOT_OK(check.Check(elements.GetView(k), row));
    }
  }
  return Status::OK();
}

}  // namespace

Result<std::optional<BlobDescriptor>> ReferenceIn(std::string_view cell) {
  if (auto descriptor = BlobDescriptor::Parse(cell)) return descriptor;
  if (const auto frame = VideoFrameDescriptor::Parse(cell)) return frame->payload();
  if (BlobDescriptor::HasMagic(cell) || VideoFrameDescriptor::HasMagic(cell)) {
    return Status::Invalid(
        "the bytes begin like a serialized descriptor but are none; pass a Blob to store them as they are");
  }
  return std::nullopt;
}

Result<BlobSource> BlobSources::Open(const BlobDescriptor& reference) {
  if (file_ == nullptr || uri_ != reference.uri) {
    file_.reset();
    ARROW_ASSIGN_OR_RAISE(file_, files_->OpenInput(reference.uri));
    uri_ = reference.uri;
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file_->GetSize());
  const int64_t available = std::max<int64_t>(size - reference.offset_bytes, 0);
  if (reference.length_bytes > available || reference.offset_bytes > size) {
    return Status::Invalid(fmt::format("{}: expected {} bytes, found {} (from byte {})", reference.uri,
                                       std::max<int64_t>(reference.length_bytes, 0), available,
                                       reference.offset_bytes));
  }
  return BlobSource{file_, reference.offset_bytes, reference.length_bytes < 0 ? available : reference.length_bytes};
}

Status CheckBlobCells(const RowBatch& batch, const TableSchema& schema, const ReferencePolicy& references,
                      BlobSources& sources) {
  for (const DataField& field : schema.fields) {
    if (!field.type.IsBlobLike()) continue;
    const auto column = batch.columns->GetColumnByName(field.name);
    if (column == nullptr) continue;  // a video column
    const ColumnStorage storage = schema.StorageOf(field);
    if (storage == ColumnStorage::kNormal) {
      const auto views = schema.options.GetList(kViewFields);
      const bool is_view = std::find(views.begin(), views.end(), field.name) != views.end();
      ARROW_RETURN_NOT_OK(CheckInlineCells(static_cast<const arrow::LargeBinaryArray&>(*column), field.name, is_view));
      continue;
    }
    const auto literal = batch.literal_blobs.find(field.name);
    ReferenceCheck check(field.name, references, sources);
    ARROW_RETURN_NOT_OK(
        CheckReferences(*column, literal == batch.literal_blobs.end() ? nullptr : &literal->second, check));
  }
  return Status::OK();
}

}  // namespace reelhouse
