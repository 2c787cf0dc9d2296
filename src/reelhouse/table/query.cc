#include "reelhouse/table/query.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/api.h>

#include "reelhouse/read/blob_content.h"
#include "reelhouse/read/table_reader.h"

namespace reelhouse {

namespace {

/// A TableReader as Arrow's stream, which other libraries take.
class RowStream final : public arrow::RecordBatchReader {
 public:
  explicit RowStream(TableReader reader) : schema_(reader.schema()), reader_(std::move(reader)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (!reader_) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(*batch, reader_->Next());
    return Status::OK();
  }

  Status Close() override {
    reader_.reset();
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::optional<TableReader> reader_;
};

bool IsSystemColumn(std::string_view name) { return name == kRowIdColumn || name == kSequenceNumberColumn; }

Status UnknownColumn(const std::string& name, const TableSchema& schema) {
  const std::vector<std::string> names = schema.FieldNames();
  const std::string nearest = NearestName(name, names);
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  return Status::Invalid("Column '", name, "' is not in table schema.",
                         nearest.empty() ? "" : " Did you mean '" + nearest + "'?", " Columns: ", known);
}

}  // namespace

/// What a terminal call works on.
struct Query::Prepared {
  Plan plan;
  Predicate predicate;
  std::vector<std::string> columns;
  bool blob_as_descriptor = true;
};

Query::Query(std::shared_ptr<const TableContext> table, TimeTravel version,
             std::optional<std::vector<RowIdRange>> row_ids)
    : table_(std::move(table)), version_(std::move(version)), row_ids_(std::move(row_ids)) {}

Result<std::shared_ptr<const TableSchema>> Query::SchemaOfVersion(std::optional<Snapshot>* snapshot) const {
  const int given =
      version_.snapshot_id.has_value() + version_.tag_name.has_value() + version_.timestamp_millis.has_value();
  if (given > 1) return Status::Invalid("snapshot_id and tag_name cannot be set at the same time, nor with timestamp");
  if (version_.snapshot_id) {
    ARROW_ASSIGN_OR_RAISE(*snapshot, table_->snapshots->Load(*version_.snapshot_id));
  } else if (version_.tag_name) {
    ARROW_ASSIGN_OR_RAISE(*snapshot, table_->tags->Load(*version_.tag_name));
  } else if (version_.timestamp_millis) {
    ARROW_ASSIGN_OR_RAISE(*snapshot, table_->snapshots->AtTime(*version_.timestamp_millis));
  } else {
    // The snapshot first: a schema that is looked up after it knows every column of its files.
    ARROW_ASSIGN_OR_RAISE(*snapshot, table_->snapshots->Latest());
    return table_->LatestSchema();
  }
  return table_->schemas->Load((*snapshot)->schema_id);
}

Status Query::Where(std::string_view text) {
  std::optional<Snapshot> snapshot;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, SchemaOfVersion(&snapshot));
  ARROW_ASSIGN_OR_RAISE(Predicate predicate, ParsePredicate(text, schema->fields));
  if (!predicate.IsAlwaysTrue()) filters_.emplace_back(text);
  return Status::OK();
}

Status Query::Select(std::vector<std::string> columns) {
  std::optional<Snapshot> snapshot;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, SchemaOfVersion(&snapshot));
  for (const std::string& name : columns) {
    if (!schema->FindField(name) && !IsSystemColumn(name)) return UnknownColumn(name, *schema);
  }
  selected_ = std::move(columns);
  return Status::OK();
}

Result<std::vector<std::string>> Query::SelectedColumns(const TableSchema& schema) const {
  std::vector<std::string> columns = selected_.value_or(schema.FieldNames());
  for (const std::string& name : columns) {
    if (!schema.FindField(name) && !IsSystemColumn(name)) return UnknownColumn(name, schema);
  }
  if (with_row_id_ && std::find(columns.begin(), columns.end(), kRowIdColumn) == columns.end()) {
    columns.emplace_back(kRowIdColumn);
  }
  return columns;
}

Result<Query::Prepared> Query::Prepare(std::optional<std::vector<std::string>> columns) const {
  Prepared prepared;
  PlanRequest request;
  ARROW_ASSIGN_OR_RAISE(request.schema, SchemaOfVersion(&request.snapshot));
  for (const std::string& text : filters_) {
    ARROW_ASSIGN_OR_RAISE(Predicate filter, ParsePredicate(text, request.schema->fields));
    prepared.predicate = prepared.predicate.And(filter);
  }
  if (columns) {
    prepared.columns = std::move(*columns);
  } else {
    ARROW_ASSIGN_OR_RAISE(prepared.columns, SelectedColumns(*request.schema));
  }
  ARROW_ASSIGN_OR_RAISE(prepared.blob_as_descriptor, request.schema->options.GetBool("blob-as-descriptor", false));
  request.predicate = prepared.predicate;
  request.row_ids = row_ids_;
  request.manifests = table_->manifests;
  ARROW_ASSIGN_OR_RAISE(prepared.plan,
                        reelhouse::MakePlan(table_->files, table_->path, *table_->schemas, std::move(request)));
  return prepared;
}

Result<TableReader> Query::Open(Prepared prepared) const {
  ReadRequest request{.columns = std::move(prepared.columns),
                      .predicate = std::move(prepared.predicate),
                      .row_ids = row_ids_,
                      .limit = limit_,
                      .blob_as_descriptor = prepared.blob_as_descriptor,
                      .cancelled = cancelled_};
  if (request.columns.empty()) request.limit = 0;
  if (request.limit) request.limit = std::max<int64_t>(*request.limit, 0);
  ReadContext context{
      .files = table_->files, .table_path = table_->path, .schemas = table_->schemas, .roots = table_->roots};
  return TableReader(std::move(context), std::move(prepared.plan), std::move(request));
}

Result<std::shared_ptr<arrow::Schema>> Query::ResultSchema() const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, ToReader());
  return reader->schema();
}

Result<Plan> Query::MakePlan() const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare());
  return std::move(prepared.plan);
}

Result<std::shared_ptr<arrow::RecordBatchReader>> Query::ToReader() const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare());
  ARROW_ASSIGN_OR_RAISE(TableReader reader, Open(std::move(prepared)));
  return std::make_shared<RowStream>(std::move(reader));
}

Result<std::shared_ptr<arrow::Table>> Query::ToTable() const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> reader, ToReader());
  return reader->ToTable();
}

Result<int64_t> Query::Count() const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare(std::vector<std::string>{std::string(kRowIdColumn)}));
  int64_t count = 0;
  if (prepared.predicate.IsAlwaysTrue() && !row_ids_) {
    count = CountRows(prepared.plan);
  } else {
    ARROW_ASSIGN_OR_RAISE(TableReader reader, Open(std::move(prepared)));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader.Next());
      if (!batch) break;
      count += batch->num_rows();
    }
  }
  return limit_ ? std::min(count, std::max<int64_t>(*limit_, 0)) : count;
}

Result<std::string> Query::Explain() const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare());
  return ExplainPlan(prepared.plan, prepared.predicate);
}

namespace {

/// Splits a projection into what stays in the rows and the blob columns to be resolved.
struct BlobSelection {
  std::vector<std::string> rows;
  std::vector<std::string> blobs;

  std::vector<std::string> Together() const {
    std::vector<std::string> all = rows;
    all.insert(all.end(), blobs.begin(), blobs.end());
    return all;
  }
};

Result<BlobSelection> SelectBlobs(const TableSchema& schema, const std::vector<std::string>& selected,
                                  const std::vector<std::string>& wanted) {
  BlobSelection selection;
  std::set<std::string> seen;
  for (const std::string& name : wanted) {
    const DataField* field = schema.FindField(name);
    if (!field) return UnknownColumn(name, schema);
    if (!field->type.IsBlobLike()) return Status::Invalid("Column '", name, "' is not a BLOB column.");
    if (seen.insert(name).second) selection.blobs.push_back(name);
  }
  for (const std::string& name : selected) {
    const DataField* field = schema.FindField(name);
    const bool is_blob = field && field->type.IsBlobLike();
    if (!is_blob) {
      selection.rows.push_back(name);
    } else if (wanted.empty() && seen.insert(name).second) {
      selection.blobs.push_back(name);
    }
  }
  if (selection.blobs.empty()) return Status::Invalid("No BLOB column to read; pass columns=.");
  return selection;
}

class ResolvedBlobBatches final : public Query::BlobBatches {
 public:
  ResolvedBlobBatches(std::shared_ptr<const TableContext> table, TableReader reader, BlobSelection selection,
                      int parallelism)
      : table_(std::move(table)),
        reader_(std::move(reader)),
        selection_(std::move(selection)),
        parallelism_(std::max(parallelism, 1)) {}

  Result<std::optional<Query::RowsWithBlobs>> Next() override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader_.Next());
    if (!batch) return std::nullopt;
    Query::RowsWithBlobs result;
    const int row_columns = static_cast<int>(selection_.rows.size());
    std::vector<int> indices(row_columns);
    for (int i = 0; i < row_columns; ++i) indices[i] = i;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, batch->SelectColumns(indices));
    ARROW_ASSIGN_OR_RAISE(result.rows, arrow::Table::FromRecordBatches(rows->schema(), {rows}));
    for (size_t i = 0; i < selection_.blobs.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> content,
                            ReadBlobContent(*table_->files, table_->roots,
                                            batch->column(row_columns + static_cast<int>(i)), parallelism_));
      result.blobs.emplace_back(selection_.blobs[i], std::make_shared<arrow::ChunkedArray>(std::move(content)));
    }
    return std::optional<Query::RowsWithBlobs>(std::move(result));
  }

  Result<Query::RowsWithBlobs> Empty() const {
    Query::RowsWithBlobs result;
    const std::shared_ptr<arrow::Schema>& schema = reader_.schema();
    arrow::FieldVector fields(schema->fields().begin(),
                              schema->fields().begin() + static_cast<int64_t>(selection_.rows.size()));
    ARROW_ASSIGN_OR_RAISE(result.rows, arrow::Table::MakeEmpty(arrow::schema(std::move(fields))));
    for (size_t i = 0; i < selection_.blobs.size(); ++i) {
      const auto& type = schema->field(static_cast<int>(selection_.rows.size() + i))->type();
      result.blobs.emplace_back(selection_.blobs[i], std::make_shared<arrow::ChunkedArray>(arrow::ArrayVector{}, type));
    }
    return result;
  }

 private:
  std::shared_ptr<const TableContext> table_;
  TableReader reader_;
  BlobSelection selection_;
  int parallelism_;
};

}  // namespace

Result<std::unique_ptr<Query::BlobBatches>> Query::StreamBlobs(std::vector<std::string> columns,
                                                               int parallelism) const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare());
  ARROW_ASSIGN_OR_RAISE(BlobSelection selection, SelectBlobs(*prepared.plan.schema, prepared.columns, columns));
  prepared.columns = selection.Together();
  prepared.blob_as_descriptor = true;
  ARROW_ASSIGN_OR_RAISE(TableReader reader, Open(std::move(prepared)));
  return std::make_unique<ResolvedBlobBatches>(table_, std::move(reader), std::move(selection), parallelism);
}

Result<Query::RowsWithBlobs> Query::ReadBlobs(std::vector<std::string> columns, int parallelism) const {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<BlobBatches> batches, StreamBlobs(std::move(columns), parallelism));
  ARROW_ASSIGN_OR_RAISE(RowsWithBlobs all, static_cast<const ResolvedBlobBatches&>(*batches).Empty());
  std::vector<std::shared_ptr<arrow::Table>> rows = {all.rows};
  std::vector<arrow::ArrayVector> chunks(all.blobs.size());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::optional<RowsWithBlobs> batch, batches->Next());
    if (!batch) break;
    rows.push_back(std::move(batch->rows));
    for (size_t i = 0; i < chunks.size(); ++i) chunks[i].push_back(batch->blobs[i].second->chunk(0));
  }
  ARROW_ASSIGN_OR_RAISE(all.rows, arrow::ConcatenateTables(rows));
  for (size_t i = 0; i < chunks.size(); ++i) {
    all.blobs[i].second = std::make_shared<arrow::ChunkedArray>(std::move(chunks[i]), all.blobs[i].second->type());
  }
  return all;
}

namespace {

Result<std::string> VideoColumnToRead(const TableSchema& schema, std::string column) {
  const std::vector<std::string> videos = schema.VideoColumns();
  std::string known;
  for (const std::string& name : videos) known += (known.empty() ? "" : ", ") + name;
  if (column.empty()) {
    if (videos.size() == 1) return videos.front();
    if (videos.empty()) return Status::Invalid("read_frames: the table has no video column ('video-frame-field').");
    return Status::Invalid("read_frames: column is required, the table has several video columns: ", known);
  }
  if (!schema.FindField(column)) return UnknownColumn(column, schema);
  if (std::find(videos.begin(), videos.end(), column) == videos.end()) {
    return Status::Invalid("Column '", column, "' is not a video column. Video columns: ", known);
  }
  return column;
}

}  // namespace

Result<std::vector<std::optional<DecodedFrame>>> Query::ReadFrames(std::string column, FrameRequest request) const {
  ARROW_ASSIGN_OR_RAISE(Prepared prepared, Prepare(std::vector<std::string>{}));
  ARROW_ASSIGN_OR_RAISE(column, VideoColumnToRead(*prepared.plan.schema, std::move(column)));
  prepared.columns = {column, std::string(kRowIdColumn)};
  ARROW_ASSIGN_OR_RAISE(TableReader reader, Open(std::move(prepared)));
  arrow::ArrayVector cells, row_ids;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader.Next());
    if (!batch) break;
    cells.push_back(batch->column(0));
    row_ids.push_back(batch->column(1));
  }
  if (cells.empty()) return std::vector<std::optional<DecodedFrame>>();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> all_cells, arrow::Concatenate(cells));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> all_row_ids, arrow::Concatenate(row_ids));
  if (!request.cancelled) request.cancelled = cancelled_;
  if (!request.max_pixels) {
    // As the table says now, also for older versions of it.
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<const TableSchema> schema, table_->LatestSchema());
    ARROW_ASSIGN_OR_RAISE(request.max_pixels, schema->options.GetInt(kVideoMaxPixelsOption, kDefaultMaxPixels));
  }
  Result<std::vector<std::optional<DecodedFrame>>> frames =
      FrameReader(table_->files, table_->roots)
          .Read(*all_cells, static_cast<const arrow::Int64Array*>(all_row_ids.get()), request);
  if (!IsKind(frames.status(), ErrorKind::kVideoDecode)) return frames;
  ErrorFields fields = DetailOf(frames.status())->fields();
  fields.table = table_->identifier.ToText();
  return MakeError(ErrorKind::kVideoDecode, fields.table + ": " + frames.status().message(), std::move(fields));
}

}  // namespace reelhouse
