#include "reelhouse/deletion/deletion_vectors.h"

#include <filesystem>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/crc32.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/deletion/roaring_layout.h"
#include "reelhouse/manifest/table_paths.h"
#include "tests/support/vector_table.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

constexpr std::string_view kMagicHex = "5e43f2d0";

std::vector<uint32_t> AllPositions(const DeletionVector& vector) { return vector.PositionsIn(0, 1u << 31); }

class DeletionVectorFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("deletion_" + std::to_string(::getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  // Reads a file of these bytes.
  Result<DeletionVectors> Read(std::string_view bytes, const std::vector<DeletionVectorRange>& ranges) {
    IndexFile index_file;
    index_file.deletion_vectors = ranges;
    EXPECT_TRUE(files_->Replace(Path("index-1-1"), bytes).ok());
    return ReadDeletionVectors(*files_, Path("index-1-1"), index_file);
  }
  std::string ReadError(std::string_view bytes, const std::vector<DeletionVectorRange>& ranges) {
    const Status status = Read(bytes, ranges).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    return status.message();
  }

  std::filesystem::path folder_;
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
};

const std::string kExample = FromHex(
    "01000000185e43f2d03a3000000100000000000100100000000100"
    "0300da2d59d3");

TEST_F(DeletionVectorFile, ReadsTheExampleOfTheFormatNotes) {
  auto vectors = Read(kExample, {{"data-1", 1, 24, 2}});
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_THAT(AllPositions(vectors->at("data-1")), ElementsAre(1, 3));
}

TEST_F(DeletionVectorFile, WritesTheExampleOfTheFormatNotes) {
  DeletionVectors vectors;
  vectors.emplace("data-1", DeletionVector({3, 1}));
  auto written = WriteDeletionVectors(*files_, folder_.string(), vectors);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*files_->ReadAll(Path(written->file_name)), kExample);
  EXPECT_EQ(written->file_size, 33);
  EXPECT_EQ(written->row_count, 1);
  EXPECT_EQ(written->index_type, kDeletionVectorsIndex);
  EXPECT_THAT(*written->deletion_vectors, ElementsAre(DeletionVectorRange{"data-1", 1, 24, 2}));
}

TEST_F(DeletionVectorFile, ReadsAndWritesTheVectorsOfPypaimonByteForByte) {
  int files = 0;
  for (const std::string& name : VectorTable::Names()) {
    SCOPED_TRACE(name);
    VectorTable table(name);
    const TablePaths paths(table.path(), table.latest_schema());
    for (const IndexFile& index_file : table.IndexFiles()) {
      const std::string path = *paths.IndexFilePath(index_file);
      auto vectors = ReadDeletionVectors(*table.files(), path, index_file);
      ASSERT_TRUE(vectors.ok()) << vectors.status();
      EXPECT_EQ(static_cast<int64_t>(vectors->size()), index_file.row_count);
      // Through positions, so that our own encoding is compared and not what was kept of theirs.
      DeletionVectors rebuilt;
      for (const auto& [file, vector] : *vectors) rebuilt.emplace(file, DeletionVector(AllPositions(vector)));
      auto written = WriteDeletionVectors(*files_, folder_.string(), rebuilt);
      ASSERT_TRUE(written.ok()) << written.status();
      EXPECT_EQ(*files_->ReadAll(Path(written->file_name)), *files_->ReadAll(path));
      EXPECT_EQ(*written->deletion_vectors, *index_file.deletion_vectors);
      EXPECT_EQ(written->file_size, index_file.file_size);
      ++files;
    }
  }
  EXPECT_GE(files, 3);
}

TEST_F(DeletionVectorFile, HoldsTheRowsThatTheVectorDeleteManyLacks) {
  VectorTable table("delete_many");
  const TablePaths paths(table.path(), table.latest_schema());
  const auto index_files = table.IndexFiles();
  ASSERT_EQ(index_files.size(), 1u);
  auto vectors = ReadDeletionVectors(*table.files(), *paths.IndexFilePath(index_files[0]), index_files[0]);
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  int64_t rows = 0;
  int64_t dead = 0;
  for (const ManifestEntry& entry : table.Live()) rows += entry.file.row_count;
  for (const auto& [file, vector] : *vectors) dead += vector.cardinality();
  std::ifstream expected(VectorTable::Folder() + "/delete_many/expected.json");
  EXPECT_EQ(rows - dead, nlohmann::json::parse(expected)["count_latest"].get<int64_t>());
}

TEST_F(DeletionVectorFile, ReadsOnlyTheVectorsThatAreAskedFor) {
  DeletionVectors vectors;
  vectors.emplace("data-1", DeletionVector({1}));
  vectors.emplace("data-2", DeletionVector({2}));
  auto written = WriteDeletionVectors(*files_, folder_.string(), vectors);
  written->deletion_vectors->erase(written->deletion_vectors->begin());
  auto read = ReadDeletionVectors(*files_, Path(written->file_name), *written);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_TRUE(read->at("data-2").Contains(2));
}

TEST_F(DeletionVectorFile, RefusesDamage) {
  std::string bytes = kExample;
  bytes[0] = 2;
  EXPECT_THAT(ReadError(bytes, {{"data-1", 1, 24, 2}}), HasSubstr("expected version 1, found 2"));
  EXPECT_THAT(ReadError("", {{"data-1", 1, 24, 2}}), HasSubstr("an empty file"));
  bytes = kExample;
  bytes[25] ^= 4;
  EXPECT_THAT(ReadError(bytes, {{"data-1", 1, 24, 2}}),
              HasSubstr("byte 1: CRC mismatch of the deletion vector of data-1"));
  EXPECT_THAT(ReadError(kExample, {{"data-1", 1, 23, 2}}),
              HasSubstr("expected a vector of 23 bytes, found a size of 24"));
  EXPECT_THAT(ReadError(kExample, {{"data-1", 1, 24, 3}}), HasSubstr("expected 3 positions for data-1, found 2"));
  EXPECT_THAT(ReadError(kExample, {{"data-1", 1, 24, 2}, {"data-1", 1, 24, 2}}), HasSubstr("two deletion vectors"));
  for (const DeletionVectorRange& range : std::vector<DeletionVectorRange>{
           {"d", 1, 25, {}}, {"d", 2, 24, {}}, {"d", -1, 24, {}}, {"d", 1, -1, {}}, {"d", INT32_MAX, INT32_MAX, {}}}) {
    EXPECT_THAT(ReadError(kExample, {range}), HasSubstr("does not lie in a file of 33 bytes"));
  }
}

TEST_F(DeletionVectorFile, NamesVectorsOfSixtyFourBits) {
  std::string content;
  AppendLe32(content, 1681511377);
  AppendLe64(content, 0);
  std::string bytes(1, '\1');
  AppendBe32(bytes, static_cast<uint32_t>(content.size()));
  bytes += content;
  AppendBe32(bytes, Crc32(content));
  const Status status = Read(bytes, {{"data-1", 1, 12, 0}}).status();
  EXPECT_TRUE(status.IsNotImplemented());
  EXPECT_THAT(status.message(), HasSubstr("deletion-vectors.bitmap64"));
}

TEST_F(DeletionVectorFile, LeavesNothingBehindIfItCannotBeWritten) {
  DeletionVectors vectors;
  vectors.emplace("data-1", DeletionVector({1}));
  EXPECT_FALSE(WriteDeletionVectors(*files_, "/proc/no/such/folder", vectors).ok());
}

TEST(DeletionVector, AnswersQuestionsAboutRanges) {
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < 200'000; i += 3) positions.push_back(i);
  const DeletionVector vector(positions);
  EXPECT_EQ(vector.cardinality(), static_cast<int64_t>(positions.size()));
  EXPECT_TRUE(vector.Contains(65538));
  EXPECT_FALSE(vector.Contains(65537));
  EXPECT_THAT(vector.PositionsIn(65536, 65545), ElementsAre(65538, 65541, 65544));
  EXPECT_EQ(vector.CardinalityIn(65536, 65545), 3);
  EXPECT_THAT(vector.PositionsIn(5, 5), ElementsAre());
  EXPECT_THAT(vector.PositionsIn(1'000'000, 2'000'000), ElementsAre());
  EXPECT_TRUE(DeletionVector().empty());
}

TEST(DeletionVector, UnitesWithoutChangingEither) {
  const DeletionVector a({1, 2});
  const DeletionVector b({2, 100'000});
  EXPECT_THAT(AllPositions(a.Union(b)), ElementsAre(1, 2, 100'000));
  EXPECT_THAT(AllPositions(a), ElementsAre(1, 2));
  EXPECT_THAT(AllPositions(b), ElementsAre(2, 100'000));
}

TEST(DeletionVector, ComesBackFromItsBytes) {
  std::vector<uint32_t> dense(150'000);
  std::iota(dense.begin(), dense.end(), 0);
  for (const std::vector<uint32_t>& positions :
       std::vector<std::vector<uint32_t>>{{}, {0}, {65535, 65536, (1u << 31) - 1}, dense}) {
    auto again = DeletionVector::Deserialize(DeletionVector(positions).Serialize(), "file");
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(AllPositions(*again), positions);
  }
}

TEST(DeletionVector, ReadsRunContainersOfOtherEngines) {
  // Cookie 12347, one container, a run; no offsets below four containers. Runs 5..9 and 100..100.
  const std::string one = FromHex(std::string(kMagicHex) +
                                  "3b300000"
                                  "01"
                                  "0000"
                                  "0500"
                                  "0200"
                                  "0500"
                                  "0400"
                                  "6400"
                                  "0000");
  auto vector = DeletionVector::Deserialize(one, "file");
  ASSERT_TRUE(vector.ok()) << vector.status();
  EXPECT_THAT(AllPositions(*vector), ElementsAre(5, 6, 7, 8, 9, 100));

  // Four containers with offsets: run, array, run, array.
  std::string bitmap;
  AppendLe32(bitmap, 12347 | 3 << 16);
  bitmap.push_back(0b0101);
  for (const auto& [key, cardinality] : std::vector<std::pair<uint16_t, uint16_t>>{{0, 3}, {1, 1}, {5, 2}, {9, 1}}) {
    AppendLe16(bitmap, key);
    AppendLe16(bitmap, cardinality - 1);
  }
  const size_t first = bitmap.size() + 16;
  for (size_t offset : {first, first + 6, first + 8, first + 14}) AppendLe32(bitmap, static_cast<uint32_t>(offset));
  for (uint16_t word : {1, 10, 2, /*array*/ 7, /*run*/ 1, 0, 1, /*array*/ 65535}) AppendLe16(bitmap, word);
  vector = DeletionVector::Deserialize(FromHex(kMagicHex) + bitmap, "file");
  ASSERT_TRUE(vector.ok()) << vector.status();
  EXPECT_THAT(AllPositions(*vector), ElementsAre(10, 11, 12, 65536 + 7, 5 * 65536, 5 * 65536 + 1, 9 * 65536 + 65535));
  // Runs survive our own writing.
  auto again = DeletionVector::Deserialize(vector->Serialize(), "file");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(AllPositions(*again), AllPositions(*vector));
}

TEST(PortableBitmap, IsRefusedWhereItLies) {
  const auto error = [](std::string_view hex) { return CheckPortableBitmap(FromHex(hex)).message(); };
  EXPECT_EQ(error("3a300000"
                  "00000000"),
            "");
  EXPECT_THAT(error("3a30"), HasSubstr("expected 4 bytes at byte 0, found 2"));
  EXPECT_THAT(error("00000000"
                    "00000000"),
              HasSubstr("expected the cookie 12346 or 12347, found 0"));
  EXPECT_THAT(error("3a300000"
                    "ffffffff"),
              HasSubstr("4294967295 containers"));
  EXPECT_THAT(error("3a300000"
                    "01000000"
                    "0080"
                    "0000"
                    "10000000"
                    "0100"),
              HasSubstr("beyond 2^31 - 1"));
  EXPECT_THAT(error("3a300000"
                    "01000000"
                    "0000"
                    "0000"
                    "11000000"
                    "0100"),
              HasSubstr("its offset is 17"));
  EXPECT_THAT(error("3a300000"
                    "01000000"
                    "0000"
                    "0100"
                    "10000000"
                    "0300"
                    "0300"),
              HasSubstr("do not ascend"));
  EXPECT_THAT(error("3a300000"
                    "01000000"
                    "0000"
                    "0000"
                    "10000000"
                    "0300"
                    "00"),
              HasSubstr("1 bytes behind"));
  EXPECT_THAT(error("3a300000"
                    "02000000"
                    "0000"
                    "0000"
                    "0000"
                    "0000"
                    "18000000"
                    "1a000000"
                    "0100"
                    "0100"),
              HasSubstr("keys that do not ascend"));
  EXPECT_THAT(error("3b300000"
                    "01"
                    "0000"
                    "0500"
                    "0200"
                    "0500"
                    "0400"
                    "0900"
                    "0000"),
              HasSubstr("runs that overlap"));
  EXPECT_THAT(error("3b300000"
                    "01"
                    "0000"
                    "0600"
                    "0200"
                    "0500"
                    "0400"
                    "6400"
                    "0000"),
              HasSubstr("expected 7 values before byte 19, found 6"));
  EXPECT_THAT(error("3b300000"
                    "01"
                    "0000"
                    "0000"
                    "0000"),
              HasSubstr("expected 1 values"));
  EXPECT_THAT(error("3b300000"
                    "01"
                    "0000"
                    "0100"
                    "0100"
                    "ffff"
                    "0100"),
              HasSubstr("runs that overlap"));
  std::string bitset = FromHex(
                           "3a300000"
                           "01000000"
                           "0000"
                           "ff1f"
                           "10000000") +
                       std::string(8192, '\xff');
  EXPECT_THAT(CheckPortableBitmap(bitset).message(), HasSubstr("expected 8192 values before byte 8208, found 65536"));
}

}  // namespace
}  // namespace reelhouse
