#include "reelhouse/write/blob_column_writer.h"

#include <deque>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <fmt/format.h>

#include "reelhouse/base/uuid.h"
#include "reelhouse/format/blob/blob_collection.h"
#include "reelhouse/manifest/binary_row.h"

namespace reelhouse {

Result<DataFile> NewSidecar(const AppendContext& context, const std::string& path, int64_t size_bytes, int64_t rows,
                            const DataField& column) {
  DataFile entry = NewDataFile(context, path, size_bytes, rows);
  entry.write_cols = {column.name};
  const DataType types[] = {column.type};
  const std::shared_ptr<arrow::Scalar> values[] = {arrow::MakeNullScalar(column.type.ToArrow())};
  ARROW_ASSIGN_OR_RAISE(entry.value_stats.min_values, EncodeBinaryRow(types, values));
  entry.value_stats.max_values = entry.value_stats.min_values;
  // Whatever the file holds: no reader may use it (format notes, 3.3).
  entry.value_stats.null_counts = {0};
  return entry;
}

BlobColumnWriter::BlobColumnWriter(AppendContext& context, std::string folder, DataField column)
    : context_(context),
      folder_(std::move(folder)),
      column_(std::move(column)),
      uuid_(NewUuid()),
      sources_(context.files) {}

Status BlobColumnWriter::EnsureFile() {
  if (file_ != nullptr) {
    const bool is_full = file_->position_bytes() >= context_.options.target_blob_file_bytes ||
                         file_->row_count() >= context_.options.target_file_rows;
    if (!is_full || file_->row_count() == 0) return Status::OK();
    ARROW_RETURN_NOT_OK(CloseFile());
  }
  const std::string name = fmt::format("{}{}-{}.blob", context_.options.file_prefix, uuid_, next_ordinal_++);
  ARROW_ASSIGN_OR_RAISE(auto file, context_.staged.Create(folder_, name));
  file_ = std::make_unique<BlobFileWriter>(std::move(file));
  return Status::OK();
}

Status BlobColumnWriter::Write(const arrow::Array& cells, const std::set<int64_t>& literal) {
  const bool is_scalar = cells.type_id() == arrow::Type::LARGE_BINARY;
  for (int64_t row = 0; row < cells.length(); ++row) {
    if (row % 1024 == 0) ARROW_RETURN_NOT_OK(context_.CheckCancelled());
    ARROW_RETURN_NOT_OK(EnsureFile());
    if (cells.IsNull(row)) {
      ARROW_RETURN_NOT_OK(file_->AppendNull());
      continue;
    }
    const bool is_literal = literal.contains(row);
    const Status written = is_scalar
                               ? WriteCell(static_cast<const arrow::LargeBinaryArray&>(cells).GetView(row), is_literal)
                               : WriteList(cells, row, is_literal);
    ARROW_RETURN_NOT_OK(Prefixed(fmt::format("Column '{}'", column_.name), written));
  }
  return Status::OK();
}

Status BlobColumnWriter::WriteCell(std::string_view cell, bool is_literal) {
  std::optional<BlobDescriptor> reference;
  if (!is_literal) {
    ARROW_ASSIGN_OR_RAISE(reference, ReferenceIn(cell));
  }
  if (!reference) return file_->AppendValue(cell);
  ARROW_ASSIGN_OR_RAISE(const BlobSource source, sources_.Open(*reference));
  return Prefixed(reference->uri, file_->AppendValueFrom(*source.file, source.offset_bytes, source.length_bytes));
}

Status BlobColumnWriter::WriteList(const arrow::Array& cells, int64_t row, bool is_literal) {
  const auto& lists = static_cast<const arrow::ListArray&>(cells);
  const bool is_map = cells.type_id() == arrow::Type::MAP;
  const auto& values = is_map ? static_cast<const arrow::MapArray&>(cells).items() : lists.values();
  const auto& elements = static_cast<const arrow::LargeBinaryArray&>(*values);
  const int64_t begin = lists.value_offset(row);
  const int64_t end = begin + lists.value_length(row);

  std::deque<std::string> copied;  // keeps the content of references in place
  std::vector<std::optional<std::string_view>> contents;
  for (int64_t k = begin; k < end; ++k) {
    if (elements.IsNull(k)) {
      contents.emplace_back();
      continue;
    }
    std::optional<BlobDescriptor> reference;
    if (!is_literal) {
      ARROW_ASSIGN_OR_RAISE(reference, ReferenceIn(elements.GetView(k)));
    }
    if (!reference) {
      contents.emplace_back(elements.GetView(k));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const BlobSource source, sources_.Open(*reference));
    ARROW_ASSIGN_OR_RAISE(const auto bytes, source.file->ReadAt(source.offset_bytes, source.length_bytes));
    if (bytes->size() != source.length_bytes) {
      return Status::IOError(reference->uri, ": expected ", source.length_bytes, " bytes, found ", bytes->size());
    }
    copied.push_back(bytes->ToString());
    contents.emplace_back(copied.back());
  }
  if (!is_map) return file_->AppendValue(EncodeBlobArray(contents));

  const auto& keys = static_cast<const arrow::MapArray&>(cells).keys();
  std::vector<std::optional<std::string>> stored_keys;
  std::set<std::string_view> seen;
  for (int64_t k = begin; k < end; ++k) {
    ARROW_ASSIGN_OR_RAISE(const auto key, keys->GetScalar(k));
    ARROW_ASSIGN_OR_RAISE(auto bytes, EncodeBlobMapKey(*key));
    stored_keys.emplace_back(std::move(bytes));
  }
  for (const auto& key : stored_keys) {
    if (!seen.insert(*key).second) return Status::Invalid("a map has one key twice; keys must be unique");
  }
  return file_->AppendValue(EncodeBlobMap(stored_keys, contents));
}

Status BlobColumnWriter::CloseFile() {
  if (file_ == nullptr) return Status::OK();
  const std::string path = file_->path();
  const int64_t rows = file_->row_count();
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, file_->Finish());
  file_.reset();
  ARROW_ASSIGN_OR_RAISE(DataFile entry, NewSidecar(context_, path, size_bytes, rows, column_));
  finished_.push_back(std::move(entry));
  finished_paths_.push_back(path);
  return Status::OK();
}

Result<std::vector<DataFile>> BlobColumnWriter::Finish() {
  ARROW_RETURN_NOT_OK(CloseFile());
  finished_paths_.clear();
  return std::exchange(finished_, {});
}

Status BlobColumnWriter::Discard() {
  if (file_ != nullptr) finished_paths_.push_back(file_->path());
  file_.reset();
  for (const std::string& path : finished_paths_) ARROW_RETURN_NOT_OK(context_.staged.Drop(path));
  finished_paths_.clear();
  finished_.clear();
  return Status::OK();
}

}  // namespace reelhouse
