#include "reelhouse/media/frame_decoder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/media/av.h"
#include "reelhouse/media/display_orientation.h"
#include "reelhouse/media/frame_converter.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Pixels(const DecodedFrame& frame) { return frame.pixels->ToString(); }

/// Every frame as libavcodec gives it when it decodes the file from its start: no seeking, no code of ours but the
/// conversion to RGB.
std::vector<std::string> DecodedInOrder(const std::string& path) {
  AvLogCapture log;
  std::vector<std::string> frames;
  AVFormatContext* opened = nullptr;
  EXPECT_EQ(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), 0) << path;
  const AvInput input(opened);
  avformat_find_stream_info(opened, nullptr);
  const AVCodec* codec = nullptr;
  const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  const AvCodec decoder(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(decoder.get(), opened->streams[stream]->codecpar);
  EXPECT_EQ(avcodec_open2(decoder.get(), codec, nullptr), 0);
  const AvPacket packet(av_packet_alloc());
  const AvFrame picture(av_frame_alloc());
  FrameConverter converter(OrientationOf(*opened->streams[stream]));
  for (bool is_finished = false; !is_finished;) {
    is_finished = av_read_frame(opened, packet.get()) < 0;
    if (!is_finished && packet->stream_index != stream) continue;
    avcodec_send_packet(decoder.get(), is_finished ? nullptr : packet.get());
    av_packet_unref(packet.get());
    while (avcodec_receive_frame(decoder.get(), picture.get()) >= 0) {
      frames.push_back(Pixels(converter.Convert(*picture, {}).ValueOrDie()));
    }
  }
  return frames;
}

/// What a decode call gave, by position in the request.
struct Given {
  std::map<size_t, DecodedFrame> frames;
  std::map<size_t, Status> failures;
  Status status;
};

Given Decode(FrameDecoder& decoder, const std::vector<int64_t>& indexes, const FrameFormat& format = {}) {
  Given given;
  given.status = decoder.Decode(
      indexes, format,
      [&](size_t position, DecodedFrame frame) {
        EXPECT_TRUE(given.frames.emplace(position, std::move(frame)).second);
        return Status::OK();
      },
      [&](size_t position, Status failure) {
        EXPECT_TRUE(given.failures.emplace(position, std::move(failure)).second);
        return Status::OK();
      });
  return given;
}

std::vector<int64_t> UpTo(size_t count) {
  std::vector<int64_t> indexes(count);
  std::iota(indexes.begin(), indexes.end(), int64_t{0});
  return indexes;
}

std::vector<int> Numbers(FrameDecoder& decoder, const std::vector<int64_t>& indexes) {
  FrameFormat gray;
  gray.pixels = FrameFormat::Pixels::kGray8;
  const Given given = Decode(decoder, indexes, gray);
  EXPECT_TRUE(given.status.ok()) << given.status;
  std::vector<int> numbers(indexes.size(), -1);
  for (const auto& [position, frame] : given.frames) numbers[position] = NumberOf(frame);
  return numbers;
}

KeyframeIndex IndexOf(const std::string& name) {
  return InspectVideo(TestVideo(name), VideoValidation::kFrames).ValueOrDie().index;
}

class FrameDecoderOf : public ::testing::TestWithParam<const char*> {};

TEST_P(FrameDecoderOf, GivesTheFramesOfASequentialDecodeInAnyOrder) {
  const std::vector<std::string> expected = DecodedInOrder(TestVideoPath(GetParam()));
  ASSERT_FALSE(expected.empty());
  std::vector<KeyframeIndex> indexes = {KeyframeIndex()};
  if (!IndexOf(GetParam()).empty()) indexes.push_back(IndexOf(GetParam()));
  for (const KeyframeIndex& index : indexes) {
    SCOPED_TRACE(index.empty() ? "index made in memory" : "stored index");
    const auto decoder = FrameDecoder::Open(TestVideo(GetParam()), index).ValueOrDie();
    std::vector<int64_t> order = UpTo(expected.size());
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    for (const int64_t frame : order) {
      const Given given = Decode(*decoder, {frame});
      ASSERT_TRUE(given.status.ok() && given.failures.empty()) << given.status;
      EXPECT_EQ(Pixels(given.frames.at(0)), expected[static_cast<size_t>(frame)]) << "frame " << frame;
    }
    const Given all = Decode(*decoder, order);
    ASSERT_EQ(all.frames.size(), order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(Pixels(all.frames.at(i)), expected[static_cast<size_t>(order[i])]) << "frame " << order[i];
    }
    const Given behind = Decode(*decoder, {static_cast<int64_t>(expected.size())});
    ASSERT_EQ(behind.failures.size(), 1u);
    EXPECT_EQ(decoder->FrameTimes().ValueOrDie().size(), expected.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Videos, FrameDecoderOf,
                         ::testing::Values("bframes.mp4", "open_gop264.mp4", "open_gop265.mp4", "cra_start.mp4",
                                           "edit_list.mp4", "intra_refresh.mp4", "fragmented.mp4", "bframes.ts",
                                           "bframes.mkv", "equal_times.mp4", "alt_ref.webm", "av1.mp4", "bframes.avi",
                                           "packed.avi", "cropped.mp4", "rotated.mp4", "rgb.mkv"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(FrameDecoder, ShowsTheNumberOfEachFrame) {
  const std::vector<int64_t> indexes = {30, 3, 39, 0, 3, 10, 9, 11};
  for (const char* name : {"bframes.mp4", "fragmented.mp4", "bframes.ts", "bframes.mkv"}) {
    const auto decoder = FrameDecoder::Open(TestVideo(name), {}).ValueOrDie();
    EXPECT_THAT(Numbers(*decoder, indexes), ElementsAre(30, 3, 39, 0, 3, 10, 9, 11)) << name;
  }
}

TEST(FrameDecoder, StartsAfterTheLeadingPicturesThatNobodyCanDecode) {
  const auto decoder = FrameDecoder::Open(TestVideo("cra_start.mp4"), {}).ValueOrDie();
  EXPECT_THAT(Numbers(*decoder, {0, 16, 8}), ElementsAre(13, 29, 21));
}

TEST(FrameDecoder, CountsFramesFromTheFirstThatIsShown) {
  const auto decoder = FrameDecoder::Open(TestVideo("edit_list.mp4"), {}).ValueOrDie();
  EXPECT_THAT(Numbers(*decoder, {0, 26, 1}), ElementsAre(13, 39, 14));
}

TEST(FrameDecoder, ReadsARunWithOneSeek) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), IndexOf("bframes.mp4")).ValueOrDie();
  EXPECT_THAT(Numbers(*decoder, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}),
              ElementsAre(12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
  EXPECT_EQ(decoder->stats().seeks, 1);
  EXPECT_LE(decoder->stats().packets_fed, 20) << "from key frame 10 to frame 23 and what is reordered";
}

TEST(FrameDecoder, ReadsNoPicturesButThoseOfTheRun) {
  const VideoBytes video = TestVideo("bframes.mp4");
  const KeyframeIndex index = IndexOf("bframes.mp4");
  const auto decoder = FrameDecoder::Open(video, index).ValueOrDie();
  // FFmpeg rather reads than skips what is short.
  EXPECT_LE(decoder->stats().reads, static_cast<int64_t>(index.metadata_ranges.size()) + 1) << "the container boxes";
  EXPECT_EQ(decoder->stats().packets_fed, 0);
  EXPECT_EQ(decoder->FrameTimes().ValueOrDie().size(), 40u);
  EXPECT_EQ(decoder->stats().packets_fed, 0) << "times come from the sample tables";
}

TEST(FrameDecoder, GoesOnWhereTheLastRequestEnded) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), IndexOf("bframes.mp4")).ValueOrDie();
  for (int64_t frame = 0; frame < 40; ++frame) {
    EXPECT_THAT(Numbers(*decoder, {frame}), ElementsAre(frame));
  }
  EXPECT_EQ(decoder->stats().seeks, 0);
  EXPECT_EQ(decoder->stats().packets_fed, 40);
  EXPECT_EQ(decoder->stats().frames_decoded, 40);
}

TEST(FrameDecoder, DecodesAFrameOnceForAllWhoWantIt) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), IndexOf("bframes.mp4")).ValueOrDie();
  EXPECT_THAT(Numbers(*decoder, {5, 5, 5}), ElementsAre(5, 5, 5));
  const int64_t fed = decoder->stats().packets_fed;
  EXPECT_THAT(Numbers(*decoder, {5}), ElementsAre(5));
  EXPECT_EQ(decoder->stats().packets_fed, fed);
}

TEST(FrameDecoder, DoesNotBelieveAnIndexOfAnotherVideo) {
  KeyframeIndex index = IndexOf("bframes.mp4");
  for (auto& keyframe : index.keyframes) keyframe.frame_index *= 2;
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), index).ValueOrDie();
  EXPECT_THAT(Numbers(*decoder, {25, 12}), ElementsAre(25, 12));
}

TEST(FrameDecoder, NeverStartsAtARecoveryPointThatSomeIndexLists) {
  const VideoBytes video = TestVideo("intra_refresh.mp4");
  const std::vector<std::string> expected = DecodedInOrder(TestVideoPath("intra_refresh.mp4"));
  // An index of all packets that the container flags as key, as a careless writer would make it.
  AVFormatContext* opened = nullptr;
  ASSERT_EQ(avformat_open_input(&opened, TestVideoPath("intra_refresh.mp4").c_str(), nullptr, nullptr), 0);
  const AvInput input(opened);
  KeyframeIndex index = IndexOf("intra_refresh.mp4");
  index.keyframes.clear();
  const AvPacket packet(av_packet_alloc());
  for (int64_t frame = 0; av_read_frame(opened, packet.get()) >= 0; ++frame, av_packet_unref(packet.get())) {
    if (packet->flags & AV_PKT_FLAG_KEY) index.keyframes.push_back({frame, packet->pts, packet->pos});
  }
  ASSERT_GT(index.keyframes.size(), 2u);
  const auto decoder = FrameDecoder::Open(video, index).ValueOrDie();
  for (const int64_t frame : {29, 17, 9}) {
    EXPECT_EQ(Pixels(Decode(*decoder, {frame}).frames.at(0)), expected[static_cast<size_t>(frame)]) << frame;
  }
}

TEST(FrameDecoder, SaysWhichFrameCannotBeHad) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), {}).ValueOrDie();
  const Given given = Decode(*decoder, {40, 2, -1});
  EXPECT_TRUE(given.status.ok()) << given.status;
  EXPECT_EQ(given.frames.size(), 1u);
  ASSERT_EQ(given.failures.size(), 2u);
  const Status& behind = given.failures.at(0);
  ASSERT_TRUE(IsKind(behind, ErrorKind::kVideoDecode)) << behind;
  EXPECT_EQ(DetailOf(behind)->fields().path, "bframes.mp4");
  EXPECT_EQ(DetailOf(behind)->fields().frame_index, 40);
  EXPECT_THAT(behind.message(), StartsWith("bframes.mp4: frame 40: the video has 40 frames"));
}

TEST(FrameDecoder, StopsWhereItsCallersSaySo) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), {}).ValueOrDie();
  int taken = 0;
  const Status stopped = decoder->Decode(
      std::vector<int64_t>{1, 2, 3}, {},
      [&](size_t, DecodedFrame) { return ++taken == 2 ? Status::Cancelled("enough") : Status::OK(); },
      [](size_t, Status failure) { return failure; });
  EXPECT_TRUE(stopped.IsCancelled());
  EXPECT_EQ(taken, 2);
  const Status failed = decoder->Decode(
      std::vector<int64_t>{99}, {}, [](size_t, DecodedFrame) { return Status::OK(); },
      [](size_t, Status failure) { return failure; });
  EXPECT_TRUE(IsKind(failed, ErrorKind::kVideoDecode));
  EXPECT_THAT(Numbers(*decoder, {7}), ElementsAre(7)) << "it can go on";
}

TEST(FrameDecoder, LosesOnlyTheFramesThatAreDamaged) {
  std::string bytes = TestVideoBytes("bframes.mp4");
  const KeyframeIndex index = IndexOf("bframes.mp4");
  const auto offset = static_cast<size_t>(index.keyframes[2].offset_bytes);
  for (size_t i = offset + 60; i < offset + 200; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  for (const bool is_stored : {true, false}) {
    const VideoBytes video = VideoInMemory(bytes, "damaged.mp4");
    const auto decoder = FrameDecoder::Open(video, is_stored ? index : KeyframeIndex()).ValueOrDie();
    const Given given = Decode(*decoder, UpTo(40));
    EXPECT_TRUE(given.status.ok()) << given.status;
    ASSERT_TRUE(given.failures.contains(20)) << "the damaged key picture";
    EXPECT_TRUE(IsKind(given.failures.at(20), ErrorKind::kVideoDecode));
    for (size_t frame = 0; frame < 17; ++frame) EXPECT_TRUE(given.frames.contains(frame)) << frame;
    for (size_t frame = 30; frame < 40; ++frame) EXPECT_TRUE(given.frames.contains(frame)) << frame;
    EXPECT_THAT(Numbers(*decoder, {35, 5}), ElementsAre(35, 5));
  }
}

TEST(FrameDecoder, RefusesWhatIsNoVideoAsAFailureToDecode) {
  const auto text = FrameDecoder::Open(VideoInMemory("this is not a video", "text.mp4"), {});
  ASSERT_FALSE(text.ok());
  EXPECT_TRUE(IsKind(text.status(), ErrorKind::kVideoDecode));
  EXPECT_THAT(text.status().message(), StartsWith("text.mp4: "));
}

TEST(FrameDecoder, GivesTheSameFramesWithThreads) {
  const std::vector<std::string> expected = DecodedInOrder(TestVideoPath("bframes.mp4"));
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), {}, /*threads=*/3).ValueOrDie();
  for (const int64_t frame : {39, 3, 21, 20, 0}) {
    EXPECT_EQ(Pixels(Decode(*decoder, {frame}).frames.at(0)), expected[static_cast<size_t>(frame)]) << frame;
  }
}

TEST(FrameDecoder, KnowsTheTimesOfFrames) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.mp4"), {}).ValueOrDie();
  const auto times = decoder->FrameTimes().ValueOrDie();
  const auto [numerator, denominator] = decoder->time_base();
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ((times[i].pts - times[0].pts) * numerator * 25, static_cast<int64_t>(i) * denominator);
    EXPECT_EQ(times[i].duration * numerator * 25, denominator);
  }
}

TEST(FrameDecoder, CountsTimesWhereTheContainerStoresNone) {
  const auto decoder = FrameDecoder::Open(TestVideo("bframes.avi"), {}).ValueOrDie();
  const auto times = decoder->FrameTimes().ValueOrDie();
  ASSERT_EQ(times.size(), 20u);
  for (size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i].pts, times[i - 1].pts + 1) << i;
}

TEST(FrameDecoder, TurnsPicturesAsTheyAreShown) {
  const auto upright = DecodedInOrder(TestVideoPath("bframes.mp4"));
  const auto decoder = FrameDecoder::Open(TestVideo("rotated.mp4"), {}).ValueOrDie();
  const DecodedFrame frame = Decode(*decoder, {8}).frames.at(0);
  ASSERT_EQ(frame.width, 48);
  ASSERT_EQ(frame.height, 64);
  const uint8_t* turned = frame.pixels->data();
  // Its matrix turns by 90 degrees counterclockwise: the upper right corner comes to the upper left.
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 48; ++x) {
      const char* source = upright[8].data() + (x * 64 + 63 - y) * 3;
      ASSERT_EQ(std::memcmp(source, turned + (y * 48 + x) * 3, 3), 0) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace reelhouse
