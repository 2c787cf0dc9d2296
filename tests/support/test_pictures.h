#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <gtest/gtest.h>
#include <turbojpeg.h>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "reelhouse/media/image_source.h"
#include "reelhouse/media/video_sink.h"

namespace reelhouse {

/// RGB pixels to compare with.
struct TestPicture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;

  uint8_t* at(int x, int y) { return rgb.data() + (static_cast<size_t>(y) * width + x) * 3; }
  const uint8_t* at(int x, int y) const { return rgb.data() + (static_cast<size_t>(y) * width + x) * 3; }
};

using TestColour = std::array<uint8_t, 3>;

inline TestPicture SolidPicture(int width, int height, TestColour colour) {
  TestPicture picture{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * height * 3)};
  for (size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = colour[i % 3];
  return picture;
}

/// Smooth in both directions and different in all corners, so that turned pictures differ and chroma survives coding.
inline TestPicture GradientPicture(int width, int height, int shift = 0) {
  TestPicture picture = SolidPicture(width, height, {});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* pixel = picture.at(x, y);
      pixel[0] = static_cast<uint8_t>(20 + (200 * x) / width);
      pixel[1] = static_cast<uint8_t>(30 + (180 * y) / height);
      pixel[2] = static_cast<uint8_t>(40 + (150 * (x + y)) / (width + height) + shift);
    }
  }
  return picture;
}

/// The picture that a file with this EXIF orientation shows, given what it stores.
inline TestPicture TurnedPicture(const TestPicture& stored, int orientation) {
  const bool swaps = orientation >= 5;
  TestPicture shown = SolidPicture(swaps ? stored.height : stored.width, swaps ? stored.width : stored.height, {});
  for (int y = 0; y < shown.height; ++y) {
    for (int x = 0; x < shown.width; ++x) {
      int from_x = swaps ? y : x;
      int from_y = swaps ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
        from_x = stored.width - 1 - from_x;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
        from_y = stored.height - 1 - from_y;
      std::memcpy(shown.at(x, y), stored.at(from_x, from_y), 3);
    }
  }
  return shown;
}

inline std::string TestJpeg(const TestPicture& picture, int subsampling = TJSAMP_420, int flags = 0, int quality = 98) {
  tjhandle jpeg = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  EXPECT_EQ(tjCompress2(jpeg, picture.rgb.data(), picture.width, 0, picture.height, TJPF_RGB, &bytes, &size,
                        subsampling, quality, flags | TJFLAG_ACCURATEDCT),
            0);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(jpeg);
  return file;
}

/// One picture through an encoder of FFmpeg; rows of `pixels` follow each other.
inline std::string TestImage(AVCodecID codec_id, AVPixelFormat format, int width, int height, const uint8_t* pixels,
                             int row_bytes) {
  const AVCodec* encoder = avcodec_find_encoder(codec_id);
  AVCodecContext* codec = avcodec_alloc_context3(encoder);
  codec->width = width;
  codec->height = height;
  codec->pix_fmt = format;
  codec->time_base = {1, 1};
  AVFrame* frame = av_frame_alloc();
  frame->width = width;
  frame->height = height;
  frame->format = format;
  EXPECT_EQ(av_frame_get_buffer(frame, 0), 0);
  for (int y = 0; y < height; ++y) {
    std::memcpy(frame->data[0] + static_cast<ptrdiff_t>(y) * frame->linesize[0],
                pixels + static_cast<ptrdiff_t>(y) * row_bytes, static_cast<size_t>(row_bytes));
  }
  AVPacket* packet = av_packet_alloc();
  EXPECT_EQ(avcodec_open2(codec, encoder, nullptr), 0);
  avcodec_send_frame(codec, frame);
  avcodec_send_frame(codec, nullptr);
  EXPECT_EQ(avcodec_receive_packet(codec, packet), 0);
  std::string file(reinterpret_cast<const char*>(packet->data), packet->size);
  av_packet_free(&packet);
  av_frame_free(&frame);
  avcodec_free_context(&codec);
  return file;
}

inline std::string TestPng(const TestPicture& picture) {
  return TestImage(AV_CODEC_ID_PNG, AV_PIX_FMT_RGB24, picture.width, picture.height, picture.rgb.data(),
                   picture.width * 3);
}

/// The body of an EXIF block with nothing but an orientation.
inline std::string TestExif(int orientation) {
  std::string tiff("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0", 26);
  tiff[19] = static_cast<char>(orientation);
  return tiff;
}

inline std::string JpegWithOrientation(const std::string& jpeg, int orientation) {
  const std::string body = std::string("Exif\0\0", 6) + TestExif(orientation);
  const size_t length = body.size() + 2;
  const std::string marker{'\xff', '\xe1', static_cast<char>(length >> 8), static_cast<char>(length)};
  return jpeg.substr(0, 2) + marker + body + jpeg.substr(2);
}

inline EncodedImage Encoded(std::string bytes) { return {arrow::Buffer::FromString(std::move(bytes))}; }

inline RawImage RawRgb(const TestPicture& picture) {
  return {.pixels = arrow::Buffer::FromString(std::string(picture.rgb.begin(), picture.rgb.end())),
          .layout = RawImage::Layout::kRgb8,
          .width = picture.width,
          .height = picture.height,
          .row_bytes = int64_t{picture.width} * 3};
}

/// Numbers up to `most`, with `most` among them, that differ from pixel to pixel.
inline std::vector<uint16_t> DepthNumbers(size_t count, int most, int shift = 0) {
  std::vector<uint16_t> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    numbers[i] =
        static_cast<uint16_t>((i * 40503 + static_cast<size_t>(shift) * 977) % (static_cast<size_t>(most) + 1));
  }
  if (count > 0) numbers[count / 2] = static_cast<uint16_t>(most);
  return numbers;
}

inline std::string BigEndianBytes(const std::vector<uint16_t>& numbers) {
  std::string bytes;
  for (const uint16_t number : numbers) bytes += {static_cast<char>(number >> 8), static_cast<char>(number)};
  return bytes;
}

inline RawImage RawDepth(const std::vector<uint16_t>& numbers, int width) {
  return {.pixels = arrow::Buffer::FromString(
              std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint16_t))),
          .layout = RawImage::Layout::kGray16,
          .width = width,
          .height = static_cast<int>(numbers.size()) / width,
          .row_bytes = int64_t{width} * 2};
}

/// Images from a function, and how many were asked for.
class FunctionImageSource : public ImageSource {
 public:
  using Function = std::function<Result<std::optional<ImageInput>>(int64_t position)>;

  explicit FunctionImageSource(Function function, int64_t size_hint = -1)
      : function_(std::move(function)), size_hint_(size_hint) {}

  Result<std::optional<ImageInput>> Next() override { return function_(pulled++); }
  int64_t size_hint() const override { return size_hint_; }

  int64_t pulled = 0;

 private:
  Function function_;
  int64_t size_hint_;
};

inline FunctionImageSource ImagesOf(std::vector<ImageInput> images, bool has_hint = false) {
  const auto count = static_cast<int64_t>(images.size());
  auto next = [images = std::move(images)](int64_t position) -> Result<std::optional<ImageInput>> {
    if (position >= static_cast<int64_t>(images.size())) return std::optional<ImageInput>();
    return std::optional<ImageInput>(images[static_cast<size_t>(position)]);
  };
  return FunctionImageSource(std::move(next), has_hint ? count : -1);
}

/// A video in memory.
class MemoryVideoSink : public VideoSink {
 public:
  Status Append(const void* data, int64_t size_bytes) override {
    ++appends;
    ARROW_RETURN_NOT_OK(failure);
    bytes.append(static_cast<const char*>(data), static_cast<size_t>(size_bytes));
    return Status::OK();
  }
  Status Overwrite(int64_t offset_bytes, const void* data, int64_t size_bytes) override {
    EXPECT_LE(offset_bytes + size_bytes, static_cast<int64_t>(bytes.size()));
    bytes.replace(static_cast<size_t>(offset_bytes), static_cast<size_t>(size_bytes), static_cast<const char*>(data),
                  static_cast<size_t>(size_bytes));
    return Status::OK();
  }

  std::string bytes;
  int64_t appends = 0;
  Status failure;
};

/// Mean and largest difference of two pictures of one size.
struct PictureDifference {
  double mean = 255;
  int largest = 255;
};

inline PictureDifference Difference(const TestPicture& wanted, const uint8_t* rgb) {
  PictureDifference difference{0, 0};
  for (size_t i = 0; i < wanted.rgb.size(); ++i) {
    const int distance = std::abs(int{wanted.rgb[i]} - int{rgb[i]});
    difference.mean += distance;
    difference.largest = std::max(difference.largest, distance);
  }
  difference.mean /= static_cast<double>(wanted.rgb.size());
  return difference;
}

}  // namespace reelhouse
