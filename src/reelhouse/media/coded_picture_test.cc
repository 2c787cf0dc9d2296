#include "reelhouse/media/coded_picture.h"

#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using Bytes = std::vector<uint8_t>;

CodedPicture Look(AVCodecID codec, const Bytes& packet, Bytes header = {}) {
  AVCodecParameters parameters = {};
  parameters.codec_id = codec;
  parameters.extradata = header.data();
  parameters.extradata_size = static_cast<int>(header.size());
  return CodedPictureReader(parameters).Look(packet, true);
}

/// Whether the header of a test video says all, with the width that its container gives it.
bool HeadersAgree(const std::string& name, int wider_by = 0) {
  AVFormatContext* opened = nullptr;
  EXPECT_EQ(avformat_open_input(&opened, TestVideoPath(name).c_str(), nullptr, nullptr), 0);
  const AvInput input(opened);
  AVCodecParameters& parameters = *opened->streams[0]->codecpar;
  parameters.width += wider_by;
  return CodedPictureReader(parameters).headers_agree();
}

TEST(CodedPictureReader, KnowsWhetherHeadersAreEnough) {
  EXPECT_TRUE(HeadersAgree("bframes.mp4"));
  EXPECT_TRUE(HeadersAgree("fragmented.mp4"));
  EXPECT_FALSE(HeadersAgree("bframes.mp4", 16));
  EXPECT_FALSE(HeadersAgree("bframes.mp4", -16));
  EXPECT_FALSE(HeadersAgree("open_gop265.mp4")) << "only H.264 is known";
  EXPECT_FALSE(HeadersAgree("bframes.ts")) << "has no header";
}

/// What the packets of a test video say, in file order.
std::vector<CodedPicture> PicturesOf(const std::string& name) {
  AvLogCapture log;
  AVFormatContext* opened = nullptr;
  EXPECT_EQ(avformat_open_input(&opened, TestVideoPath(name).c_str(), nullptr, nullptr), 0);
  const AvInput input(opened);
  avformat_find_stream_info(opened, nullptr);
  CodedPictureReader reader(*opened->streams[0]->codecpar);
  std::vector<CodedPicture> pictures;
  const AvPacket packet(av_packet_alloc());
  while (av_read_frame(opened, packet.get()) >= 0) {
    const std::span<const uint8_t> bytes(packet->data, static_cast<size_t>(packet->size));
    pictures.push_back(reader.Look(bytes, packet->flags & AV_PKT_FLAG_KEY));
    av_packet_unref(packet.get());
  }
  return pictures;
}

std::map<DecodeStart, int> StartsOf(const std::string& name) {
  std::map<DecodeStart, int> starts;
  for (const CodedPicture& picture : PicturesOf(name)) {
    EXPECT_EQ(picture.shown_count, 1) << name;
    EXPECT_FALSE(picture.is_surprising) << name;
    ++starts[picture.start];
  }
  starts.erase(DecodeStart::kNone);
  return starts;
}

using Starts = std::map<DecodeStart, int>;

TEST(CodedPicture, TellsCleanStartsFromOpenOnes) {
  EXPECT_EQ(StartsOf("bframes.mp4"), (Starts{{DecodeStart::kClean, 4}}));
  EXPECT_EQ(StartsOf("bframes.ts"), (Starts{{DecodeStart::kClean, 4}})) << "with start codes";
  EXPECT_EQ(StartsOf("open_gop264.mp4"), (Starts{{DecodeStart::kClean, 1}, {DecodeStart::kOpen, 3}}));
  EXPECT_EQ(StartsOf("open_gop265.mp4"), (Starts{{DecodeStart::kClean, 1}, {DecodeStart::kOpen, 3}}));
  EXPECT_EQ(StartsOf("av1.mp4"), (Starts{{DecodeStart::kClean, 3}}));
  EXPECT_EQ(StartsOf("alt_ref.webm"), (Starts{{DecodeStart::kClean, 3}}));
}

TEST(CodedPicture, TakesNoRecoveryPointOfGradualRefreshForAStart) {
  EXPECT_EQ(StartsOf("intra_refresh.mp4"), (Starts{{DecodeStart::kClean, 1}}));
}

TEST(CodedPicture, FindsLeadingPicturesThatNeedAnEarlierStart) {
  int leading = 0;
  for (const CodedPicture& picture : PicturesOf("open_gop265.mp4")) leading += picture.is_skipped_leading;
  EXPECT_EQ(leading, 9) << "three before each of three key pictures";
}

TEST(CodedPicture, SeesTwoPicturesInAPackedPacket) {
  int unsure = 0;
  for (const CodedPicture& picture : PicturesOf("packed.avi")) unsure += picture.shown_count != 1;
  EXPECT_GT(unsure, 0);
}

TEST(CodedPicture, ReadsHiddenPicturesOfVp8AndVp9) {
  EXPECT_EQ(Look(AV_CODEC_ID_VP8, {0x10, 0, 0, 0x9d}).shown_count, 1);
  EXPECT_EQ(Look(AV_CODEC_ID_VP8, {0x01, 0, 0, 0x9d}).shown_count, 0);
  EXPECT_EQ(Look(AV_CODEC_ID_VP9, {0x82, 0x49}).start, DecodeStart::kClean);
  EXPECT_EQ(Look(AV_CODEC_ID_VP9, {0x84, 0x49}).shown_count, 0);
  // A hidden and a shown picture of one byte each, and the index of both.
  EXPECT_EQ(Look(AV_CODEC_ID_VP9, {0x84, 0x86, 0xc1, 1, 1, 0xc1}).shown_count, 1);
  EXPECT_EQ(Look(AV_CODEC_ID_VP9, {0x86, 0x86, 0xc1, 1, 1, 0xc1}).shown_count, 2);
}

TEST(CodedPicture, KnowsNothingAboutBrokenPackets) {
  for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_MPEG4,
                                AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG, AV_CODEC_ID_THEORA}) {
    const CodedPicture picture = Look(codec, {});
    EXPECT_EQ(picture.shown_count, -1) << avcodec_get_name(codec);
    EXPECT_EQ(picture.start, DecodeStart::kNone) << avcodec_get_name(codec);
  }
  EXPECT_EQ(Look(AV_CODEC_ID_H264, {0xff, 0xff, 0xff, 0xff, 0x65}, {1, 66, 0, 10, 0xff, 0xe0, 0}).shown_count, -1);
  EXPECT_EQ(Look(AV_CODEC_ID_AV1, {0x32, 0xff, 0xff, 0xff}).shown_count, -1);
}

}  // namespace
}  // namespace reelhouse
