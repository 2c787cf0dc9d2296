#include "reelhouse/read/split_columns_reader.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/read/blob_content.h"

namespace reelhouse {
namespace {

// Stored descriptors may be of wire version 1, which does not show what it is; version 2 does.
Result<std::shared_ptr<arrow::Array>> WithDescriptorsOfVersion2(const std::shared_ptr<arrow::Array>& cells) {
  const auto& stored = static_cast<const arrow::LargeBinaryArray&>(*cells);
  arrow::LargeBinaryBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(stored.length()));
  for (int64_t i = 0; i < stored.length(); ++i) {
    if (stored.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    Result<BlobDescriptor> descriptor = BlobDescriptor::Deserialize(stored.GetView(i));
    // What is no descriptor is content already.
    ARROW_RETURN_NOT_OK(descriptor.ok() ? builder.Append(descriptor->Serialize()) : builder.Append(stored.GetView(i)));
  }
  return builder.Finish();
}

// `values` with `fallback` where they are NULL.
Result<std::shared_ptr<arrow::Array>> WithFallback(const std::shared_ptr<arrow::Array>& values,
                                                   const arrow::Scalar& fallback) {
  if (values->null_count() == 0) return values;
  const auto& numbers = static_cast<const arrow::Int64Array&>(*values);
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(numbers.length()));
  const int64_t other = static_cast<const arrow::Int64Scalar&>(fallback).value;
  for (int64_t i = 0; i < numbers.length(); ++i) builder.UnsafeAppend(numbers.IsNull(i) ? other : numbers.Value(i));
  return builder.Finish();
}

RowSpan RowsOf(const ManifestEntry& entry, const Split& split) {
  return {entry.file.first_row_id.value_or(split.first_row_id) - split.first_row_id, entry.file.row_count};
}

}  // namespace

SplitColumnsReader::SplitColumnsReader(std::shared_ptr<const SplitReadContext> context, const Split& split)
    : context_(std::move(context)), first_row_id_(split.first_row_id) {}

Result<std::unique_ptr<SplitColumnsReader>> SplitColumnsReader::Make(std::shared_ptr<const SplitReadContext> context,
                                                                     const Split& split) {
  std::unique_ptr<SplitColumnsReader> reader(new SplitColumnsReader(std::move(context), split));
  ARROW_RETURN_NOT_OK(reader->Resolve(split));
  return reader;
}

Status SplitColumnsReader::Resolve(const Split& split) {
  ARROW_ASSIGN_OR_RAISE(SplitColumns columns, SplitColumns::Of(split, *context_->schemas));
  for (const ReadColumn& column : context_->columns.columns) {
    ARROW_ASSIGN_OR_RAISE(Source source, SourceOf(column, split, columns));
    sources_.push_back(std::move(source));
  }
  file_entries_.clear();
  return Status::OK();
}

Result<SplitColumnsReader::Source> SplitColumnsReader::SourceOf(const ReadColumn& column, const Split& split,
                                                                const SplitColumns& columns) {
  Source source;
  switch (column.kind) {
    case ReadColumn::Kind::kRowId:
      source.kind = Source::Kind::kRowId;
      return source;
    case ReadColumn::Kind::kPartitionKey: {
      std::vector<DataType> types;
      for (const DataField& field : context_->schema->PartitionFields()) types.push_back(field.type);
      ARROW_ASSIGN_OR_RAISE(auto values, DecodeBinaryRow(split.partition, types));
      source.kind = Source::Kind::kConstant;
      source.constant = values.at(static_cast<size_t>(column.partition_key));
      return source;
    }
    case ReadColumn::Kind::kSequenceNumber: {
      const auto newest = std::max_element(split.normal_files.begin(), split.normal_files.end(),
                                           [](const ManifestEntry& a, const ManifestEntry& b) {
                                             return a.file.max_sequence_number < b.file.max_sequence_number;
                                           });
      source.kind = Source::Kind::kConstant;
      source.constant = std::make_shared<arrow::Int64Scalar>(newest->file.max_sequence_number);
      std::optional<ColumnProvider> physical = columns.NewestNormal(kSequenceNumberFieldId);
      if (physical && physical->entry == &*newest) {
        source.kind = Source::Kind::kFile;
        ARROW_ASSIGN_OR_RAISE(size_t file, FileOf(*physical->entry, split));
        source.files = {file};
        source.names = {physical->name};
      }
      return source;
    }
    case ReadColumn::Kind::kField:
      break;
  }
  if (column.storage == ColumnStorage::kBlob || column.storage == ColumnStorage::kVideo) {
    return BlobSource(column, split, columns);
  }
  std::optional<ColumnProvider> normal = columns.NewestNormal(column.field.id);
  std::vector<ColumnProvider> vectors = columns.Sidecars(column.field.id, {DataFileKind::kVector});
  if (normal &&
      (vectors.empty() || vectors.front().entry->file.max_sequence_number <= normal->entry->file.max_sequence_number)) {
    vectors = {*normal};
    source.kind = Source::Kind::kFile;
  } else if (!vectors.empty()) {
    if (normal) vectors.push_back(*normal);
    source.kind = Source::Kind::kVectorFiles;
  }
  for (const ColumnProvider& provider : vectors) {
    ARROW_ASSIGN_OR_RAISE(size_t file, FileOf(*provider.entry, split));
    source.files.push_back(file);
    source.names.push_back(provider.name);
  }
  return source;
}

Result<SplitColumnsReader::Source> SplitColumnsReader::BlobSource(const ReadColumn& column, const Split& split,
                                                                  const SplitColumns& columns) {
  Source source;
  std::vector<BlobColumnFile> files;
  for (const ColumnProvider& provider :
       columns.Sidecars(column.field.id, {DataFileKind::kBlob, DataFileKind::kVideo})) {
    const ManifestEntry& entry = *provider.entry;
    ARROW_ASSIGN_OR_RAISE(std::string uri, context_->paths.DataFilePath(entry));
    if (entry.file.external_path) source.own_folders.push_back(ParentLocation(uri));
    files.push_back(
        {std::move(uri), entry.file.file_size, entry.file.kind() == DataFileKind::kVideo, RowsOf(entry, split)});
  }
  if (files.empty()) return source;
  source.kind = Source::Kind::kBlobFiles;
  source.blobs = std::make_unique<BlobColumn>(context_->files, column.field.type, std::move(files));
  return source;
}

Result<size_t> SplitColumnsReader::FileOf(const ManifestEntry& entry, const Split& split) {
  auto found = std::find(file_entries_.begin(), file_entries_.end(), &entry);
  if (found != file_entries_.end()) return static_cast<size_t>(found - file_entries_.begin());
  ARROW_ASSIGN_OR_RAISE(std::string path, context_->paths.DataFilePath(entry));
  files_.push_back(
      std::make_unique<ColumnFile>(context_->files, std::move(path), entry.file.file_size, RowsOf(entry, split)));
  file_entries_.push_back(&entry);
  bytes_per_row_.push_back(entry.file.file_size / std::max<int64_t>(entry.file.row_count, 1));
  return files_.size() - 1;
}

int64_t SplitColumnsReader::BytesPerRow(const std::vector<size_t>& places) const {
  std::vector<bool> is_counted(files_.size());
  int64_t bytes = 0;
  for (size_t place : places) {
    for (size_t file : sources_[place].files) {
      if (!is_counted[file]) bytes += bytes_per_row_[file];
      is_counted[file] = true;
    }
  }
  return bytes;
}

int64_t SplitColumnsReader::files_opened() const {
  int64_t opened = 0;
  for (const auto& file : files_) opened += file->is_open() ? 1 : 0;
  for (const Source& source : sources_) opened += source.blobs != nullptr ? source.blobs->files_opened() : 0;
  return opened;
}

ParquetReadStatistics SplitColumnsReader::parquet_statistics() const {
  ParquetReadStatistics sum;
  for (const auto& file : files_) sum.Add(file->statistics());
  return sum;
}

Result<std::vector<RowSpan>> SplitColumnsReader::RowsThatMayMatch(int64_t row_count) {
  std::vector<RowSpan> rows = {{0, row_count}};
  for (size_t place : context_->columns.of_filter) {
    const Source& source = sources_[place];
    if (source.kind != Source::Kind::kFile || source.constant != nullptr) continue;
    const DataField& field = context_->columns.columns[place].field;
    ARROW_ASSIGN_OR_RAISE(auto bounds, files_[source.files.front()]->BoundsOf({source.names.front(), field}));
    if (bounds.empty()) continue;
    std::vector<RowSpan> may_match;
    for (const ParquetColumnBounds& part : bounds) {
      const ColumnRange range{part.min, part.max, part.null_count, part.row_count};
      const auto range_of = [&](std::string_view name) {
        return name == field.name ? std::optional<ColumnRange>(range) : std::nullopt;
      };
      if (MayMatch(context_->predicate, range_of)) may_match.push_back({part.first_row, part.row_count});
    }
    rows = CommonRows(rows, may_match);
  }
  return rows;
}

Result<arrow::ArrayVector> SplitColumnsReader::Read(const std::vector<size_t>& places, const RowPositions& positions,
                                                    bool as_stored) {
  arrow::ArrayVector arrays(places.size());
  ARROW_RETURN_NOT_OK(ParallelFor(
      static_cast<int64_t>(places.size()),
      [&](int64_t i) -> Status {
        ARROW_ASSIGN_OR_RAISE(arrays[i], ReadPlace(places[i], positions, as_stored));
        return Status::OK();
      },
      use_threads_ ? 0 : 1));
  return arrays;
}

Result<std::shared_ptr<arrow::Array>> SplitColumnsReader::ReadPlace(size_t place, const RowPositions& positions,
                                                                    bool as_stored) {
  const Source& source = sources_[place];
  const ReadColumn& column = context_->columns.columns[place];
  const auto count = static_cast<int64_t>(positions.size());
  switch (source.kind) {
    case Source::Kind::kNulls:
      break;
    case Source::Kind::kRowId:
      return RowIds(positions);
    case Source::Kind::kConstant:
      return arrow::MakeArrayFromScalar(*source.constant, count);
    case Source::Kind::kVectorFiles:
      return ReadVectors(source, column.field, positions);
    case Source::Kind::kBlobFiles:
      return ReadBlobs(source, column, positions, as_stored);
    case Source::Kind::kFile: {
      ARROW_ASSIGN_OR_RAISE(auto values,
                            files_[source.files.front()]->Read({source.names.front(), column.field}, positions));
      if (source.constant != nullptr) return WithFallback(values, *source.constant);
      if (column.content != ReadColumn::Content::kReferencedPayload || as_stored) return values;
      ARROW_ASSIGN_OR_RAISE(values, WithDescriptorsOfVersion2(values));
      return ReadBlobContent(*context_->files, context_->roots, values);
    }
  }
  return arrow::MakeArrayOfNull(column.field.type.ToArrow(), count);
}

Result<std::shared_ptr<arrow::Array>> SplitColumnsReader::ReadVectors(const Source& source, const DataField& target,
                                                                      const RowPositions& positions) {
  // Which of the files gives each row: the newest that covers it.
  constexpr size_t kNoFile = static_cast<size_t>(-1);
  std::vector<size_t> giver(positions.size(), kNoFile);
  for (size_t i = 0; i < source.files.size(); ++i) {
    const RowSpan rows = files_[source.files[i]]->rows();
    auto begin = std::lower_bound(positions.begin(), positions.end(), rows.first);
    auto end = std::lower_bound(begin, positions.end(), rows.first + rows.count);
    for (auto at = begin; at != end; ++at) {
      size_t& of_row = giver[at - positions.begin()];
      if (of_row == kNoFile) of_row = i;
    }
  }
  arrow::ArrayVector pieces;
  for (size_t begin = 0; begin < positions.size();) {
    if (giver[begin] == kNoFile) {
      return CorruptFile(files_[source.files.front()]->path(), -1,
                         fmt::format("the vector files of column `{}` leave out row id {}", target.name,
                                     first_row_id_ + positions[begin]));
    }
    size_t end = begin;
    while (end < positions.size() && giver[end] == giver[begin]) ++end;
    ColumnFile& file = *files_[source.files[giver[begin]]];
    const std::span<const int64_t> wanted(positions.data() + begin, end - begin);
    ARROW_ASSIGN_OR_RAISE(auto piece, file.Read({source.names[giver[begin]], target}, wanted));
    pieces.push_back(std::move(piece));
    begin = end;
  }
  if (pieces.empty()) return arrow::MakeEmptyArray(target.type.ToArrow());
  if (pieces.size() == 1) return pieces.front();
  return arrow::Concatenate(pieces);
}

Result<std::shared_ptr<arrow::Array>> SplitColumnsReader::ReadBlobs(const Source& source, const ReadColumn& column,
                                                                    const RowPositions& positions, bool as_stored) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> descriptors, source.blobs->Read(positions, use_threads_));
  descriptors_made_ += descriptors->length();
  if (as_stored || column.content != ReadColumn::Content::kPayload) return descriptors;
  std::vector<std::string> roots = context_->roots;
  roots.insert(roots.end(), source.own_folders.begin(), source.own_folders.end());
  return ReadBlobContent(*context_->files, roots, descriptors);
}

Result<size_t> SplitColumnsReader::RowsWithin(const std::vector<size_t>& places, const RowPositions& positions,
                                              int64_t most_bytes) {
  std::vector<std::vector<BlobCell>> columns;
  for (size_t place : places) {
    const Source& source = sources_[place];
    if (source.kind != Source::Kind::kBlobFiles) continue;
    if (context_->columns.columns[place].content != ReadColumn::Content::kPayload) continue;
    ARROW_ASSIGN_OR_RAISE(std::vector<BlobCell> cells, source.blobs->Resolve(positions));
    columns.push_back(std::move(cells));
  }
  if (columns.empty()) return positions.size();
  for (size_t row = 0; row < positions.size(); ++row) {
    for (const auto& cells : columns) most_bytes -= cells[row].file >= 0 ? cells[row].length_bytes : 0;
    if (most_bytes < 0) return std::max<size_t>(row, 1);
  }
  return positions.size();
}

Result<std::shared_ptr<arrow::Array>> SplitColumnsReader::RowIds(const RowPositions& positions) const {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(positions.size())));
  for (int64_t position : positions) builder.UnsafeAppend(first_row_id_ + position);
  return builder.Finish();
}

}  // namespace reelhouse
