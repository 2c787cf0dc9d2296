#include <filesystem>
#include <fstream>

#include <arrow/buffer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/crc32.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "reelhouse/format/blob/blob_file_writer.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BlobFileTest : public ::testing::Test {
 protected:
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

  BlobFileWriter Write(const std::string& name) { return BlobFileWriter(files_->Create(PathOf(name)).ValueOrDie()); }

  Result<BlobFileIndex> ReadBytes(const std::string& bytes) {
    const std::string path = PathOf("bytes.blob");
    ARROW_RETURN_NOT_OK(files_->Replace(path, bytes));
    return ReadBlobFileIndex(*files_, path, static_cast<int64_t>(bytes.size()));
  }

  std::string CorruptionOf(const std::string& bytes) {
    const Status status = ReadBytes(bytes).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status.ToString();
    return status.message();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
};

TEST_F(BlobFileTest, RoundTripsValuesNullsAndPlaceholders) {
  BlobFileWriter writer = Write("a.blob");
  ASSERT_TRUE(writer.AppendValue("hello").ok());
  ASSERT_TRUE(writer.AppendNull().ok());
  ASSERT_TRUE(writer.AppendPlaceholder().ok());
  ASSERT_TRUE(writer.AppendValue("").ok());
  ASSERT_TRUE(writer.AppendValue("world!").ok());
  EXPECT_EQ(writer.row_count(), 5);
  const int64_t size = writer.Finish().ValueOrDie();

  const std::string bytes = files_->ReadAll(PathOf("a.blob")).ValueOrDie();
  ASSERT_EQ(static_cast<int64_t>(bytes.size()), size);
  const BlobFileIndex index = ReadBlobFileIndex(*files_, PathOf("a.blob"), size).ValueOrDie();
  EXPECT_THAT(index.lengths_bytes, ElementsAre(5, -1, -2, 0, 6));
  EXPECT_EQ(bytes.substr(index.offsets_bytes[0], 5), "hello");
  EXPECT_EQ(bytes.substr(index.offsets_bytes[4], 6), "world!");
  // The frame of the first record: magic, payload, length, checksum of all before it.
  EXPECT_EQ(bytes.substr(0, 4), "\xCF\x11\x4E\x58");
  EXPECT_EQ(LoadLe64(bytes.data() + 9), 21u);
  EXPECT_EQ(LoadLe32(bytes.data() + 17), Crc32(bytes.substr(0, 17)));
}

TEST_F(BlobFileTest, WritesTheWorkedExampleOfTheFormat) {
  BlobFileWriter writer = Write("a.blob");
  ASSERT_TRUE(writer.AppendPlaceholder().ok());
  ASSERT_TRUE(writer.AppendPlaceholder().ok());
  ASSERT_TRUE(writer.AppendNull().ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(files_->ReadAll(PathOf("a.blob")).ValueOrDie(), std::string("\x03\x00\x02\x03\x00\x00\x00\x01", 8));
}

TEST_F(BlobFileTest, AFileWithoutRowsIsOnlyAFooter) {
  BlobFileWriter writer = Write("a.blob");
  EXPECT_EQ(writer.Finish().ValueOrDie(), 5);
  EXPECT_EQ(ReadBlobFileIndex(*files_, PathOf("a.blob"), 5).ValueOrDie().row_count(), 0);
}

TEST_F(BlobFileTest, CopiesARangeOfAFileAndRefusesAShorterOne) {
  ASSERT_TRUE(files_->Replace(PathOf("source"), "0123456789").ok());
  auto source = files_->OpenInput(PathOf("source")).ValueOrDie();
  BlobFileWriter writer = Write("a.blob");
  ASSERT_TRUE(writer.AppendValueFrom(*source, 2, 5).ok());
  const int64_t size = writer.Finish().ValueOrDie();
  const BlobFileIndex index = ReadBlobFileIndex(*files_, PathOf("a.blob"), size).ValueOrDie();
  EXPECT_EQ(files_->ReadAll(PathOf("a.blob")).ValueOrDie().substr(index.offsets_bytes[0], 5), "23456");

  BlobFileWriter torn = Write("b.blob");
  EXPECT_THAT(torn.AppendValueFrom(*source, 6, 9).message(), HasSubstr("expected 9 bytes, found 4"));
  EXPECT_FALSE(torn.AppendNull().ok()) << "nothing may follow half a record";
  EXPECT_FALSE(torn.Finish().ok());
}

TEST_F(BlobFileTest, AnUnfinishedFileIsRemoved) {
  {
    BlobFileWriter writer = Write("a.blob");
    ASSERT_TRUE(writer.AppendValue("x").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(PathOf("a.blob")));
}

TEST_F(BlobFileTest, RefusesEveryBrokenIndex) {
  EXPECT_THAT(CorruptionOf("abcd"), HasSubstr("at least 5 bytes"));
  EXPECT_THAT(CorruptionOf(std::string("\0\0\0\0\2", 5)), HasSubstr("version: expected 1, found 2"));
  EXPECT_THAT(CorruptionOf(std::string("\1\0\0\0\1", 5)), HasSubstr("index length"));
  EXPECT_THAT(CorruptionOf(std::string("\xff\xff\xff\xff\1", 5)), HasSubstr("index length"));
  EXPECT_THAT(CorruptionOf(std::string("\x80\1\0\0\0\1", 6)), HasSubstr("row index"));
  // Lengths 1, -3, more than there is, and bytes that no row owns.
  EXPECT_THAT(CorruptionOf(std::string("\2\1\0\0\0\1", 6)), HasSubstr("found 1"));
  EXPECT_THAT(CorruptionOf(std::string("\5\1\0\0\0\1", 6)), HasSubstr("found -3"));
  EXPECT_THAT(CorruptionOf(std::string("\x28\1\0\0\0\1", 6)), HasSubstr("found 20"));
  EXPECT_THAT(CorruptionOf(std::string("junk\1\1\0\0\0\1", 10)), HasSubstr("records end at byte 0"));
}

TEST_F(BlobFileTest, RefusesAFileThatIsShorterThanItsEntrySays) {
  ASSERT_TRUE(files_->Replace(PathOf("a.blob"), std::string("\0\0\0\0\1", 5)).ok());
  const Status status = ReadBlobFileIndex(*files_, PathOf("a.blob"), 500).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status.ToString();
}

// Files of pypaimon: their rows, written again, give their bytes.
TEST_F(BlobFileTest, WritesTheFilesOfTheVectorsAgainByteForByte) {
  const std::filesystem::path vectors(REELHOUSE_SOURCE_DIR "/tests/data/vectors");
  if (!std::filesystem::exists(vectors)) GTEST_SKIP() << "no vectors in " << vectors;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(vectors)) {
    if (entry.path().extension() != ".blob") continue;
    const std::string path = entry.path().string();
    const std::string bytes = files_->ReadAll(path).ValueOrDie();
    auto index = ReadBlobFileIndex(*files_, path, static_cast<int64_t>(bytes.size()));
    ASSERT_TRUE(index.ok()) << index.status().ToString();
    const std::string copy = "copy-" + std::to_string(count++);
    BlobFileWriter writer = Write(copy);
    for (int64_t row = 0; row < index->row_count(); ++row) {
      const int64_t length = index->lengths_bytes[row];
      if (length == BlobFileIndex::kNull) {
        ASSERT_TRUE(writer.AppendNull().ok());
      } else if (length == BlobFileIndex::kPlaceholder) {
        ASSERT_TRUE(writer.AppendPlaceholder().ok());
      } else {
        ASSERT_TRUE(writer.AppendValue(std::string_view(bytes).substr(index->offsets_bytes[row], length)).ok());
      }
    }
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(files_->ReadAll(PathOf(copy)).ValueOrDie(), bytes) << path;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace reelhouse
