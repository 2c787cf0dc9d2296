// Any bytes as a whole video: looked at in every depth, and some frames decoded. Refused or consistent. The first byte
// chooses what is done.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/video_inspection.h"

namespace {

using namespace reelhouse;

// What decoding costs grows with the size that the header claims.
constexpr int64_t kMostPixels = 640 * 480;

void DecodeSome(const VideoBytes& video, const KeyframeIndex& index, int64_t frame_count) {
  auto decoder = FrameDecoder::Open(video, index);
  if (!decoder.ok()) return;
  std::vector<int64_t> frames = {0, 7, 2, 2};
  if (frame_count > 0) frames.push_back(frame_count - 1);
  FrameFormat format;
  format.height = 16;
  format.width = 16;
  std::vector<int> answers(frames.size());
  const Status status = (*decoder)->Decode(
      frames, format,
      [&](size_t position, const DecodedFrame& frame) {
        if (frame.pixels == nullptr || frame.pixels->size() != int64_t{16} * 16 * 3) std::abort();
        ++answers.at(position);
        return Status::OK();
      },
      [&](size_t position, const Status& failure) {
        if (failure.ok()) std::abort();
        ++answers.at(position);
        return Status::OK();
      });
  if (!status.ok()) return;
  for (int count : answers) {
    if (count != 1) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const auto length = static_cast<int64_t>(size) - 1;
  const auto buffer = std::make_shared<arrow::Buffer>(data + 1, length);
  const VideoBytes video{std::make_shared<arrow::io::BufferReader>(buffer), 0, length, "fuzz.mp4"};
  constexpr VideoValidation kDepths[] = {VideoValidation::kNone, VideoValidation::kContainer, VideoValidation::kFrames};
  auto inspection = InspectVideo(video, kDepths[(data[0] & 3) % 3]);
  if (!inspection.ok()) {
    if ((data[0] & 3) % 3 == 0) std::abort();
    return 0;
  }
  if (!inspection->index.empty()) {
    if (!inspection->index.Validate(length).ok()) std::abort();
    const auto bytes = inspection->index.Serialize();
    if (!bytes.ok() || !KeyframeIndex::Deserialize(*bytes, length).ok()) std::abort();
  }
  if ((data[0] & 4) == 0 || inspection->frame_count <= 0) return 0;
  if (int64_t{inspection->width} * inspection->height > kMostPixels) return 0;
  DecodeSome(video, (data[0] & 8) ? KeyframeIndex() : inspection->index, inspection->frame_count);
  return 0;
}
