#include "reelhouse/manifest/manifest_layout.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/avro/container_reader.h"
#include "reelhouse/manifest/binary_row.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// All files of the vectors in folders `manifest/` whose name begins so.
std::vector<fs::path> VectorFiles(const std::string& prefix) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(REELHOUSE_SOURCE_DIR "/tests/data/vectors")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || entry.path().parent_path().filename() != "manifest") continue;
    if (name.rfind(prefix, 0) != 0) continue;
    if (prefix == "manifest-" && name.rfind("manifest-list-", 0) == 0) continue;
    found.push_back(entry.path());
  }
  return found;
}

template <typename R>
std::string Encode(std::string_view schema, const std::vector<R>& records) {
  auto writer = AvroContainerWriter::Make(schema, "zstandard");
  EXPECT_TRUE(writer.ok());
  for (const R& record : records) EXPECT_TRUE(PutRecord(*writer, record).ok());
  return *writer->Finish();
}

// The packed records of all blocks, without markers: what the encoder made.
std::string Records(std::string_view file) {
  std::string records;
  auto reader = AvroContainerReader::Open(file, "file");
  EXPECT_TRUE(reader.ok());
  for (auto block = *reader->Next(); block; block = *reader->Next()) records += block->records;
  return records;
}

TEST(ManifestLayout, EncodesEveryManifestListOfTheVectorsToTheSameRecords) {
  const auto paths = VectorFiles("manifest-list-");
  ASSERT_EQ(paths.size(), 122u);
  for (const fs::path& path : paths) {
    const std::string bytes = ReadFile(path);
    auto manifests = DecodeManifestList(bytes, path.string());
    ASSERT_TRUE(manifests.ok()) << manifests.status();
    EXPECT_EQ(Records(Encode(kManifestListSchema, *manifests)), Records(bytes)) << path;
    for (const ManifestFile& manifest : *manifests) {
      EXPECT_EQ(fs::file_size(path.parent_path() / manifest.file_name), static_cast<uint64_t>(manifest.file_size));
    }
  }
}

TEST(ManifestLayout, EncodesEveryManifestOfTheVectorsToTheSameRecords) {
  const auto paths = VectorFiles("manifest-");
  ASSERT_EQ(paths.size(), 52u);
  for (const fs::path& path : paths) {
    const std::string bytes = ReadFile(path);
    auto entries = DecodeManifest(bytes, path.string());
    ASSERT_TRUE(entries.ok()) << entries.status();
    EXPECT_FALSE(entries->empty());
    EXPECT_EQ(Records(Encode(kManifestSchema, *entries)), Records(bytes)) << path;
  }
}

TEST(ManifestLayout, EncodesEveryIndexManifestOfTheVectorsToTheSameRecords) {
  const auto paths = VectorFiles("index-manifest-");
  ASSERT_EQ(paths.size(), 10u);
  for (const fs::path& path : paths) {
    const std::string bytes = ReadFile(path);
    auto files = DecodeIndexManifest(bytes, path.string());
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(Records(Encode(kIndexManifestSchema, *files)), Records(bytes)) << path;
  }
}

TEST(ManifestLayout, WritesTheSchemasOfPypaimon) {
  const auto schema_of = [](const fs::path& path) {
    const std::string bytes = ReadFile(path);
    const size_t begin = bytes.find("{\"type\"");
    int depth = 0;
    size_t end = begin;
    do {
      depth += bytes[end] == '{' ? 1 : bytes[end] == '}' ? -1 : 0;
      ++end;
    } while (depth > 0);
    return bytes.substr(begin, end - begin);
  };
  EXPECT_EQ(kManifestListSchema, schema_of(VectorFiles("manifest-list-").front()));
  EXPECT_EQ(kManifestSchema, schema_of(VectorFiles("manifest-").front()));
  EXPECT_EQ(kIndexManifestSchema, schema_of(VectorFiles("index-manifest-").front()));
}

TEST(ManifestLayout, CarriesForeignIndexesOverUnchanged) {
  IndexFile foreign;
  foreign.partition = EmptyBinaryRow();
  foreign.index_type = "BTREE";
  foreign.file_name = "global-index-1";
  foreign.file_size = 10;
  foreign.row_count = 5;
  foreign.external_path = "s3://elsewhere/global-index-1";
  foreign.global_index = GlobalIndex{3, 9, 7, std::vector<int32_t>{1, 2}, std::string("meta\0x", 6), std::nullopt};
  auto again = DecodeIndexManifest(Encode(kIndexManifestSchema, std::vector<IndexFile>{foreign}), "index-manifest-1");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->front(), foreign);
}

TEST(ManifestLayout, ReadsManifestListsOfOlderWritersWithoutTheLaterFields) {
  const std::string schema =
      R"({"type": "record", "name": "ManifestFileMeta", "fields": [
          {"name": "_FILE_NAME", "type": "string"}, {"name": "_FILE_SIZE", "type": "int"},
          {"name": "_NUM_ADDED_FILES", "type": "long"}, {"name": "_NUM_DELETED_FILES", "type": "long"},
          {"name": "_PARTITION_STATS", "type": {"type": "record", "name": "S", "fields": [
              {"name": "_MIN_VALUES", "type": "bytes"}, {"name": "_MAX_VALUES", "type": "bytes"},
              {"name": "_NULL_COUNTS", "type": [{"type": "array", "items": "long"}, "null"]}]}},
          {"name": "_SCHEMA_ID", "type": "long"}]})";
  auto writer = AvroContainerWriter::Make(schema, "deflate");
  ASSERT_TRUE(writer.ok());
  AvroEncoder& out = writer->record();
  out.PutBytes("manifest-1");
  out.PutInt(77);
  out.PutLong(3);
  out.PutLong(1);
  out.PutBytes(EmptyBinaryRow());
  out.PutBytes(EmptyBinaryRow());
  out.PutLong(0);  // the first branch of this union is the array
  out.PutArray(std::vector<int64_t>{4});
  out.PutLong(2);
  ASSERT_TRUE(writer->EndRecord().ok());
  auto manifests = DecodeManifestList(*writer->Finish(), "manifest-list-1");
  ASSERT_TRUE(manifests.ok()) << manifests.status();
  const ManifestFile& manifest = manifests->front();
  EXPECT_EQ(manifest.file_size, 77);
  EXPECT_EQ(manifest.num_deleted_files, 1);
  EXPECT_EQ(manifest.partition_stats.null_counts, (std::vector<std::optional<int64_t>>{4}));
  EXPECT_EQ(manifest.schema_id, 2);
  EXPECT_EQ(manifest.min_row_id, std::nullopt);
  EXPECT_EQ(manifest.extra_files, std::nullopt);
}

TEST(ManifestLayout, ReadsManifestsOfOlderWritersWithoutTheLaterFields) {
  const fs::path path = VectorFiles("manifest-").front();
  auto expected = DecodeManifest(ReadFile(path), path.string());
  ASSERT_TRUE(expected.ok());
  // The schema up to _FILE_SOURCE, and records that end there: five nulls less.
  std::string schema(kManifestSchema);
  schema.erase(schema.find(R"(, {"name": "_VALUE_STATS_COLS")"));
  schema += "]}}]}";
  auto writer = AvroContainerWriter::Make(schema, "null");
  ASSERT_TRUE(writer.ok());
  for (ManifestEntry& entry : *expected) {
    entry.file.value_stats_cols.reset();
    entry.file.external_path.reset();
    entry.file.first_row_id.reset();
    entry.file.write_cols.reset();
    entry.file.write_cols_sequences.reset();
    const std::string record = Records(Encode(kManifestSchema, std::vector{entry}));
    writer->record().PutRaw(std::string_view(record).substr(0, record.size() - 5));
    ASSERT_TRUE(writer->EndRecord().ok());
  }
  auto entries = DecodeManifest(*writer->Finish(), "manifest-1");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(*entries, *expected);
}

TEST(ManifestLayout, NamesTheFieldThatAManifestLacks) {
  std::string schema(kManifestSchema);
  schema.replace(schema.find("_ROW_COUNT"), 10, "_ROW_CNT");
  auto writer = AvroContainerWriter::Make(schema, "null");
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(DecodeManifest(*writer->Finish(), "t/manifest-1").status().message(),
            "manifest-1: field _FILE: record DataFileMeta of the writer's schema lacks the field _ROW_COUNT");
}

ManifestEntry SomeEntry() {
  ManifestEntry entry;
  entry.partition = EmptyBinaryRow();
  entry.file.file_name = "data-1.parquet";
  entry.file.row_count = 10;
  return entry;
}

std::string DecodeError(const ManifestEntry& entry) {
  auto entries = DecodeManifest(Encode(kManifestSchema, std::vector{SomeEntry(), entry}), "t/manifest/manifest-9-0");
  return entries.ok() ? "no error" : entries.status().message();
}

TEST(ManifestLayout, RefusesNamesThatLeadOutOfTheTable) {
  ManifestEntry entry = SomeEntry();
  entry.file.file_name = "../../secret.parquet";
  EXPECT_THAT(DecodeError(entry),
              HasSubstr("manifest-9-0: record 2: _FILE_NAME `../../secret.parquet` is not the name of a file"));
  entry.file.file_name = "..";
  EXPECT_THAT(DecodeError(entry), HasSubstr("is not the name of a file"));
}

TEST(ManifestLayout, RefusesImpossibleNumbers) {
  ManifestEntry entry = SomeEntry();
  entry.file.row_count = -1;
  EXPECT_THAT(DecodeError(entry), HasSubstr("_ROW_COUNT of data-1.parquet is -1"));
  entry = SomeEntry();
  entry.file.first_row_id = INT64_MAX - 3;
  EXPECT_THAT(DecodeError(entry), HasSubstr("_FIRST_ROW_ID"));
  entry = SomeEntry();
  entry.file.file_size = -7;
  EXPECT_THAT(DecodeError(entry), HasSubstr("_FILE_SIZE"));
  entry = SomeEntry();
  entry.kind = static_cast<FileChangeKind>(5);
  EXPECT_THAT(DecodeError(entry), HasSubstr("manifest-9-0: block 1 at byte"));
  EXPECT_THAT(DecodeError(entry), HasSubstr("record 2: _KIND: expected 0 (ADD) or 1 (DELETE), found 5"));
}

TEST(ManifestLayout, RefusesAKindInAnIndexManifestOtherThanAdd) {
  IndexFile file;
  file.partition = EmptyBinaryRow();
  file.index_type = kDeletionVectorsIndex;
  file.file_name = "index-1";
  auto writer = AvroContainerWriter::Make(kIndexManifestSchema, "null");
  ASSERT_TRUE(PutRecord(*writer, file).ok());
  std::string bytes = *writer->Finish();
  // Behind the header: the count and size of the block, then _VERSION and _KIND.
  const size_t partition = bytes.find(EmptyBinaryRow(), bytes.size() - 100) - 1;
  bytes[partition - 1] = 2;  // 1 as a zigzag varint
  EXPECT_THAT(DecodeIndexManifest(bytes, "index-manifest-1").status().message(),
              HasSubstr("_KIND: expected 0 (ADD), found 1"));
}

}  // namespace
}  // namespace reelhouse
