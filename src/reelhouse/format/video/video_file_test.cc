#include <filesystem>

#include <arrow/buffer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/video/video_file_reader.h"
#include "reelhouse/format/video/video_file_writer.h"
#include "reelhouse/format/video/video_layout.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

// The five indexes of a file that tests break one at a time: 2 payloads of 10 and 5 bytes, 3 runs.
struct Indexes {
  std::vector<int64_t> payloads = {10, 5};
  std::vector<int64_t> keyframes = {4, 0};
  std::vector<int64_t> rows = {3, 2, 4};
  std::vector<int64_t> references = {0, -1, 1};
  std::vector<int64_t> frames = {7, 0, 0};
  int64_t content_bytes = 19;

  std::string Encode() const {
    std::string body(static_cast<size_t>(content_bytes), 'p');
    std::string footer;
    for (const auto* numbers : {&payloads, &keyframes, &rows, &references, &frames}) {
      const std::string encoded = EncodeDeltaVarints(*numbers);
      AppendLe32(footer, static_cast<uint32_t>(encoded.size()));
      body += encoded;
    }
    AppendLe32(footer, video_layout::kMagic);
    footer.push_back(1);
    return body + footer;
  }
};

class VideoFileTest : public ::testing::Test {
 protected:
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }
  VideoFileWriter Write(const std::string& name) { return VideoFileWriter(files_->Create(PathOf(name)).ValueOrDie()); }

  Result<VideoFileIndex> ReadBytes(const std::string& bytes) {
    ARROW_RETURN_NOT_OK(files_->Replace(PathOf("bytes.video"), bytes));
    return ReadVideoFileIndex(*files_, PathOf("bytes.video"), static_cast<int64_t>(bytes.size()));
  }

  std::string CorruptionOf(const std::string& bytes) {
    const Status status = ReadBytes(bytes).status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status.ToString();
    return status.message();
  }

  static int64_t AppendPayload(VideoFileWriter& writer, std::string_view bytes, std::string_view keyframes) {
    EXPECT_TRUE(writer.BeginPayload().ok());
    EXPECT_TRUE(writer.payload_file().Write(bytes.data(), static_cast<int64_t>(bytes.size())).ok());
    return writer.EndPayload(keyframes).ValueOrDie();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files_ = MakeLocalFileStore({.fsync = false});
};

TEST_F(VideoFileTest, RoundTripsPayloadsAndRunsAndJoinsNeighbours) {
  VideoFileWriter writer = Write("a.video");
  EXPECT_EQ(AppendPayload(writer, "first video", "index"), 0);
  ASSERT_TRUE(writer.AppendFrames(0, 0, 3).ok());
  ASSERT_TRUE(writer.AppendFrames(0, 3, 2).ok());
  EXPECT_EQ(AppendPayload(writer, "2nd", ""), 1);
  ASSERT_TRUE(writer.AppendNulls(1).ok());
  ASSERT_TRUE(writer.AppendNulls(1).ok());
  ASSERT_TRUE(writer.AppendPlaceholders(4).ok());
  ASSERT_TRUE(writer.AppendFrames(1, 9, 1).ok());
  ASSERT_TRUE(writer.AppendFrames(0, 5, 1).ok());
  ASSERT_TRUE(writer.AppendFrames(0, 5, 0).ok());
  EXPECT_EQ(writer.row_count(), 13);
  EXPECT_EQ(writer.content_bytes(), 11 + 3 + 5);
  const int64_t size = writer.Finish().ValueOrDie();

  const VideoFileIndex index = ReadVideoFileIndex(*files_, PathOf("a.video"), size).ValueOrDie();
  ASSERT_EQ(index.payloads.size(), 2u);
  EXPECT_EQ(index.payloads[1].offset_bytes, 11);
  EXPECT_EQ(index.payloads[1].length_bytes, 3);
  EXPECT_EQ(index.payloads[0].keyframe_index_offset_bytes, 14);
  EXPECT_EQ(index.payloads[0].keyframe_index_length_bytes, 5);
  EXPECT_EQ(index.payloads[1].keyframe_index_offset_bytes, -1);
  EXPECT_EQ(index.row_count, 13);
  ASSERT_EQ(index.runs.size(), 5u);
  EXPECT_EQ(index.runs[0].row_count, 5);
  EXPECT_EQ(index.runs[1].row_count, 2);
  EXPECT_EQ(index.runs[1].payload, VideoFileIndex::Run::kNull);
  EXPECT_EQ(index.runs[2].payload, VideoFileIndex::Run::kPlaceholder);
  EXPECT_EQ(index.runs[3].first_row, 11);
  EXPECT_EQ(index.runs[3].first_frame_index, 9);
}

TEST_F(VideoFileTest, WritesTheWorkedExampleOfTheFormat) {
  VideoFileWriter writer = Write("a.video");
  for (const int64_t length : {2365, 2091}) AppendPayload(writer, std::string(length, 'v'), std::string(81, 'k'));
  ASSERT_TRUE(writer.AppendFrames(0, 0, 9).ok());
  ASSERT_TRUE(writer.AppendFrames(1, 0, 5).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string bytes = files_->ReadAll(PathOf("a.video")).ValueOrDie();
  const std::string expected(
      "\xFA\x24\xA3\x04\xA2\x01\x00\x12\x07\x00\x02\x00\x00"
      "\x04\0\0\0\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02\0\0\0IDEO\x01",
      38);
  EXPECT_EQ(bytes.substr(bytes.size() - expected.size()), expected);
}

TEST_F(VideoFileTest, RefusesToWriteWhatNoReaderAccepts) {
  VideoFileWriter writer = Write("a.video");
  ASSERT_TRUE(writer.BeginPayload().ok());
  EXPECT_FALSE(writer.BeginPayload().ok());
  EXPECT_THAT(writer.EndPayload("").status().message(), HasSubstr("at least one byte"));
  ASSERT_TRUE(writer.payload_file().Write("x", 1).ok());
  EXPECT_THAT(writer.EndPayload(std::string((16 << 20) + 1, 'k')).status().message(), HasSubstr("at most 16777216"));
  ASSERT_TRUE(writer.EndPayload("").ok());
  EXPECT_FALSE(writer.AppendFrames(1, 0, 1).ok());
  EXPECT_FALSE(writer.AppendFrames(0, -1, 1).ok());
  for (int i = 0; i < 4; ++i) AppendPayload(writer, "x", std::string(16 << 20, 'k'));
  ASSERT_TRUE(writer.BeginPayload().ok());
  ASSERT_TRUE(writer.payload_file().Write("x", 1).ok());
  EXPECT_THAT(writer.EndPayload("k").status().message(), HasSubstr("at most 67108864"));
}

TEST_F(VideoFileTest, AnUnfinishedFileIsRemoved) {
  {
    VideoFileWriter writer = Write("a.video");
    AppendPayload(writer, "x", "");
  }
  EXPECT_FALSE(std::filesystem::exists(PathOf("a.video")));
}

TEST_F(VideoFileTest, AcceptsTheFileThatTheNextTestsBreak) { EXPECT_TRUE(ReadBytes(Indexes().Encode()).ok()); }

TEST_F(VideoFileTest, RefusesABrokenFooter) {
  const std::string good = Indexes().Encode();
  EXPECT_THAT(CorruptionOf(good.substr(0, 24)), HasSubstr("at least 25 bytes"));
  std::string bad = good;
  bad[good.size() - 2] = 'X';
  EXPECT_THAT(CorruptionOf(bad), HasSubstr("magic: expected 0x4f454449"));
  bad = good;
  bad.back() = 2;
  EXPECT_THAT(CorruptionOf(bad), HasSubstr("version: expected 1, found 2"));
  for (int i = 0; i < 5; ++i) {
    bad = good;
    StoreLe32(bad.data() + good.size() - 25 + 4 * i, 0xffffffff);
    EXPECT_THAT(CorruptionOf(bad), HasSubstr("indexes: expected at most"));
  }
}

TEST_F(VideoFileTest, RefusesBrokenPayloads) {
  Indexes bad;
  bad.keyframes = {4};
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("for each of 2 payloads, found 1"));
  bad.keyframes = {4, -1};
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("found -1"));
  bad.keyframes = {4, (16 << 20) + 1};
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("found 16777217"));
  bad.payloads = {1, 1, 1, 1, 1};
  bad.keyframes = std::vector<int64_t>(5, 16 << 20);
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("at most 67108864"));
  bad = {};
  bad.keyframes = {100, 0};
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("found 100"));
  for (const auto& lengths : {std::vector<int64_t>{10, 0}, {10, -5}, {10, 6}, {10, int64_t{1} << 62}, {10, 4}}) {
    bad = {};
    bad.payloads = lengths;
    CorruptionOf(bad.Encode());
  }
}

TEST_F(VideoFileTest, RefusesBrokenRuns) {
  Indexes bad;
  bad.frames = {7, 0};
  EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("found 3, 3 and 2"));
  bad = {};
  bad.references = {0, -1};
  CorruptionOf(bad.Encode());
  for (const int64_t rows : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    bad = {};
    bad.rows = {3, rows, 4};
    CorruptionOf(bad.Encode());
  }
  for (const int64_t reference : {-3, 2}) {
    bad = {};
    bad.references = {0, reference, 1};
    EXPECT_THAT(CorruptionOf(bad.Encode()), HasSubstr("expected a payload of -2 to 1"));
  }
  for (const int64_t frame : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    bad = {};
    bad.frames = {frame, 0, 0};
    CorruptionOf(bad.Encode());
  }
}

TEST_F(VideoFileTest, SurvivesEveryFlippedByteAndEveryTruncation) {
  const std::string good = Indexes().Encode();
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string bytes = good;
      bytes[i] ^= change;
      (void)ReadBytes(bytes);
    }
    (void)ReadBytes(good.substr(0, i));
  }
}

// Files of pypaimon: their rows, written again, give their bytes.
TEST_F(VideoFileTest, WritesTheFilesOfTheVectorsAgainByteForByte) {
  const std::filesystem::path vectors(REELHOUSE_SOURCE_DIR "/tests/data/vectors");
  if (!std::filesystem::exists(vectors)) GTEST_SKIP() << "no vectors in " << vectors;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(vectors)) {
    if (entry.path().extension() != ".video") continue;
    const std::string path = entry.path().string();
    const std::string bytes = files_->ReadAll(path).ValueOrDie();
    auto index = ReadVideoFileIndex(*files_, path, static_cast<int64_t>(bytes.size()));
    ASSERT_TRUE(index.ok()) << index.status().ToString();
    const std::string copy = "copy-" + std::to_string(count++);
    VideoFileWriter writer = Write(copy);
    for (const auto& payload : index->payloads) {
      std::string keyframes;
      if (payload.keyframe_index_length_bytes > 0) {
        keyframes = bytes.substr(payload.keyframe_index_offset_bytes, payload.keyframe_index_length_bytes);
      }
      AppendPayload(writer, bytes.substr(payload.offset_bytes, payload.length_bytes), keyframes);
    }
    for (const auto& run : index->runs) {
      if (run.payload == VideoFileIndex::Run::kNull) {
        ASSERT_TRUE(writer.AppendNulls(run.row_count).ok());
      } else if (run.payload == VideoFileIndex::Run::kPlaceholder) {
        ASSERT_TRUE(writer.AppendPlaceholders(run.row_count).ok());
      } else {
        ASSERT_TRUE(writer.AppendFrames(run.payload, run.first_frame_index, run.row_count).ok());
      }
    }
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(files_->ReadAll(PathOf(copy)).ValueOrDie(), bytes) << path;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace reelhouse
