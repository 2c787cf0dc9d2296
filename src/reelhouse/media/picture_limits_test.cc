#include "reelhouse/media/picture_limits.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/image_decoder.h"
#include "reelhouse/media/video_encoder.h"
#include "reelhouse/media/video_inspection.h"
#include "tests/support/peak_memory.h"
#include "tests/support/test_pictures.h"
#include "tests/support/test_video.h"

namespace reelhouse {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kLittleMemory = 48 << 20;

// FFmpeg's H.264 decoder makes its tables, about 100 bytes for each block of 16x16 pixels, before it asks whether the
// picture itself, 384 bytes a block, is allowed. Pictures of 2^28 pixels and more it refuses without them.
constexpr int64_t kH264Tables = 128 << 20;

std::string Number(int64_t value, int bytes, bool is_big_endian) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * (is_big_endian ? bytes - 1 - i : i));
  return text;
}

std::string PngChunk(const std::string& type, const std::string& body) {
  const std::string checked = type + body;
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return Number(static_cast<int64_t>(body.size()), 4, true) + checked + Number(static_cast<int64_t>(crc), 4, true);
}

std::string Compressed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                      text.size(), 9),
            Z_OK);
  packed.resize(size);
  return packed;
}

const std::string kPngSignature("\x89PNG\r\n\x1a\n", 8);

std::string HugePng(int colour_type, int bits) {
  const std::string header = Number(65535, 4, true) + Number(65535, 4, true) + static_cast<char>(bits) +
                             static_cast<char>(colour_type) + std::string(3, '\0');
  return kPngSignature + PngChunk("IHDR", header) + PngChunk("IDAT", Compressed(std::string(1000, '\0'))) +
         PngChunk("IEND", "");
}

std::string HugeTiff() {
  const std::pair<int, int> tags[] = {{256, 65535}, {257, 65535}, {258, 8}, {259, 1}, {262, 1},
                                      {273, 8},     {277, 1},     {278, 1}, {279, 8}};
  std::string tiff = std::string("II*\0", 4) + Number(8, 4, false) + Number(std::size(tags), 2, false);
  for (const auto& [tag, value] : tags) {
    tiff += Number(tag, 2, false) + Number(4, 2, false) + Number(1, 4, false) + Number(value, 4, false);
  }
  return tiff + std::string(64, '\0');
}

std::string HugeBmp() {
  return "BM" + Number(1000, 4, false) + Number(0, 4, false) + Number(54, 4, false) + Number(40, 4, false) +
         Number(65535, 4, false) + Number(65535, 4, false) + Number(1, 2, false) + Number(24, 2, false) +
         std::string(1000, '\0');
}

std::string HugeWebp() {
  // 14 bits a side.
  const std::string body = std::string("\x2f\xff\xff\xff\x0f", 5) + std::string(200, '\0');
  return "RIFF" + Number(static_cast<int64_t>(body.size()) + 12, 4, false) + "WEBPVP8L" +
         Number(static_cast<int64_t>(body.size()), 4, false) + body + std::string(1, '\0');
}

std::string HugeGif() {
  const std::string sides = Number(65535, 2, false) + Number(65535, 2, false);
  return "GIF89a" + sides + std::string("\x80\0\0", 3) + std::string(6, '\x40') + "," + Number(0, 4, false) + sides +
         std::string("\0\x02\x02\x4c\x01\0;", 7);
}

std::string HugeJpeg(int side, int flags) {
  std::string jpeg = TestJpeg(GradientPicture(64, 48), TJSAMP_420, flags);
  const size_t frame = jpeg.find(flags & TJFLAG_PROGRESSIVE ? "\xff\xc2" : "\xff\xc0");
  return jpeg.replace(frame + 5, 4, Number(side, 2, true) + Number(side, 2, true));
}

TEST(PictureLimits, HugeHeadersAreRefusedByTheLimitBeforeMemoryIsTaken) {
  const std::pair<const char*, std::string> bombs[] = {
      {"PNG", HugePng(2, 8)},
      {"PNG of 16 bits", HugePng(0, 16)},
      {"TIFF", HugeTiff()},
      {"BMP", HugeBmp()},
      {"WebP", HugeWebp()},
      {"GIF", HugeGif()},
      {"JPEG", HugeJpeg(60000, 0)},
      {"progressive JPEG", HugeJpeg(65500, TJFLAG_PROGRESSIVE)},
      {"PGM", "P5 65535 65535 255\n" + std::string(100, '\0')},
      {"PGM of 16 bits", "P5 65535 65535 65535\n" + std::string(100, '\0')},
      {"QOI",
       "qoif" + Number(65535, 4, true) + Number(65535, 4, true) + std::string("\x04\0", 2) + std::string(100, '\0')},
  };
  for (const auto& [name, bytes] : bombs) {
    Status status;
    ImageDecoder decoder({});
    status = decoder.Decode(Encoded(bytes)).status();
    EXPECT_TRUE(status.IsInvalid()) << name << ": " << status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("more pixels than the 100000000 that are allowed"),
                                        HasSubstr("reelhouse.image.max-pixels")))
        << name;
    const int64_t taken = MemoryTakenBy([&] { ImageDecoder({}).Decode(Encoded(bytes)).status().ok(); });
    EXPECT_GE(taken, 0) << name;
    EXPECT_LT(taken, kLittleMemory) << name;
  }
}

TEST(PictureLimits, TheLimitCanBeLoweredAndRaised) {
  const ImageInput pictures[] = {Encoded(TestJpeg(GradientPicture(64, 48))), Encoded(TestPng(GradientPicture(64, 48)))};
  for (const ImageInput& picture : pictures) {
    EXPECT_THAT(ImageDecoder({.max_pixels = 64 * 48 - 1}).Decode(picture).status().message(),
                HasSubstr("pictures of 64x48 have more pixels than the 3071 that are allowed"));
    EXPECT_TRUE(ImageDecoder({.max_pixels = 64 * 48}).Decode(picture).ok());
  }
}

TEST(PictureLimits, CompressedTextsAndProfilesOfPngAreNotUnpacked) {
  const std::string bomb = Compressed(std::string(size_t{64} << 20, 'a'));
  std::string png = TestPng(GradientPicture(8, 8));
  const std::string header = png.substr(0, 33);
  for (const char* type : {"zTXt", "iCCP", "iTXt"}) {
    const std::string start = type == std::string("iTXt") ? std::string("k\0\1\0\0\0", 6) : std::string("k\0\0", 3);
    const std::string file = header + PngChunk(type, start + bomb) + png.substr(33);
    const int64_t taken = MemoryTakenBy([&] {
      if (!ImageDecoder({}).Decode(Encoded(file)).ok()) _exit(1);
    });
    EXPECT_GE(taken, 0) << type;
    EXPECT_LT(taken, kLittleMemory) << type;
  }
}

TEST(PictureLimits, HugeExifIsNoHindrance) {
  const std::string picture = TestJpeg(GradientPicture(64, 48));
  std::string file = picture.substr(0, 2);
  const std::string body = std::string("Exif\0\0", 6) + TestExif(1) + std::string(65000, '\x01');
  for (int i = 0; i < 300; ++i) {
    file += std::string("\xff\xe1", 2) + Number(static_cast<int64_t>(body.size()) + 2, 2, true) + body;
  }
  file += picture.substr(2);
  const int64_t taken = MemoryTakenBy([&] {
    if (!ImageDecoder({}).Decode(Encoded(file)).ok()) _exit(1);
  });
  EXPECT_GE(taken, 0);
  EXPECT_LT(taken, kLittleMemory + static_cast<int64_t>(file.size()));
}

TEST(PictureLimits, OfAnAnimationTheFirstPictureIsDecodedAndNoOther) {
  std::string gif = "GIF89a" + Number(2, 2, false) + Number(2, 2, false) + std::string("\x80\0\0\0\0\0\xff\xff\xff", 9);
  const std::string picture = "," + Number(0, 4, false) + Number(2, 2, false) + Number(2, 2, false) +
                              std::string("\0\x02\x03\x44\x34\x05\0", 7);
  for (int i = 0; i < 10000; ++i) gif += picture;
  gif += ";";
  ImageDecoder decoder({.background = std::array<uint8_t, 3>{}});
  const auto decoded = decoder.Decode(Encoded(gif));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->frame->width, 2);
}

/// Bits of a parameter set of H.264.
class BitText {
 public:
  void Put(uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i) bits_ += static_cast<char>('0' + (value >> i & 1));
  }
  void PutGolomb(uint32_t value) {
    int length = 1;
    while ((value + 1) >> length) ++length;
    Put(value + 1, 2 * length - 1);
  }
  std::string Unit(char kind) {
    bits_ += '1';
    while (bits_.size() % 8 != 0) bits_ += '0';
    std::string unit("\0\0\0\x01", 4);
    unit += kind;
    int zeros = 0;
    for (size_t i = 0; i < bits_.size(); i += 8) {
      const auto byte = static_cast<char>(std::stoi(bits_.substr(i, 8), nullptr, 2));
      if (zeros == 2 && static_cast<uint8_t>(byte) <= 3) unit += '\x03', zeros = 0;
      unit += byte;
      zeros = byte == 0 ? zeros + 1 : 0;
    }
    return unit;
  }

 private:
  std::string bits_;
};

/// An elementary stream of H.264 of one broken picture of `side` x `side` blocks of 16 pixels.
std::string H264OfBlocks(uint32_t side) {
  BitText sequence;
  sequence.Put(66, 8);
  sequence.Put(0, 8);
  sequence.Put(51, 8);
  for (const uint32_t value : {0u, 0u, 2u, 1u}) sequence.PutGolomb(value);
  sequence.Put(0, 1);
  sequence.PutGolomb(side - 1);
  sequence.PutGolomb(side - 1);
  sequence.Put(0b1100, 4);
  BitText picture;
  picture.PutGolomb(0);
  picture.PutGolomb(0);
  picture.Put(0, 2);
  for (int i = 0; i < 3; ++i) picture.PutGolomb(0);
  picture.Put(0, 3);
  for (int i = 0; i < 3; ++i) picture.PutGolomb(0);
  picture.Put(0b100, 3);
  BitText slice;
  slice.PutGolomb(0);
  slice.PutGolomb(7);
  slice.PutGolomb(0);
  slice.Put(0, 4);
  slice.PutGolomb(0);
  slice.Put(0, 2);
  slice.PutGolomb(0);
  for (int i = 0; i < 100; ++i) slice.Put(0x55, 8);
  const std::string head = sequence.Unit('\x67') + picture.Unit('\x68');
  std::string stream;
  for (int i = 0; i < 5; ++i) stream += head + slice.Unit('\x65');
  return stream;
}

TEST(PictureLimits, HugeSidesInTheHeadersOfAVideoAreRefusedBeforeAPictureIsAllocated) {
  // 1000 blocks are 16,000 pixels.
  for (const uint32_t blocks : {1000u, 1024u, 4096u}) {
    const std::string stream = H264OfBlocks(blocks);
    const VideoBytes video = VideoInMemory(stream, "bomb");
    const Status status = InspectVideo(video, VideoValidation::kDecode).status();
    EXPECT_TRUE(status.IsInvalid()) << status;
    const int64_t taken = MemoryTakenBy([&] { InspectVideo(video, VideoValidation::kDecode).status().ok(); });
    EXPECT_GE(taken, 0) << blocks;
    EXPECT_LT(taken, kH264Tables) << blocks;
  }
  EXPECT_THAT(InspectVideo(VideoInMemory(H264OfBlocks(1000), "bomb"), VideoValidation::kFrames).status().message(),
              AllOf(HasSubstr("bomb"), HasSubstr("16000x16000"), HasSubstr("reelhouse.video.max-pixels")));
}

TEST(PictureLimits, AVideoThatGrowsInItsMiddleTakesNoMemory) {
  const std::string stream = H264OfBlocks(4) + H264OfBlocks(1000);
  for (const int threads : {1, 3}) {
    const int64_t taken = MemoryTakenBy([&] {
      auto decoder = FrameDecoder::Open(VideoInMemory(stream, "growing"), {}, threads);
      if (!decoder.ok()) return;
      std::vector<int64_t> wanted(10);
      for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<int64_t>(i);
      const auto take = [](size_t, DecodedFrame) { return Status::OK(); };
      const auto fail = [](size_t, Status) { return Status::OK(); };
      if (!(*decoder)->Decode(wanted, {}, take, fail).ok()) _exit(1);
    });
    EXPECT_GE(taken, 0);
    // Each thread has a stack and an arena of its own.
    EXPECT_LT(taken, kLittleMemory + threads * (int64_t{80} << 20));
  }
}

TEST(PictureLimits, VideosAreReadUpToTheLimit) {
  FunctionImageSource source = ImagesOf({Encoded(TestJpeg(GradientPicture(64, 48)))});
  MemoryVideoSink sink;
  EncodingOptions options;
  options.fps = {30, 1};
  ASSERT_TRUE(EncodeImages(source, options, -1, sink).ok());
  VideoBytes video = VideoInMemory(sink.bytes, "small");
  video.max_pixels = 64 * 48;
  EXPECT_TRUE(InspectVideo(video, VideoValidation::kDecode).ok());
  video.max_pixels = 64 * 48 - 1;
  EXPECT_THAT(InspectVideo(video, VideoValidation::kContainer).status().message(),
              HasSubstr("pictures of 64x48 have more pixels than the 3071 that are allowed"));
  EXPECT_THAT(FrameDecoder::Open(video, {}).status().message(), HasSubstr("reelhouse.video.max-pixels"));
}

}  // namespace
}  // namespace reelhouse
