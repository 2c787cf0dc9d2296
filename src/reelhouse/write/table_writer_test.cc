#include "reelhouse/write/table_writer.h"

#include <filesystem>
#include <thread>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/blob/blob_collection.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/format/video/video_file_reader.h"
#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/table_paths.h"
#include "tests/support/arrow_json.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Texts = std::map<std::string, std::string>;

std::vector<std::filesystem::path> FilesBelow(const std::string& folder) {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::exists(folder)) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) found.push_back(entry.path());
  return found;
}

std::shared_ptr<arrow::Array> Counted(int64_t rows, int64_t start = 0) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(start + i).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Blobs(const std::vector<std::optional<std::string>>& cells) {
  arrow::LargeBinaryBuilder builder;
  for (const auto& cell : cells) EXPECT_TRUE((cell ? builder.Append(*cell) : builder.AppendNull()).ok());
  return builder.Finish().ValueOrDie();
}

class TableWriterTest : public ::testing::Test {
 protected:
  void MakeTable(const arrow::FieldVector& fields, Texts options = {}, std::vector<std::string> partitions = {}) {
    Texts all = {{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}};
    for (const auto& [key, value] : options) all[key] = value;
    schema_ = std::make_shared<TableSchema>(
        TableSchema::Make(*arrow::schema(fields), std::move(partitions), Options(all)).ValueOrDie());
  }

  // A table with an id and a video column whose videos are any bytes.
  void MakeVideoTable(Texts options = {}, std::vector<std::string> partitions = {}) {
    Texts all = {{"video-frame-field", "video"}, {"reelhouse.video.validation", "none"}};
    for (const auto& [key, value] : options) all[key] = value;
    MakeTable({arrow::field("id", arrow::int64()), arrow::field("video", arrow::large_binary())}, all, partitions);
  }

  std::unique_ptr<TableWriter> Open() { return OpenOn(MakeLocalFileStore({.fsync = false})); }

  std::unique_ptr<TableWriter> OpenOn(std::shared_ptr<FileStore> files, const std::string& table = "t") {
    WriteContext context;
    context.files = std::move(files);
    context.schema = schema_;
    context.table_path = PathOf(table);
    return TableWriter::Make(std::move(context)).ValueOrDie();
  }

  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

  RowBatch Rows(std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns,
                std::map<std::string, std::vector<VideoRun>> videos = {}) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (auto& [name, array] : columns) {
      fields.push_back(arrow::field(name, array->type()));
      arrays.push_back(array);
    }
    auto batch = AlignRows(arrow::RecordBatch::Make(arrow::schema(fields), arrays[0]->length(), arrays), *schema_,
                           {{folder_.path()}, {}});
    EXPECT_TRUE(batch.ok()) << batch.status().ToString();
    for (auto& [name, runs] : videos) batch->videos[name] = runs;
    return *batch;
  }

  std::shared_ptr<const VideoPayload> VideoFile(const std::string& name, const std::string& content) {
    EXPECT_TRUE(files_->Replace(PathOf(name), content).ok());
    auto payload = std::make_shared<VideoPayload>();
    payload->name = name;
    payload->location = PathOf(name);
    return payload;
  }

  static std::shared_ptr<const VideoPayload> VideoInMemory(const std::string& content) {
    auto payload = std::make_shared<VideoPayload>();
    payload->name = "bytes";
    payload->bytes = arrow::Buffer::FromString(content);
    return payload;
  }

  RowBatch VideoRows(const std::vector<VideoRun>& runs, int64_t start = 0) {
    int64_t rows = 0;
    for (const auto& run : runs) rows += run.row_count;
    return Rows({{"id", Counted(rows, start)}}, {{"video", runs}});
  }

  FileChanges WriteAll(const std::vector<RowBatch>& batches) {
    auto writer = Open();
    for (const auto& batch : batches) {
      const Status written = writer->Write(batch);
      EXPECT_TRUE(written.ok()) << written.ToString();
    }
    auto changes = writer->Finish();
    EXPECT_TRUE(changes.ok()) << changes.status().ToString();
    CheckEntries(*changes);
    return *changes;
  }

  std::string PathIn(const ManifestEntry& entry) {
    return TablePaths(PathOf("t"), schema_).DataFilePath(entry).ValueOrDie();
  }

  // What holds for every append: files are there with their sizes, and sidecars sum up to their normal file.
  void CheckEntries(const FileChanges& changes) {
    std::map<std::string, int64_t> sidecar_rows;
    int64_t normal_rows = -1;
    const auto check_group = [&] {
      for (const auto& [column, rows] : sidecar_rows) EXPECT_EQ(rows, normal_rows) << column;
      sidecar_rows.clear();
    };
    std::set<std::string> paths;
    for (const auto& entry : changes.entries) {
      const std::string path = PathIn(entry);
      paths.insert(path);
      EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(path)), entry.file.file_size);
      EXPECT_EQ(entry.file.min_sequence_number, 0);
      EXPECT_EQ(entry.file.max_sequence_number, 0);
      EXPECT_FALSE(entry.file.first_row_id.has_value());
      EXPECT_EQ(entry.file.file_source, 0);
      EXPECT_EQ(entry.kind, FileChangeKind::kAdd);
      switch (entry.file.kind()) {
        case DataFileKind::kNormal:
          check_group();
          normal_rows = entry.file.row_count;
          EXPECT_EQ(OpenParquet(entry)->row_count(), entry.file.row_count);
          break;
        case DataFileKind::kBlob:
          sidecar_rows[entry.file.write_cols->at(0)] += entry.file.row_count;
          EXPECT_EQ(BlobIndex(entry).row_count(), entry.file.row_count);
          break;
        case DataFileKind::kVideo:
          sidecar_rows[entry.file.write_cols->at(0)] += entry.file.row_count;
          EXPECT_EQ(VideoIndex(entry).row_count, entry.file.row_count);
          break;
        case DataFileKind::kVector:
          sidecar_rows["vectors"] += entry.file.row_count;
          break;
      }
    }
    check_group();
    EXPECT_THAT(changes.staged_paths, ::testing::UnorderedElementsAreArray(paths));
  }

  std::unique_ptr<ParquetFileReader> OpenParquet(const ManifestEntry& entry) {
    return ParquetFileReader::Open(*files_, PathIn(entry), entry.file.file_size).ValueOrDie();
  }
  BlobFileIndex BlobIndex(const ManifestEntry& entry) {
    return ReadBlobFileIndex(*files_, PathIn(entry), entry.file.file_size).ValueOrDie();
  }
  VideoFileIndex VideoIndex(const ManifestEntry& entry) {
    return ReadVideoFileIndex(*files_, PathIn(entry), entry.file.file_size).ValueOrDie();
  }
  std::string Bytes(const ManifestEntry& entry, int64_t offset, int64_t length) {
    return files_->ReadAll(PathIn(entry)).ValueOrDie().substr(offset, length);
  }
  std::vector<int64_t> IdsOf(const ManifestEntry& entry) {
    auto reader = OpenParquet(entry);
    const auto rows = reader->ReadRows({"id"}, {*schema_->FindField("id")}, 0, reader->row_count()).ValueOrDie();
    const auto& ids = static_cast<const arrow::Int64Array&>(*rows->column(0));
    std::vector<int64_t> values;
    for (int64_t i = 0; i < ids.length(); ++i) values.push_back(ids.Value(i));
    return values;
  }

  static std::vector<std::string> Kinds(const FileChanges& changes) {
    std::vector<std::string> kinds;
    for (const auto& entry : changes.entries) {
      const std::string kind[] = {"normal", "blob", "video", "vector"};
      kinds.push_back(kind[static_cast<int>(entry.file.kind())]);
      if (entry.file.kind() == DataFileKind::kBlob || entry.file.kind() == DataFileKind::kVideo) {
        kinds.back() += ":" + entry.file.write_cols->at(0);
      }
      kinds.back() += ":" + std::to_string(entry.file.row_count);
    }
    return kinds;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
  std::shared_ptr<const TableSchema> schema_;
};

TEST_F(TableWriterTest, ATableWithoutSidecarsHasOnlyNormalFiles) {
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
  const auto changes = WriteAll({Rows({{"id", Counted(5)}, {"name", ArrayOf(arrow::utf8(), R"(["c", "a", null, "b",
      "z"])")}}),
                                 Rows({{"id", Counted(3, 5)}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:8"));
  const DataFile& file = changes.entries[0].file;
  EXPECT_FALSE(file.write_cols.has_value());
  EXPECT_FALSE(file.value_stats_cols.has_value());
  EXPECT_THAT(file.file_name, ::testing::MatchesRegex("data-[0-9a-f-]{36}-0\\.parquet"));
  EXPECT_EQ(changes.entries[0].partition, EmptyBinaryRow());
  EXPECT_EQ(file.min_key, EmptyBinaryRow());
  const std::vector<DataType> types = {schema_->fields[0].type, schema_->fields[1].type};
  const auto least = DecodeBinaryRow(file.value_stats.min_values, types).ValueOrDie();
  EXPECT_EQ(least[1]->ToString(), "a");
  EXPECT_THAT(*file.value_stats.null_counts, ElementsAre(0, 4));
  EXPECT_THAT(IdsOf(changes.entries[0]), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(file.delete_row_count, 0);
  EXPECT_TRUE(file.extra_files.empty());
}

TEST_F(TableWriterTest, NothingWrittenIsNothingMade) {
  MakeTable({arrow::field("id", arrow::int64())});
  auto writer = Open();
  ASSERT_TRUE(writer->Write(Rows({{"id", Counted(0)}})).ok());
  EXPECT_TRUE(writer->Finish().ValueOrDie().empty());
  EXPECT_TRUE(FilesBelow(PathOf("t")).empty());
}

TEST_F(TableWriterTest, StatisticsCanBeTurnedOff) {
  MakeTable({arrow::field("id", arrow::int64())}, {{"metadata.stats-mode", "none"}});
  const DataFile file = WriteAll({Rows({{"id", Counted(2)}})}).entries[0].file;
  EXPECT_TRUE(file.value_stats_cols->empty());
  EXPECT_EQ(file.value_stats.min_values, EmptyBinaryRow());
}

TEST_F(TableWriterTest, RollsNormalFilesByRowsAndByBytes) {
  MakeTable({arrow::field("id", arrow::int64())}, {{"target-file-row-num", "4"}});
  const auto by_rows = WriteAll({Rows({{"id", Counted(3)}}), Rows({{"id", Counted(6, 3)}})});
  EXPECT_THAT(Kinds(by_rows), ElementsAre("normal:4", "normal:4", "normal:1"));
  EXPECT_THAT(IdsOf(by_rows.entries[1]), ElementsAre(4, 5, 6, 7));
  MakeTable({arrow::field("id", arrow::int64())}, {{"target-file-size", "80 b"}});
  EXPECT_THAT(Kinds(WriteAll({Rows({{"id", Counted(25)}})})), ElementsAre("normal:10", "normal:10", "normal:5"));
}

TEST_F(TableWriterTest, SidecarsFollowTheirNormalFileInTableOrder) {
  const auto vector = arrow::fixed_size_list(arrow::float32(), 2);
  MakeTable(
      {arrow::field("emb", vector), arrow::field("video", arrow::large_binary()), arrow::field("id", arrow::int64()),
       arrow::field("picture", arrow::large_binary()), arrow::field("inline", arrow::large_binary())},
      {{"video-frame-field", "video"},
       {"reelhouse.video.validation", "none"},
       {"vector.file.format", "parquet"},
       {"blob-descriptor-field", "inline"},
       {"target-file-row-num", "2"}});
  const auto changes = WriteAll({Rows({{"id", Counted(3)},
                                       {"emb", ArrayOf(vector, "[[1, 2], [3, 4], [5, 6]]")},
                                       {"picture", Blobs({"a", std::nullopt, ""})},
                                       {"inline", Blobs({BlobDescriptor{"x", 0, 1}.Serialize(), {}, {}})}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:2", "video:video:2", "blob:picture:2", "vector:2", "normal:1",
                                          "video:video:1", "blob:picture:1", "vector:1"));
  const DataFile& normal = changes.entries[0].file;
  EXPECT_THAT(*normal.write_cols, ElementsAre("id", "inline"));
  EXPECT_THAT(*normal.value_stats_cols, ElementsAre("id", "inline"));
  EXPECT_THAT(*changes.entries[3].file.write_cols, ElementsAre("emb"));
  EXPECT_EQ(changes.entries[3].file.value_stats.min_values, EmptyBinaryRow());
  EXPECT_FALSE(changes.entries[3].file.value_stats_cols.has_value());
  const DataFile& blob = changes.entries[2].file;
  EXPECT_EQ(BinaryRowArity(blob.value_stats.min_values).ValueOrDie(), 1);
  EXPECT_THAT(*blob.value_stats.null_counts, ElementsAre(0));
  EXPECT_FALSE(blob.value_stats_cols.has_value());
  EXPECT_THAT(BlobIndex(changes.entries[2]).lengths_bytes, ElementsAre(1, BlobFileIndex::kNull));
  EXPECT_EQ(VideoIndex(changes.entries[1]).runs[0].payload, VideoFileIndex::Run::kNull);
}

TEST_F(TableWriterTest, WriteColsOptimizationLeavesTheListOut) {
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("b", arrow::large_binary())},
            {{"data-evolution.write-cols-optimization.enabled", "true"}});
  EXPECT_FALSE(WriteAll({Rows({{"id", Counted(2)}})}).entries[0].file.write_cols.has_value());
}

TEST_F(TableWriterTest, BlobFilesRollBySizeWhileTheNormalFileGoesOn) {
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("b", arrow::large_binary())},
            {{"blob.target-file-size", "50 b"}});
  const std::string ten(10, 'x');
  const auto changes = WriteAll({Rows({{"id", Counted(5)}, {"b", Blobs({ten, ten, ten, ten, ten})}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:5", "blob:b:2", "blob:b:2", "blob:b:1"));
  EXPECT_THAT(changes.entries[2].file.file_name, ::testing::EndsWith("-1.blob"));
}

TEST_F(TableWriterTest, CopiesWhatDescriptorsNameUnlessTheyAreLiteral) {
  ASSERT_TRUE(files_->Replace(PathOf("source.bin"), "0123456789").ok());
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("b", arrow::large_binary())});
  const std::string range = BlobDescriptor{PathOf("source.bin"), 2, 3}.Serialize();
  const std::string tail = BlobDescriptor{PathOf("source.bin"), 7, -1}.Serialize();
  const std::string video = VideoFrameDescriptor{PathOf("source.bin"), 1, 4, 9, -1, 0}.Serialize();
  RowBatch rows = Rows({{"id", Counted(4)}, {"b", Blobs({range, tail, video, range})}});
  rows.literal_blobs["b"] = {3};
  const auto changes = WriteAll({rows});
  const auto index = BlobIndex(changes.entries[1]);
  const std::vector<std::string> expected = {"234", "789", "1234", range};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(Bytes(changes.entries[1], index.offsets_bytes[i], index.lengths_bytes[i]), expected[i]);
  }
}

TEST_F(TableWriterTest, RefusesReferencesThatCannotBeFollowedBeforeAnyFileIsMade) {
  ASSERT_TRUE(files_->Replace(PathOf("source.bin"), "0123456789").ok());
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("b", arrow::large_binary())});
  const auto error_of = [&](const std::string& cell) {
    auto writer = Open();
    const Status status = writer->Write(Rows({{"id", Counted(2)}, {"b", Blobs({"fine", cell})}}));
    EXPECT_TRUE(FilesBelow(PathOf("t")).empty());
    EXPECT_FALSE(writer->Finish().ok()) << "a writer that failed stays failed";
    return status.message();
  };
  EXPECT_THAT(error_of(BlobDescriptor{PathOf("source.bin"), 4, 400}.Serialize()),
              HasSubstr("expected 400 bytes, found 6"));
  EXPECT_THAT(error_of(BlobDescriptor{PathOf("source.bin"), 11, -1}.Serialize()), HasSubstr("found 0"));
  EXPECT_THAT(error_of(BlobDescriptor{PathOf("missing.bin"), 0, 1}.Serialize()), HasSubstr("missing.bin"));
  EXPECT_THAT(error_of(BlobDescriptor{"/etc/passwd", 0, 1}.Serialize()), HasSubstr("Blob"));
  EXPECT_THAT(error_of(BlobDescriptor{PathOf("source.bin"), 4, 2}.Serialize() + "z"), HasSubstr("row 1"));
}

TEST_F(TableWriterTest, DescriptorFieldsHoldExactlyOneDescriptor) {
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("b", arrow::large_binary())},
            {{"blob-descriptor-field", "b"}});
  EXPECT_THAT(Open()->Write(Rows({{"id", Counted(1)}, {"b", Blobs({"raw"})}})).message(),
              HasSubstr("blob-descriptor-field requires blob field value to be a serialized BlobDescriptor."));
  EXPECT_TRUE(Open()->Write(Rows({{"id", Counted(1)}, {"b", Blobs({BlobDescriptor{"/any", 0, 1}.Serialize()})}})).ok());
}

TEST_F(TableWriterTest, StoresArraysAndMapsOfBlobs) {
  ASSERT_TRUE(files_->Replace(PathOf("source.bin"), "0123456789").ok());
  MakeTable({arrow::field("id", arrow::int64()), arrow::field("list", arrow::list(arrow::large_binary())),
             arrow::field("map", arrow::map(arrow::utf8(), arrow::large_binary()))});
  const auto list = arrow::list(arrow::large_binary());
  auto elements = Blobs({"a", std::nullopt, BlobDescriptor{PathOf("source.bin"), 2, 3}.Serialize()});
  auto lists =
      std::make_shared<arrow::ListArray>(list, 1, arrow::Buffer::FromVector(std::vector<int32_t>{0, 3}), elements);
  const auto changes = WriteAll(
      {Rows({{"id", Counted(1)},
             {"list", lists},
             {"map", ArrayOf(arrow::map(arrow::utf8(), arrow::large_binary()), R"([[["k", "v"], ["n", null]]])")}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:1", "blob:list:1", "blob:map:1"));
  const auto list_index = BlobIndex(changes.entries[1]);
  const std::string payload = Bytes(changes.entries[1], list_index.offsets_bytes[0], list_index.lengths_bytes[0]);
  const auto found = DecodeBlobArray(payload, "").ValueOrDie();
  EXPECT_EQ(payload.substr(found[2].offset_bytes, found[2].length_bytes), "234");
  EXPECT_EQ(found[1].length_bytes, -1);
  const auto map_index = BlobIndex(changes.entries[2]);
  const auto map =
      DecodeBlobMap(Bytes(changes.entries[2], map_index.offsets_bytes[0], map_index.lengths_bytes[0]), "").ValueOrDie();
  EXPECT_THAT(map.keys, ElementsAre("k", "n"));
}

TEST_F(TableWriterTest, DividesRowsByPartitionAndKeepsTheirOrder) {
  MakeTable({arrow::field("p", arrow::utf8()), arrow::field("id", arrow::int64())}, {}, {"p"});
  const auto p = ArrayOf(arrow::utf8(), R"(["b", null, "a", "", "b", " ", "a/b", null])");
  const auto changes = WriteAll({Rows({{"p", p}, {"id", Counted(8)}})});
  ASSERT_EQ(changes.entries.size(), 6u);
  EXPECT_THAT(IdsOf(changes.entries[0]), ElementsAre(0, 4));
  EXPECT_THAT(IdsOf(changes.entries[1]), ElementsAre(1, 7));
  EXPECT_THAT(IdsOf(changes.entries[2]), ElementsAre(2));
  EXPECT_THAT(IdsOf(changes.entries[3]), ElementsAre(3));
  std::set<std::string> partitions;
  for (const auto& entry : changes.entries) partitions.insert(entry.partition);
  EXPECT_EQ(partitions.size(), 6u) << "NULL, empty and blank are three partitions";
  EXPECT_THAT(PathIn(changes.entries[5]), HasSubstr("p=a%2Fb/bucket-0/"));
  EXPECT_TRUE(OpenParquet(changes.entries[0])->HasColumn("p"));
}

TEST_F(TableWriterTest, ManyPartitionsInOneAppendNeedFewOpenFiles) {
  MakeTable({arrow::field("p", arrow::int64()), arrow::field("id", arrow::int64())}, {}, {"p"});
  auto writer = Open();
  ASSERT_TRUE(writer->Write(Rows({{"p", Counted(300)}, {"id", Counted(300)}})).ok());
  ASSERT_TRUE(writer->Write(Rows({{"p", Counted(300)}, {"id", Counted(300, 300)}})).ok());
  const auto changes = writer->Finish().ValueOrDie();
  ASSERT_EQ(changes.entries.size(), 300u);
  EXPECT_THAT(IdsOf(changes.entries[7]), ElementsAre(7, 307));
}

TEST_F(TableWriterTest, VideosAreStoredOnceAFileWhateverRowsShow) {
  MakeVideoTable();
  const auto first = VideoFile("a.mp4", "first video");
  const auto second = VideoFile("b.mp4", "second");
  const auto changes = WriteAll(
      {VideoRows({{first, 0, 3}, {nullptr, 0, 2}, {second, 5, 2}}), VideoRows({{second, 7, 1}, {first, 1, 2}}, 7)});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:10", "video:video:10"));
  const auto index = VideoIndex(changes.entries[1]);
  ASSERT_EQ(index.payloads.size(), 2u);
  EXPECT_EQ(Bytes(changes.entries[1], 0, 17), "first videosecond");
  ASSERT_EQ(index.runs.size(), 4u);
  EXPECT_EQ(index.runs[2].row_count, 3) << "runs go on over batches";
  EXPECT_EQ(index.runs[3].payload, 0);
}

TEST_F(TableWriterTest, VideoFilesRollAtVideosOnly) {
  MakeVideoTable({{"blob.target-file-size", "10 b"}});
  const auto first = VideoFile("a.mp4", "twelve bytes");
  const auto second = VideoFile("b.mp4", "1234");
  const auto third = VideoFile("c.mp4", "5678");
  const auto changes = WriteAll({VideoRows({{first, 0, 2}}), VideoRows({{first, 2, 2}, {second, 0, 1}, {third, 0, 1}}),
                                 VideoRows({{first, 0, 1}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:7", "video:video:4", "video:video:3"));
  EXPECT_EQ(VideoIndex(changes.entries[2]).payloads.size(), 3u) << "the first video is copied again";
}

TEST_F(TableWriterTest, GroupsOfVideoTablesAreCutWhereTheVideosOfAllColumnsChange) {
  MakeTable(
      {arrow::field("id", arrow::int64()), arrow::field("left", arrow::large_binary()),
       arrow::field("right", arrow::large_binary())},
      {{"video-frame-field", "left,right"}, {"reelhouse.video.validation", "none"}, {"target-file-row-num", "3"}});
  const auto a = VideoFile("a.mp4", "a");
  const auto b = VideoFile("b.mp4", "bb");
  // Row:   0 1 2 3 4 5 6 7
  // left:  a a a a b b . .    right: b b b b b b . .
  const auto changes = WriteAll({Rows({{"id", Counted(8)}}, {{"left", {{a, 0, 4}, {b, 0, 2}, {nullptr, 0, 2}}},
                                                             {"right", {{b, 0, 6}, {nullptr, 0, 2}}}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:4", "video:left:4", "video:right:4", "normal:3", "video:left:3",
                                          "video:right:3", "normal:1", "video:left:1", "video:right:1"));
}

TEST_F(TableWriterTest, GroupsOfVideoTablesHoldAbout131072Rows) {
  MakeVideoTable();
  const auto a = VideoFile("a.mp4", "a");
  const auto b = VideoFile("b.mp4", "b");
  const auto changes = WriteAll({VideoRows({{a, 0, 100000}, {b, 0, 100000}, {a, 0, 10}, {nullptr, 0, 140000}})});
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:200000", "video:video:200000", "normal:131072", "video:video:131072",
                                          "normal:8938", "video:video:8938"));
}

TEST_F(TableWriterTest, TakesVideosFromMemoryAndFromTheMiddleOfFiles) {
  MakeVideoTable();
  ASSERT_TRUE(files_->Replace(PathOf("pack"), "JUNKvideoJUNK").ok());
  auto range = std::make_shared<VideoPayload>();
  range->location = PathOf("pack");
  range->offset_bytes = 4;
  range->length_bytes = 5;
  const auto changes = WriteAll({VideoRows({{VideoInMemory("memory"), 0, 2}, {range, 0, 1}})});
  EXPECT_EQ(Bytes(changes.entries[1], 0, 11), "memoryvideo");
}

TEST_F(TableWriterTest, AnAddressThatIsUsedAgainIsAnotherVideo) {
  MakeVideoTable();
  auto writer = Open();
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string content(1000, static_cast<char>('a' + i));
    expected += content;
    ASSERT_TRUE(writer->Write(VideoRows({{VideoInMemory(content), 0, 1}}, i)).ok());
  }
  const auto changes = writer->Finish().ValueOrDie();
  EXPECT_EQ(Bytes(changes.entries[1], 0, 20000), expected);
}

TEST_F(TableWriterTest, RefusesSourcesThatCannotBeCopiedAndNamesThem) {
  MakeVideoTable();
  const auto error_of = [&](std::shared_ptr<VideoPayload> payload) {
    auto writer = Open();
    const Status status = writer->Write(VideoRows({{VideoFile("good.mp4", "good"), 0, 1}, {payload, 0, 1}}));
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(FilesBelow(PathOf("t")).empty()) << "refused before a file is made";
    return status.message();
  };
  auto payload = std::make_shared<VideoPayload>(*VideoFile("v.mp4", "12345678"));
  payload->length_bytes = 108;
  EXPECT_THAT(error_of(payload), HasSubstr("v.mp4: expected 108 bytes, found 8"));
  payload->length_bytes = 0;
  EXPECT_THAT(error_of(payload), HasSubstr("v.mp4: the video is empty"));
  payload->length_bytes = -1;
  payload->location = PathOf("missing.mp4");
  EXPECT_THAT(error_of(payload), HasSubstr("missing.mp4"));
  std::filesystem::create_directory(PathOf("folder.mp4"));
  payload->location = PathOf("folder.mp4");
  EXPECT_THAT(error_of(payload), HasSubstr("folder.mp4"));
  payload->location = "http://host/v.mp4";
  EXPECT_THAT(error_of(payload), HasSubstr("http"));
}

// Real videos of another engine: 9 and 5 frames with keyframe indexes.
class StoredVideos : public TableWriterTest {
 protected:
  void SetUp() override {
    const std::filesystem::path vectors(REELHOUSE_SOURCE_DIR "/tests/data/vectors/video_two");
    if (!std::filesystem::exists(vectors)) GTEST_SKIP() << "no vectors in " << vectors;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(vectors)) {
      if (entry.path().extension() != ".video") continue;
      const auto index =
          ReadVideoFileIndex(*files_, entry.path(), static_cast<int64_t>(entry.file_size())).ValueOrDie();
      if (index.payloads.size() == 2) {
        path_ = entry.path();
        index_ = index;
      }
    }
    ASSERT_FALSE(path_.empty());
  }

  std::shared_ptr<VideoPayload> Stored(int which, bool with_index) const {
    const auto& payload = index_.payloads[which];
    auto video = std::make_shared<VideoPayload>();
    video->name = "v" + std::to_string(which) + ".mp4";
    video->location = path_;
    video->offset_bytes = payload.offset_bytes;
    video->length_bytes = payload.length_bytes;
    if (with_index) {
      video->keyframe_index_offset_bytes = payload.keyframe_index_offset_bytes;
      video->keyframe_index_length_bytes = payload.keyframe_index_length_bytes;
    }
    return video;
  }

  std::string IndexBytes(const VideoFileIndex::Payload& payload, const std::string& path) {
    return files_->ReadAll(path).ValueOrDie().substr(payload.keyframe_index_offset_bytes,
                                                     payload.keyframe_index_length_bytes);
  }

  std::string path_;
  VideoFileIndex index_;
};

TEST_F(StoredVideos, RowsMustFitTheFramesOfTheVideo) {
  MakeVideoTable({{"reelhouse.video.validation", "frames"}});
  auto writer = Open();
  EXPECT_THAT(writer->Write(VideoRows({{Stored(0, false), 4, 6}})).message(),
              HasSubstr("v0.mp4: holds 9 frames, but rows need frames 4 to 9"));
  EXPECT_TRUE(FilesBelow(PathOf("t")).empty());
  EXPECT_TRUE(Open()->Write(VideoRows({{Stored(0, false), 4, 5}})).ok());
  EXPECT_THAT(Open()->Write(VideoRows({{VideoFile("junk.mp4", "no video"), 0, 1}})).message(), HasSubstr("junk.mp4"));
}

TEST_F(StoredVideos, KeyframeIndexesAreMadeOrCopied) {
  MakeVideoTable({{"reelhouse.video.validation", "frames"}});
  for (const bool with_index : {false, true}) {
    const auto changes = WriteAll({VideoRows({{Stored(0, with_index), 0, 9}, {Stored(1, with_index), 0, 5}})});
    const auto index = VideoIndex(changes.entries[1]);
    ASSERT_EQ(index.payloads.size(), 2u);
    for (int i = 0; i < 2; ++i) {
      ASSERT_GT(index.payloads[i].keyframe_index_length_bytes, 0);
      const std::string stored = IndexBytes(index.payloads[i], PathIn(changes.entries[1]));
      const auto found = KeyframeIndex::Deserialize(stored, index.payloads[i].length_bytes).ValueOrDie();
      EXPECT_EQ(found, KeyframeIndex::Deserialize(IndexBytes(index_.payloads[i], path_), index.payloads[i].length_bytes)
                           .ValueOrDie());
    }
  }
}

TEST_F(StoredVideos, AStoredKeyframeIndexThatIsNoneIsRefused) {
  MakeVideoTable();
  auto broken = Stored(0, true);
  broken->keyframe_index_offset_bytes += 1;
  EXPECT_THAT(Open()->Write(VideoRows({{broken, 0, 1}})).message(), HasSubstr("v0.mp4: keyframe index at byte"));
  broken->keyframe_index_length_bytes = int64_t{17} << 20;
  EXPECT_THAT(Open()->Write(VideoRows({{broken, 0, 1}})).message(), HasSubstr("expected at most 16777216"));
}

Status StageInPieces(StagedVideo& staged, std::string_view content) {
  for (const char c : content) ARROW_RETURN_NOT_OK(staged.Append(&c, 1));
  return Status::OK();
}

TEST_F(TableWriterTest, StagedVideosGoStraightIntoTheFileOfTheirRows) {
  MakeVideoTable({{"blob.target-file-size", "10 b"}});
  auto writer = Open();
  int64_t rows = 0;
  for (const std::string content : {"first!", "second", "third?"}) {
    auto staged = writer->StageVideo("video", VideoRows({{nullptr, 0, 2}})).ValueOrDie();
    if (rows == 0) {
      EXPECT_TRUE(FilesBelow(PathOf("t")).empty()) << "no file before the first byte";
    }
    ASSERT_TRUE(StageInPieces(*staged, content).ok());
    ASSERT_TRUE(staged->Overwrite(1, "#", 1).ok());
    const auto payload = staged->Finish({}, 2).ValueOrDie();
    staged.reset();
    ASSERT_TRUE(writer->Write(VideoRows({{payload, 0, 2}}, rows)).ok());
    rows += 2;
  }
  const auto changes = writer->Finish().ValueOrDie();
  CheckEntries(changes);
  EXPECT_THAT(Kinds(changes), ElementsAre("normal:6", "video:video:4", "video:video:2"));
  EXPECT_EQ(Bytes(changes.entries[1], 0, 12), "f#rst!s#cond");
  EXPECT_EQ(Bytes(changes.entries[2], 0, 6), "t#ird?");
}

TEST_F(TableWriterTest, VideosOfSeveralColumnsAreStagedByAThreadEach) {
  arrow::FieldVector fields = {arrow::field("id", arrow::int64())};
  const std::vector<std::string> columns = {"a", "b", "c"};
  for (const auto& column : columns) fields.push_back(arrow::field(column, arrow::large_binary()));
  MakeTable(fields, {{"video-frame-field", "a,b,c"},
                     {"reelhouse.video.validation", "none"},
                     {"target-file-row-num", "2"},
                     {"blob.target-file-size", "1 b"}});
  auto writer = Open();
  for (int64_t episode = 0; episode < 3; ++episode) {
    RowBatch rows = Rows({{"id", Counted(2, episode * 2)}});
    std::vector<std::unique_ptr<StagedVideo>> staged;
    for (const auto& column : columns) staged.push_back(writer->StageVideo(column, rows).ValueOrDie());
    std::vector<std::thread> threads;
    for (auto& video : staged) {
      threads.emplace_back([&video] { EXPECT_TRUE(StageInPieces(*video, "encoded").ok()); });
    }
    for (auto& thread : threads) thread.join();
    for (size_t i = 0; i < columns.size(); ++i) {
      rows.videos[columns[i]] = {{staged[i]->Finish({}, 2).ValueOrDie(), 0, 2}};
    }
    staged.clear();
    ASSERT_TRUE(writer->Write(rows).ok());
  }
  const auto changes = writer->Finish().ValueOrDie();
  CheckEntries(changes);
  EXPECT_EQ(changes.entries.size(), 12u);
  for (const auto& entry : changes.entries) {
    if (entry.file.kind() == DataFileKind::kVideo) {
      EXPECT_EQ(VideoIndex(entry).payloads.size(), 1u) << "nothing is copied";
    }
  }
}

TEST_F(TableWriterTest, RowsOfOtherPartitionsGetACopyOfAStagedVideo) {
  MakeVideoTable({}, {"id"});
  auto writer = Open();
  const RowBatch rows = VideoRows({{nullptr, 0, 3}});
  auto staged = writer->StageVideo("video", rows).ValueOrDie();
  ASSERT_TRUE(StageInPieces(*staged, "encoded").ok());
  const auto payload = staged->Finish({}, 3).ValueOrDie();
  staged.reset();
  ASSERT_TRUE(writer->Write(VideoRows({{payload, 0, 3}})).ok());
  const auto changes = writer->Finish().ValueOrDie();
  CheckEntries(changes);
  ASSERT_EQ(changes.entries.size(), 6u);
  for (int i = 1; i < 6; i += 2) {
    EXPECT_EQ(Bytes(changes.entries[i], 0, 7), "encoded");
    EXPECT_EQ(VideoIndex(changes.entries[i]).runs[0].first_frame_index, i / 2);
  }
}

TEST_F(TableWriterTest, AStagedVideoThatIsGivenUpFailsTheAppendAndLeavesNothing) {
  MakeVideoTable();
  {
    auto writer = Open();
    ASSERT_TRUE(writer->Write(VideoRows({{VideoFile("a.mp4", "a"), 0, 1}})).ok());
    EXPECT_FALSE(FilesBelow(PathOf("t")).empty());
    auto staged = writer->StageVideo("video", VideoRows({{nullptr, 0, 2}})).ValueOrDie();
    ASSERT_TRUE(staged->Append("x", 1).ok());
    staged.reset();
    EXPECT_FALSE(writer->Finish().ok());
  }
  EXPECT_TRUE(FilesBelow(PathOf("t")).empty());
}

TEST_F(TableWriterTest, AStagedVideoWithoutRowsIsNotStored) {
  MakeVideoTable();
  auto writer = Open();
  auto staged = writer->StageVideo("video", VideoRows({{nullptr, 0, 2}})).ValueOrDie();
  ASSERT_TRUE(staged->Append("x", 1).ok());
  ASSERT_TRUE(staged->Finish({}, 1).ok());
  staged.reset();
  const auto changes = writer->Finish().ValueOrDie();
  EXPECT_TRUE(changes.empty());
  for (const auto& path : FilesBelow(PathOf("t"))) EXPECT_TRUE(std::filesystem::is_directory(path)) << path;
}

TEST_F(TableWriterTest, CanBeCancelled) {
  MakeVideoTable();
  WriteContext context;
  context.files = files_;
  context.schema = schema_;
  context.table_path = PathOf("t");
  bool is_cancelled = false;
  context.cancelled = [&] { return is_cancelled ? Status::Cancelled("stop") : Status::OK(); };
  {
    auto writer = TableWriter::Make(context).ValueOrDie();
    ASSERT_TRUE(writer->Write(VideoRows({{nullptr, 0, 2}})).ok());
    is_cancelled = true;
    EXPECT_TRUE(writer->Finish().status().IsCancelled());
  }
  EXPECT_TRUE(FilesBelow(PathOf("t")).empty());
}

TEST_F(TableWriterTest, EveryFaultPointLeavesNothingBehind) {
  MakeTable({arrow::field("p", arrow::utf8()), arrow::field("id", arrow::int64()),
             arrow::field("video", arrow::large_binary()), arrow::field("b", arrow::large_binary())},
            {{"video-frame-field", "video"}, {"reelhouse.video.validation", "none"}, {"target-file-row-num", "2"}},
            {"p"});
  const auto a = VideoFile("a.mp4", "a video");
  const auto append = [&](const std::shared_ptr<FileStore>& files) -> Status {
    auto writer = OpenOn(files, "faulty");
    auto rows = Rows({{"p", ArrayOf(arrow::utf8(), R"(["x", "y", "x", "x"])")},
                      {"id", Counted(4)},
                      {"b", Blobs({"1", "2", std::nullopt, "4"})}},
                     {{"video", {{a, 0, 2}, {nullptr, 0, 2}}}});
    ARROW_RETURN_NOT_OK(writer->Write(rows));
    ARROW_ASSIGN_OR_RAISE(auto staged, writer->StageVideo("video", rows));
    ARROW_RETURN_NOT_OK(staged->Append("encoded", 7));
    ARROW_RETURN_NOT_OK(staged->Overwrite(0, "E", 1));
    ARROW_ASSIGN_OR_RAISE(const auto payload, staged->Finish({}, 4));
    staged.reset();
    rows.videos["video"] = {{payload, 0, 4}};
    ARROW_RETURN_NOT_OK(writer->Write(rows));
    return writer->Finish().status();
  };
  for (const auto moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    const int64_t points = WalkFaults(moment, append, [&](const Status& outcome, const StorageCall&) {
      EXPECT_FALSE(outcome.ok());
      EXPECT_TRUE(FilesBelow(PathOf("faulty")).empty());
    });
    EXPECT_GT(points, 20);
    std::filesystem::remove_all(PathOf("faulty"));
  }
}

}  // namespace
}  // namespace reelhouse
