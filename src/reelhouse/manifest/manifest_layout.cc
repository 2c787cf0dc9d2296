#include "reelhouse/manifest/manifest_layout.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "reelhouse/avro/container_reader.h"
#include "reelhouse/base/text.h"
#include "reelhouse/manifest/unpacked_manifest.h"

namespace reelhouse {

const std::string_view kManifestListSchema =
    R"({"type": "record", "name": "ManifestFileMeta", "fields": [)"
    R"({"name": "_VERSION", "type": "int"}, )"
    R"({"name": "_FILE_NAME", "type": "string"}, )"
    R"({"name": "_FILE_SIZE", "type": "long"}, )"
    R"({"name": "_NUM_ADDED_FILES", "type": "long"}, )"
    R"({"name": "_NUM_DELETED_FILES", "type": "long"}, )"
    R"({"name": "_PARTITION_STATS", "type": {"type": "record", "name": "record_PARTITION_STATS", "fields": [)"
    R"({"name": "_MIN_VALUES", "type": "bytes"}, )"
    R"({"name": "_MAX_VALUES", "type": "bytes"}, )"
    R"({"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}}, )"
    R"({"name": "_SCHEMA_ID", "type": "long"}, )"
    R"({"name": "_MIN_BUCKET", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_MAX_BUCKET", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_MIN_LEVEL", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_MAX_LEVEL", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_MIN_ROW_ID", "type": ["null", "long"], "default": null}, )"
    R"({"name": "_MAX_ROW_ID", "type": ["null", "long"], "default": null}, )"
    R"({"name": "_TOTAL_BUCKETS", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_EXTRA_FILES", "type": ["null", {"type": "array", "items": "string"}], "default": null}]})";

const std::string_view kManifestSchema =
    R"({"type": "record", "name": "ManifestEntry", "fields": [)"
    R"({"name": "_VERSION", "type": "int"}, )"
    R"({"name": "_KIND", "type": "int"}, )"
    R"({"name": "_PARTITION", "type": "bytes"}, )"
    R"({"name": "_BUCKET", "type": "int"}, )"
    R"({"name": "_TOTAL_BUCKETS", "type": "int"}, )"
    R"({"name": "_FILE", "type": {"type": "record", "name": "DataFileMeta", "fields": [)"
    R"({"name": "_FILE_NAME", "type": "string"}, )"
    R"({"name": "_FILE_SIZE", "type": "long"}, )"
    R"({"name": "_ROW_COUNT", "type": "long"}, )"
    R"({"name": "_MIN_KEY", "type": "bytes"}, )"
    R"({"name": "_MAX_KEY", "type": "bytes"}, )"
    R"({"name": "_KEY_STATS", "type": {"type": "record", "name": "record_KEY_STATS", "fields": [)"
    R"({"name": "_MIN_VALUES", "type": "bytes"}, )"
    R"({"name": "_MAX_VALUES", "type": "bytes"}, )"
    R"({"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}}, )"
    R"({"name": "_VALUE_STATS", "type": {"type": "record", "name": "record_VALUE_STATS", "fields": [)"
    R"({"name": "_MIN_VALUES", "type": "bytes"}, )"
    R"({"name": "_MAX_VALUES", "type": "bytes"}, )"
    R"({"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}}, )"
    R"({"name": "_MIN_SEQUENCE_NUMBER", "type": "long"}, )"
    R"({"name": "_MAX_SEQUENCE_NUMBER", "type": "long"}, )"
    R"({"name": "_SCHEMA_ID", "type": "long"}, )"
    R"({"name": "_LEVEL", "type": "int"}, )"
    R"({"name": "_EXTRA_FILES", "type": {"type": "array", "items": "string"}}, )"
    R"({"name": "_CREATION_TIME", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": null}, )"
    R"({"name": "_DELETE_ROW_COUNT", "type": ["null", "long"], "default": null}, )"
    R"({"name": "_EMBEDDED_FILE_INDEX", "type": ["null", "bytes"], "default": null}, )"
    R"({"name": "_FILE_SOURCE", "type": ["null", "int"], "default": null}, )"
    R"({"name": "_VALUE_STATS_COLS", "type": ["null", {"type": "array", "items": "string"}], "default": null}, )"
    R"({"name": "_EXTERNAL_PATH", "type": ["null", "string"], "default": null}, )"
    R"({"name": "_FIRST_ROW_ID", "type": ["null", "long"], "default": null}, )"
    R"({"name": "_WRITE_COLS", "type": ["null", {"type": "array", "items": "string"}], "default": null}, )"
    R"({"name": "_WRITE_COLS_SEQUENCES", "type": ["null", {"type": "array", "items": "long"}], "default": null}]}}]})";

const std::string_view kIndexManifestSchema =
    R"({"type": "record", "name": "IndexManifestEntry", "fields": [)"
    R"({"name": "_VERSION", "type": "int"}, )"
    R"({"name": "_KIND", "type": "int"}, )"
    R"({"name": "_PARTITION", "type": "bytes"}, )"
    R"({"name": "_BUCKET", "type": "int"}, )"
    R"({"name": "_INDEX_TYPE", "type": "string"}, )"
    R"({"name": "_FILE_NAME", "type": "string"}, )"
    R"({"name": "_FILE_SIZE", "type": "long"}, )"
    R"({"name": "_ROW_COUNT", "type": "long"}, )"
    R"({"name": "_DELETIONS_VECTORS_RANGES", "type": ["null", {"type": "array", "items": )"
    R"({"type": "record", "name": "DeletionVectorMeta", "fields": [)"
    R"({"name": "f0", "type": "string"}, )"
    R"({"name": "f1", "type": "int"}, )"
    R"({"name": "f2", "type": "int"}, )"
    R"({"name": "_CARDINALITY", "type": ["null", "long"], "default": null}]}}], "default": null}, )"
    R"({"name": "_EXTERNAL_PATH", "type": ["null", "string"], "default": null}, )"
    R"({"name": "_GLOBAL_INDEX", "type": ["null", {"type": "record", "name": "GlobalIndexMeta", "fields": [)"
    R"({"name": "_ROW_RANGE_START", "type": "long"}, )"
    R"({"name": "_ROW_RANGE_END", "type": "long"}, )"
    R"({"name": "_INDEX_FIELD_ID", "type": "int"}, )"
    R"({"name": "_EXTRA_FIELD_IDS", "type": ["null", {"type": "array", "items": "int"}], "default": null}, )"
    R"({"name": "_INDEX_META", "type": ["null", "bytes"], "default": null}, )"
    R"({"name": "_SOURCE_META", "type": ["null", "bytes"], "default": null}]}], "default": null}]})";

namespace {

std::string TakeKind(int32_t kind, FileChangeKind* to) {
  if (kind != 0 && kind != 1) return "expected 0 (ADD) or 1 (DELETE), found " + std::to_string(kind);
  *to = static_cast<FileChangeKind>(kind);
  return {};
}

}  // namespace

template <>
struct AvroFieldsOf<ColumnStatistics> {
  static const AvroFields<ColumnStatistics>& Fields() {
    static const auto kFields = std::move(AvroFields<ColumnStatistics>()
                                              .Required("_MIN_VALUES", &ColumnStatistics::min_values)
                                              .Required("_MAX_VALUES", &ColumnStatistics::max_values)
                                              .Optional("_NULL_COUNTS", &ColumnStatistics::null_counts));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<ManifestFile> {
  static const AvroFields<ManifestFile>& Fields() {
    static const auto kFields = std::move(AvroFields<ManifestFile>()
                                              .Required("_FILE_NAME", &ManifestFile::file_name)
                                              .Required("_FILE_SIZE", &ManifestFile::file_size)
                                              .Required("_NUM_ADDED_FILES", &ManifestFile::num_added_files)
                                              .Required("_NUM_DELETED_FILES", &ManifestFile::num_deleted_files)
                                              .Required("_PARTITION_STATS", &ManifestFile::partition_stats)
                                              .Required("_SCHEMA_ID", &ManifestFile::schema_id)
                                              .Optional("_MIN_BUCKET", &ManifestFile::min_bucket)
                                              .Optional("_MAX_BUCKET", &ManifestFile::max_bucket)
                                              .Optional("_MIN_LEVEL", &ManifestFile::min_level)
                                              .Optional("_MAX_LEVEL", &ManifestFile::max_level)
                                              .Optional("_MIN_ROW_ID", &ManifestFile::min_row_id)
                                              .Optional("_MAX_ROW_ID", &ManifestFile::max_row_id)
                                              .Optional("_TOTAL_BUCKETS", &ManifestFile::total_buckets)
                                              .Optional("_EXTRA_FILES", &ManifestFile::extra_files));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<DataFile> {
  static const AvroFields<DataFile>& Fields() {
    static const auto kFields = std::move(AvroFields<DataFile>()
                                              .Required("_FILE_NAME", &DataFile::file_name)
                                              .Required("_FILE_SIZE", &DataFile::file_size)
                                              .Required("_ROW_COUNT", &DataFile::row_count)
                                              .Required("_MIN_KEY", &DataFile::min_key)
                                              .Required("_MAX_KEY", &DataFile::max_key)
                                              .Required("_KEY_STATS", &DataFile::key_stats)
                                              .Required("_VALUE_STATS", &DataFile::value_stats)
                                              .Required("_MIN_SEQUENCE_NUMBER", &DataFile::min_sequence_number)
                                              .Required("_MAX_SEQUENCE_NUMBER", &DataFile::max_sequence_number)
                                              .Required("_SCHEMA_ID", &DataFile::schema_id)
                                              .Required("_LEVEL", &DataFile::level)
                                              .Required("_EXTRA_FILES", &DataFile::extra_files)
                                              .Optional("_CREATION_TIME", &DataFile::creation_time_millis)
                                              .Optional("_DELETE_ROW_COUNT", &DataFile::delete_row_count)
                                              .Optional("_EMBEDDED_FILE_INDEX", &DataFile::embedded_file_index)
                                              .Optional("_FILE_SOURCE", &DataFile::file_source)
                                              .Optional("_VALUE_STATS_COLS", &DataFile::value_stats_cols)
                                              .Optional("_EXTERNAL_PATH", &DataFile::external_path)
                                              .Optional("_FIRST_ROW_ID", &DataFile::first_row_id)
                                              .Optional("_WRITE_COLS", &DataFile::write_cols)
                                              .Optional("_WRITE_COLS_SEQUENCES", &DataFile::write_cols_sequences));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<ManifestEntry> {
  static const AvroFields<ManifestEntry>& Fields() {
    static const auto kFields =
        std::move(AvroFields<ManifestEntry>()
                      .RequiredAs<int32_t>(
                          "_KIND", [](ManifestEntry& entry, int32_t kind) { return TakeKind(kind, &entry.kind); })
                      .Required("_PARTITION", &ManifestEntry::partition)
                      .Required("_BUCKET", &ManifestEntry::bucket)
                      .Required("_TOTAL_BUCKETS", &ManifestEntry::total_buckets)
                      .Required("_FILE", &ManifestEntry::file));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<DataFileOutline::Statistics> {
  using Statistics = DataFileOutline::Statistics;
  static const AvroFields<Statistics>& Fields() {
    static const auto kFields = std::move(AvroFields<Statistics>()
                                              .Required("_MIN_VALUES", &Statistics::min_values)
                                              .Required("_MAX_VALUES", &Statistics::max_values));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<DataFileOutline> {
  static const AvroFields<DataFileOutline>& Fields() {
    static const auto kFields = std::move(AvroFields<DataFileOutline>()
                                              .Required("_FILE_NAME", &DataFileOutline::file_name)
                                              .Required("_ROW_COUNT", &DataFileOutline::row_count)
                                              .Required("_VALUE_STATS", &DataFileOutline::value_stats)
                                              .Required("_SCHEMA_ID", &DataFileOutline::schema_id)
                                              .Optional("_VALUE_STATS_COLS", &DataFileOutline::value_stats_cols)
                                              .Optional("_FIRST_ROW_ID", &DataFileOutline::first_row_id)
                                              .Optional("_WRITE_COLS", &DataFileOutline::write_cols));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<EntryOutline> {
  static const AvroFields<EntryOutline>& Fields() {
    static const auto kFields = std::move(
        AvroFields<EntryOutline>()
            .RequiredAs<int32_t>("_KIND", [](EntryOutline& entry, int32_t kind) { return TakeKind(kind, &entry.kind); })
            .Required("_PARTITION", &EntryOutline::partition)
            .Required("_BUCKET", &EntryOutline::bucket)
            .Required("_FILE", &EntryOutline::file));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<DeletionVectorRange> {
  static const AvroFields<DeletionVectorRange>& Fields() {
    static const auto kFields = std::move(AvroFields<DeletionVectorRange>()
                                              .Required("f0", &DeletionVectorRange::data_file_name)
                                              .Required("f1", &DeletionVectorRange::offset_bytes)
                                              .Required("f2", &DeletionVectorRange::length_bytes)
                                              .Optional("_CARDINALITY", &DeletionVectorRange::cardinality));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<GlobalIndex> {
  static const AvroFields<GlobalIndex>& Fields() {
    static const auto kFields = std::move(AvroFields<GlobalIndex>()
                                              .Required("_ROW_RANGE_START", &GlobalIndex::row_range_start)
                                              .Required("_ROW_RANGE_END", &GlobalIndex::row_range_end)
                                              .Required("_INDEX_FIELD_ID", &GlobalIndex::index_field_id)
                                              .Optional("_EXTRA_FIELD_IDS", &GlobalIndex::extra_field_ids)
                                              .Optional("_INDEX_META", &GlobalIndex::index_meta)
                                              .Optional("_SOURCE_META", &GlobalIndex::source_meta));
    return kFields;
  }
};

template <>
struct AvroFieldsOf<IndexFile> {
  static const AvroFields<IndexFile>& Fields() {
    static const auto kFields =
        std::move(AvroFields<IndexFile>()
                      .RequiredAs<int32_t>("_KIND",
                                           [](IndexFile&, int32_t kind) -> std::string {
                                             // The file lists what is live; nothing in it can be taken away again.
                                             if (kind != 0) return "expected 0 (ADD), found " + std::to_string(kind);
                                             return {};
                                           })
                      .Required("_PARTITION", &IndexFile::partition)
                      .Required("_BUCKET", &IndexFile::bucket)
                      .Required("_INDEX_TYPE", &IndexFile::index_type)
                      .Required("_FILE_NAME", &IndexFile::file_name)
                      .Required("_FILE_SIZE", &IndexFile::file_size)
                      .Required("_ROW_COUNT", &IndexFile::row_count)
                      .Optional("_DELETIONS_VECTORS_RANGES", &IndexFile::deletion_vectors)
                      .Optional("_EXTERNAL_PATH", &IndexFile::external_path)
                      .Optional("_GLOBAL_INDEX", &IndexFile::global_index));
    return kFields;
  }
};

namespace {

// Names become paths; a slash would lead out of the folder of the table.
bool IsFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

std::string ProblemOf(const std::string& file_name, int64_t file_size) {
  if (!IsFileName(file_name)) return "_FILE_NAME " + QuoteForError(file_name) + " is not the name of a file";
  if (file_size < 0) return "_FILE_SIZE of " + QuoteForError(file_name) + " is " + std::to_string(file_size);
  return {};
}

std::string ProblemOf(const ManifestFile& manifest) { return ProblemOf(manifest.file_name, manifest.file_size); }

std::string ProblemOf(const IndexFile& file) {
  // Files of other engines' indexes are only carried over.
  return file.index_type == kDeletionVectorsIndex ? ProblemOf(file.file_name, file.file_size) : std::string();
}

std::string ProblemOf(const ManifestEntry& entry) {
  const DataFile& file = entry.file;
  std::string problem = ProblemOf(file.file_name, file.file_size);
  if (!problem.empty()) return problem;
  if (file.row_count < 0) return "_ROW_COUNT of " + file.file_name + " is " + std::to_string(file.row_count);
  if (file.first_row_id &&
      (*file.first_row_id < 0 || *file.first_row_id > std::numeric_limits<int64_t>::max() - file.row_count)) {
    return "_FIRST_ROW_ID of " + file.file_name + " is " + std::to_string(*file.first_row_id);
  }
  return {};
}

template <typename R>
Result<std::vector<R>> Decode(std::string_view file, std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(std::vector<R> records, ReadAvroRecords<R>(file, path));
  for (size_t i = 0; i < records.size(); ++i) {
    const std::string problem = ProblemOf(records[i]);
    if (problem.empty()) continue;
    ErrorFields fields;
    fields.path = path;
    return MakeError(
        ErrorKind::kCorruptFile,
        std::string(path.substr(path.rfind('/') + 1)) + ": record " + std::to_string(i + 1) + ": " + problem,
        std::move(fields));
  }
  return records;
}

void Put(AvroEncoder& out, const ColumnStatistics& statistics) {
  out.PutBytes(statistics.min_values);
  out.PutBytes(statistics.max_values);
  out.PutNullable(statistics.null_counts);
}

// The fields of the record `node`, and of records right in it, are among those that we write.
bool HasFieldsOf(const AvroSchema& ours, int our_node, const AvroSchema& schema, int node, int depth) {
  for (const AvroSchema::Field& field : schema.node(node).fields) {
    const auto& known = ours.node(our_node).fields;
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const AvroSchema::Field& candidate) { return candidate.name == field.name; });
    if (found == known.end()) return false;
    if (schema.node(field.node).kind == AvroKind::kRecord && depth < 3 &&
        !HasFieldsOf(ours, found->node, schema, field.node, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool HasFieldsOf(const AvroSchema& ours, const AvroSchema& schema) {
  return HasFieldsOf(ours, ours.root(), schema, schema.root(), 0);
}

constexpr int32_t kManifestVersion = 2;
constexpr int32_t kIndexManifestVersion = 1;

}  // namespace

Result<std::vector<ManifestFile>> DecodeManifestList(std::string_view file, std::string_view path) {
  return Decode<ManifestFile>(file, path);
}

Result<std::vector<ManifestEntry>> DecodeManifest(std::string_view file, std::string_view path) {
  return Decode<ManifestEntry>(file, path);
}

Result<std::vector<IndexFile>> DecodeIndexManifest(std::string_view file, std::string_view path) {
  return Decode<IndexFile>(file, path);
}

Status CheckEntry(const ManifestEntry& entry, std::string_view path) {
  const std::string problem = ProblemOf(entry);
  return problem.empty() ? Status::OK() : AvroFileError(path, -1, "", problem);
}

Result<std::shared_ptr<const ManifestDecoder>> ManifestDecoder::Make(AvroWriterSchemaPtr writer) {
  static const AvroSchema kOurs = AvroSchema::Parse(kManifestSchema).ValueOrDie();
  auto decoder = std::make_shared<ManifestDecoder>();
  const AvroSchema& schema = writer->schema;
  ARROW_ASSIGN_OR_RAISE(decoder->outlines, MakeAvroValueReader<EntryOutline>(writer, schema.root()));
  ARROW_ASSIGN_OR_RAISE(decoder->entries, MakeAvroValueReader<ManifestEntry>(writer, schema.root()));
  decoder->encodes_like_ours = schema.EncodesLike(kOurs);
  decoder->has_known_fields_only = decoder->encodes_like_ours || HasFieldsOf(kOurs, schema);
  decoder->writer = std::move(writer);
  return decoder;
}

Status WriteWholeFile(FileStore& files, const std::string& path, std::string_view content) {
  ARROW_ASSIGN_OR_RAISE(auto file, files.Create(path));
  ARROW_RETURN_NOT_OK(file->Write(content.data(), static_cast<int64_t>(content.size())));
  return file->Finish();
}

Status PutRecord(AvroContainerWriter& writer, const ManifestFile& manifest) {
  AvroEncoder& out = writer.record();
  out.PutInt(kManifestVersion);
  out.PutBytes(manifest.file_name);
  out.PutLong(manifest.file_size);
  out.PutLong(manifest.num_added_files);
  out.PutLong(manifest.num_deleted_files);
  Put(out, manifest.partition_stats);
  out.PutLong(manifest.schema_id);
  out.PutNullable(manifest.min_bucket);
  out.PutNullable(manifest.max_bucket);
  out.PutNullable(manifest.min_level);
  out.PutNullable(manifest.max_level);
  out.PutNullable(manifest.min_row_id);
  out.PutNullable(manifest.max_row_id);
  out.PutNullable(manifest.total_buckets);
  out.PutNullable(manifest.extra_files);
  return writer.EndRecord();
}

Status PutRecord(AvroContainerWriter& writer, const ManifestEntry& entry) {
  AvroEncoder& out = writer.record();
  const DataFile& file = entry.file;
  out.PutInt(kManifestVersion);
  out.PutInt(static_cast<int32_t>(entry.kind));
  out.PutBytes(entry.partition);
  out.PutInt(entry.bucket);
  out.PutInt(entry.total_buckets);
  out.PutBytes(file.file_name);
  out.PutLong(file.file_size);
  out.PutLong(file.row_count);
  out.PutBytes(file.min_key);
  out.PutBytes(file.max_key);
  Put(out, file.key_stats);
  Put(out, file.value_stats);
  out.PutLong(file.min_sequence_number);
  out.PutLong(file.max_sequence_number);
  out.PutLong(file.schema_id);
  out.PutInt(file.level);
  out.PutArray(file.extra_files);
  out.PutNullable(file.creation_time_millis);
  out.PutNullable(file.delete_row_count);
  out.PutNullable(file.embedded_file_index);
  out.PutNullable(file.file_source);
  out.PutNullable(file.value_stats_cols);
  out.PutNullable(file.external_path);
  out.PutNullable(file.first_row_id);
  out.PutNullable(file.write_cols);
  out.PutNullable(file.write_cols_sequences);
  return writer.EndRecord();
}

Status PutRecord(AvroContainerWriter& writer, const IndexFile& index_file) {
  AvroEncoder& out = writer.record();
  out.PutInt(kIndexManifestVersion);
  out.PutInt(0);  // ADD
  out.PutBytes(index_file.partition);
  out.PutInt(index_file.bucket);
  out.PutBytes(index_file.index_type);
  out.PutBytes(index_file.file_name);
  out.PutLong(index_file.file_size);
  out.PutLong(index_file.row_count);
  if (index_file.deletion_vectors) {
    out.PutPresent();
    out.PutArray(*index_file.deletion_vectors, [&out](const DeletionVectorRange& range) {
      out.PutBytes(range.data_file_name);
      out.PutInt(range.offset_bytes);
      out.PutInt(range.length_bytes);
      out.PutNullable(range.cardinality);
    });
  } else {
    out.PutNull();
  }
  out.PutNullable(index_file.external_path);
  if (index_file.global_index) {
    const GlobalIndex& index = *index_file.global_index;
    out.PutPresent();
    out.PutLong(index.row_range_start);
    out.PutLong(index.row_range_end);
    out.PutInt(index.index_field_id);
    out.PutNullable(index.extra_field_ids);
    out.PutNullable(index.index_meta);
    out.PutNullable(index.source_meta);
  } else {
    out.PutNull();
  }
  return writer.EndRecord();
}

}  // namespace reelhouse
