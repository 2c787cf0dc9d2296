#include "reelhouse/media/video_inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/media/video_encoder.h"
#include "tests/support/test_pictures.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Keyframe = KeyframeIndex::Keyframe;

struct Case {
  const char* name;
  const char* codec;
  int64_t frames;
  bool is_counted_by_decoding;
  size_t keyframes;
};

class VideoInspectionOf : public ::testing::TestWithParam<Case> {};

TEST_P(VideoInspectionOf, CountsFramesAndKeyframes) {
  const Case& expected = GetParam();
  for (const auto validation : {VideoValidation::kFrames, VideoValidation::kDecode}) {
    const auto found = InspectVideo(TestVideo(expected.name), validation);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->codec, expected.codec);
    EXPECT_EQ(found->frame_count, expected.frames);
    EXPECT_EQ(found->counted_by_decoding, expected.is_counted_by_decoding);
    EXPECT_EQ(found->index.keyframes.size(), expected.keyframes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Videos, VideoInspectionOf,
    ::testing::Values(Case{"bframes.mp4", "h264", 40, false, 4}, Case{"open_gop264.mp4", "h264", 30, false, 4},
                      Case{"open_gop265.mp4", "hevc", 30, false, 4},
                      // The leading pictures of the first key picture cannot be decoded.
                      Case{"cra_start.mp4", "hevc", 17, true, 0},
                      // The first frame that is shown is no key picture, which the index cannot say.
                      Case{"edit_list.mp4", "h264", 27, false, 0},
                      // Recovery points are no starts, whatever the container says.
                      Case{"intra_refresh.mp4", "h264", 30, false, 1}, Case{"fragmented.mp4", "h264", 40, false, 4},
                      Case{"bframes.ts", "h264", 40, true, 0}, Case{"bframes.mkv", "h264", 40, false, 0},
                      Case{"equal_times.mp4", "h264", 20, true, 0}, Case{"alt_ref.webm", "vp9", 20, false, 0},
                      Case{"av1.mp4", "av1", 20, false, 3}, Case{"bframes.avi", "mpeg4", 20, true, 0},
                      Case{"cropped.mp4", "h264", 10, false, 2}, Case{"depth.mkv", "ffv1", 5, false, 0}),
    [](const auto& info) {
      std::string name = info.param.name;
      name[name.find('.')] = '_';
      return name;
    });

TEST(VideoInspection, FindsKeyframesWithTimesAndPositions) {
  const auto found = InspectVideo(TestVideo("bframes.mp4"), VideoValidation::kContainer).ValueOrDie();
  EXPECT_EQ(found.frame_count, -1);
  ASSERT_EQ(found.index.keyframes.size(), 4u);
  EXPECT_EQ(found.index.keyframes[0].frame_index, 0);
  EXPECT_EQ(found.index.keyframes[1].frame_index, 10);
  EXPECT_EQ(found.index.keyframes[2].frame_index, 20);
  EXPECT_EQ(found.index.keyframes[0].offset_bytes, found.index.metadata_ranges[0].length_bytes);
  EXPECT_EQ(found.index.keyframes[1].pts - found.index.keyframes[0].pts, 10 * 512);
}

/// A file that counts what is read of it.
class CountingFile final : public arrow::io::RandomAccessFile {
 public:
  explicit CountingFile(const std::string& bytes) : file_(arrow::Buffer::FromString(bytes)) {}
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size_bytes, void* to) override {
    auto read = file_.ReadAt(position, size_bytes, to);
    bytes_read += read.ok() ? *read : 0;
    return read;
  }
  arrow::Result<int64_t> GetSize() override { return file_.GetSize(); }
  arrow::Result<int64_t> Read(int64_t, void*) override { return Status::NotImplemented("ReadAt only"); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t) override { return Status::NotImplemented("ReadAt only"); }
  arrow::Status Seek(int64_t) override { return Status::NotImplemented("ReadAt only"); }
  arrow::Result<int64_t> Tell() const override { return 0; }
  arrow::Status Close() override { return Status::OK(); }
  bool closed() const override { return false; }

  int64_t bytes_read = 0;

 private:
  arrow::io::BufferReader file_;
};

TEST(VideoInspection, ReadsTheBytesOfAVideoOnce) {
  EncodingOptions options;
  options.fps = {30, 1};
  options.codec_options = {{"preset", "ultrafast"}, {"qp", "0"}};
  std::vector<ImageInput> images;
  for (int i = 0; i < 40; ++i) images.emplace_back(Encoded(TestJpeg(GradientPicture(640, 480, i * 37 % 60))));
  FunctionImageSource source = ImagesOf(std::move(images));
  MemoryVideoSink sink;
  ASSERT_TRUE(EncodeImages(source, options, -1, sink).ok());
  const auto file = std::make_shared<CountingFile>(sink.bytes);
  const auto size_bytes = static_cast<int64_t>(sink.bytes.size());
  ASSERT_EQ(InspectVideo({file, 0, size_bytes, "encoded"}, VideoValidation::kFrames).ValueOrDie().frame_count, 40);
  constexpr int64_t kAroundHeaders = 3 * 64 * 1024;
  ASSERT_GT(size_bytes, 3 * kAroundHeaders) << "too small to tell";
  EXPECT_LE(file->bytes_read, size_bytes + kAroundHeaders);
}

TEST(VideoInspection, ReportsTheSizeThatIsShown) {
  const auto rotated = InspectVideo(TestVideo("rotated.mp4"), VideoValidation::kContainer).ValueOrDie();
  EXPECT_EQ(rotated.width, 48);
  EXPECT_EQ(rotated.height, 64);
  const auto cropped = InspectVideo(TestVideo("cropped.mp4"), VideoValidation::kContainer).ValueOrDie();
  EXPECT_EQ(cropped.height, 46);
}

TEST(VideoInspection, RefusesWhatIsNoVideoByItsName) {
  const std::string video = TestVideoBytes("bframes.mp4");
  const std::pair<std::string, std::string> files[] = {
      {"empty.mp4", ""},
      {"text.mp4", "this is not a video\n this is not a video\n"},
      {"audio_only.mp4", TestVideoBytes("audio_only.mp4")},
      {"cut.mp4", video.substr(0, video.size() * 8 / 10)},
      {"zeros.mp4", std::string(100'000, '\0')},
      {"playlist.mp4", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n"},
  };
  for (const auto& [name, bytes] : files) {
    for (const auto validation : {VideoValidation::kContainer, VideoValidation::kFrames, VideoValidation::kDecode}) {
      const auto found = InspectVideo(VideoInMemory(bytes, name), validation);
      ASSERT_FALSE(found.ok()) << name;
      EXPECT_TRUE(found.status().IsInvalid()) << found.status();
      EXPECT_THAT(found.status().message(), StartsWith(name + ": "));
    }
  }
  EXPECT_THAT(InspectVideo(VideoInMemory(files[3].second, "cut.mp4"), VideoValidation::kFrames).status().message(),
              HasSubstr("moov atom not found"));
}

TEST(VideoInspection, WithoutValidationTakesAnyBytes) {
  const auto text = InspectVideo(VideoInMemory("this is not a video", "text"), VideoValidation::kNone);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(text->index.empty());
  const auto video = InspectVideo(TestVideo("bframes.mp4"), VideoValidation::kNone).ValueOrDie();
  EXPECT_EQ(video.index.keyframes.size(), 4u);
  EXPECT_EQ(video.codec, "");
  EXPECT_EQ(video.frame_count, -1);
}

TEST(VideoInspection, RefusesARangeThatIsLongerThanItsFile) {
  VideoBytes video = TestVideo("bframes.mp4");
  video.length_bytes += 101;
  const auto found = InspectVideo(video, VideoValidation::kNone);
  EXPECT_EQ(found.status().message(), "bframes.mp4: expected " + std::to_string(video.length_bytes) + " bytes, found " +
                                          std::to_string(video.length_bytes - 1));
}

TEST(VideoInspection, ToleratesUnusualLayouts) {
  const std::string video = TestVideoBytes("bframes.mp4");
  const auto junk = InspectVideo(VideoInMemory(video + "DASHCAM", "junk.mp4"), VideoValidation::kFrames);
  ASSERT_TRUE(junk.ok()) << junk.status();
  EXPECT_EQ(junk->frame_count, 40);
  EXPECT_TRUE(junk->index.empty()) << "its boxes do not end with the file";
}

TEST(VideoInspection, CountsTheWholeFramesOfACutVideo) {
  const std::string video = TestVideoBytes("bframes.mkv");
  const auto cut = InspectVideo(VideoInMemory(video.substr(0, video.size() / 2), "cut.mkv"), VideoValidation::kFrames);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_GT(cut->frame_count, 5);
  EXPECT_LT(cut->frame_count, 40);
  const std::string stream = TestVideoBytes("bframes.ts");
  const auto cut_stream = InspectVideo(VideoInMemory(stream.substr(0, 12'000), "cut.ts"), VideoValidation::kFrames);
  ASSERT_TRUE(cut_stream.ok()) << cut_stream.status();
  EXPECT_TRUE(cut_stream->counted_by_decoding);
  EXPECT_GT(cut_stream->frame_count, 5);
  EXPECT_LT(cut_stream->frame_count, 40);
}

TEST(VideoInspection, DecodingFindsDamageThatPacketsDoNotShow) {
  std::string video = TestVideoBytes("bframes.mp4");
  const auto whole = InspectVideo(VideoInMemory(video, "whole.mp4"), VideoValidation::kDecode).ValueOrDie();
  const int64_t offset = whole.index.keyframes[2].offset_bytes;
  for (int64_t i = offset + 60; i < offset + 200; ++i) video[static_cast<size_t>(i)] ^= 0x5a;
  const auto counted = InspectVideo(VideoInMemory(video, "damaged.mp4"), VideoValidation::kFrames);
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ(counted->frame_count, 40);
  const auto decoded = InspectVideo(VideoInMemory(video, "damaged.mp4"), VideoValidation::kDecode);
  ASSERT_FALSE(decoded.ok());
  EXPECT_THAT(decoded.status().message(), StartsWith("damaged.mp4: "));
}

TEST(VideoInspection, KnowsTheNamesOfItsLevels) {
  EXPECT_EQ(ParseVideoValidation("frames").ValueOrDie(), VideoValidation::kFrames);
  EXPECT_EQ(ParseVideoValidation("none").ValueOrDie(), VideoValidation::kNone);
  EXPECT_THAT(ParseVideoValidation("full").status().message(),
              HasSubstr("expected none, container, frames or decode, found 'full'"));
}

}  // namespace
}  // namespace reelhouse
