#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <benchmark/benchmark.h>

#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/image_decoder.h"
#include "reelhouse/media/jpeg_decoder.h"
#include "reelhouse/media/picture_converter.h"
#include "reelhouse/media/picture_writer.h"
#include "reelhouse/media/video_encoder.h"
#include "reelhouse/media/video_inspection.h"

namespace reelhouse {
namespace {

constexpr int kWidth = 1280, kHeight = 720;

/// A gradient with some noise, so that it costs about what a picture of a camera does.
std::shared_ptr<arrow::Buffer> Jpeg(int shift = 0) {
  std::string pixels(static_cast<size_t>(kWidth) * kHeight * 3, '\0');
  std::minstd_rand noise(static_cast<unsigned>(shift + 1));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      char* pixel = &pixels[(static_cast<size_t>(y) * kWidth + x) * 3];
      pixel[0] = static_cast<char>((x + shift) / 6 + noise() % 8);
      pixel[1] = static_cast<char>(y / 3 + noise() % 8);
      pixel[2] = static_cast<char>((x / 40 + y / 40) % 2 * 100 + noise() % 8);
    }
  }
  DecodedFrame frame{arrow::Buffer::FromString(std::move(pixels)), kWidth, kHeight};
  return EncodeJpeg(frame).ValueOrDie();
}

void DecodesJpegToPlanes(benchmark::State& state) {
  const auto jpeg = Jpeg();
  JpegDecoder decoder;
  FramePool pool;
  for (auto _ : state)
    benchmark::DoNotOptimize(decoder.Decode({jpeg->data(), static_cast<size_t>(jpeg->size())}, false, pool));
  state.SetBytesProcessed(state.iterations() * jpeg->size());
}
BENCHMARK(DecodesJpegToPlanes)->Unit(benchmark::kMillisecond);

void TurnsJpegIntoEncoderPixels(benchmark::State& state) {
  const EncodedImage image{Jpeg()};
  ImageDecoder decoder({});
  PictureConverter converter({AV_PIX_FMT_YUV420P, kWidth, kHeight});
  for (auto _ : state) {
    auto picture = decoder.Decode(image);
    if (!picture.ok()) return state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(converter.Convert(std::move(picture->frame)));
  }
}
BENCHMARK(TurnsJpegIntoEncoderPixels)->Unit(benchmark::kMillisecond);

class Images final : public ImageSource {
 public:
  explicit Images(const std::vector<std::shared_ptr<arrow::Buffer>>& images) : images_(images) {}
  Result<std::optional<ImageInput>> Next() override {
    if (at_ == images_.size()) return std::nullopt;
    return EncodedImage{images_[at_++]};
  }
  int64_t size_hint() const override { return static_cast<int64_t>(images_.size()); }

 private:
  const std::vector<std::shared_ptr<arrow::Buffer>>& images_;
  size_t at_ = 0;
};

/// A video in memory.
class MemorySink final : public VideoSink {
 public:
  Status Append(const void* data, int64_t size_bytes) override {
    bytes.append(static_cast<const char*>(data), static_cast<size_t>(size_bytes));
    return Status::OK();
  }
  Status Overwrite(int64_t offset_bytes, const void* data, int64_t size_bytes) override {
    const auto size = static_cast<size_t>(size_bytes);
    bytes.replace(static_cast<size_t>(offset_bytes), size, static_cast<const char*>(data), size);
    return Status::OK();
  }

  std::string bytes;
};

EncodingOptions Encoding(const char* preset, int gop_size) {
  EncodingOptions options;
  options.fps = {30, 1};
  options.gop_size = gop_size;
  options.codec_options = {{{"preset", preset}, {"crf", "23"}}};
  return options;
}

std::vector<std::shared_ptr<arrow::Buffer>> Pictures(int count) {
  std::vector<std::shared_ptr<arrow::Buffer>> pictures;
  for (int i = 0; i < count; ++i) pictures.push_back(Jpeg(i * 4));
  return pictures;
}

void EncodesPictures(benchmark::State& state, const char* preset) {
  const auto pictures = Pictures(30);
  for (auto _ : state) {
    Images images(pictures);
    MemorySink sink;
    if (!EncodeImages(images, Encoding(preset, 2), 30, sink).ok()) return state.SkipWithError("not encoded");
  }
  state.SetItemsProcessed(state.iterations() * 30);
}
BENCHMARK_CAPTURE(EncodesPictures, fast, "fast")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(EncodesPictures, ultrafast, "ultrafast")->Unit(benchmark::kMillisecond)->UseRealTime();

/// A video of some hundred tiny frames in memory.
VideoBytes TinyVideo(int frames) {
  std::vector<std::shared_ptr<arrow::Buffer>> pictures;
  for (int i = 0; i < frames; ++i) {
    DecodedFrame frame{arrow::Buffer::FromString(std::string(64 * 48 * 3, static_cast<char>(i))), 64, 48};
    pictures.push_back(EncodeJpeg(frame).ValueOrDie());
  }
  Images images(pictures);
  MemorySink sink;
  if (!EncodeImages(images, Encoding("ultrafast", 10), frames, sink).ok()) return {};
  const auto size = static_cast<int64_t>(sink.bytes.size());
  auto bytes = arrow::Buffer::FromString(std::move(sink.bytes));
  return {std::make_shared<arrow::io::BufferReader>(std::move(bytes)), 0, size, "tiny.mp4"};
}

void IndexesVideoFromPackets(benchmark::State& state) {
  const VideoBytes video = TinyVideo(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const auto found = InspectVideo(video, VideoValidation::kFrames);
    if (!found.ok() || found->frame_count != state.range(0)) return state.SkipWithError("not counted");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(IndexesVideoFromPackets)->Arg(100)->Arg(1'000)->Unit(benchmark::kMicrosecond);

KeyframeIndex IndexOf(int64_t keyframes) {
  KeyframeIndex index;
  index.metadata_ranges = {{0, 40}, {keyframes * 5000 + 40, 20'000}};
  for (int64_t i = 0; i < keyframes; ++i) index.keyframes.push_back({i * 30, i * 15'360, 48 + i * 5000});
  return index;
}

void ReadsKeyframeIndex(benchmark::State& state) {
  const std::string bytes = IndexOf(state.range(0)).Serialize().ValueOrDie();
  const int64_t length_bytes = state.range(0) * 5000 + 20'040;
  for (auto _ : state) benchmark::DoNotOptimize(KeyframeIndex::Deserialize(bytes, length_bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ReadsKeyframeIndex)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void WritesKeyframeIndex(benchmark::State& state) {
  const KeyframeIndex index = IndexOf(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(index.Serialize());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(WritesKeyframeIndex)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace reelhouse
