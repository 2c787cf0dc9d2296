// Any bytes as an image of any format, turned upright, with and without a background: refused or a picture of a size
// that may be held. The first byte chooses the options.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <arrow/buffer.h>

#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/image_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace reelhouse;
  if (size < 1) return 0;
  ImageDecoderOptions options;
  options.apply_orientation = (data[0] & 1) == 0;
  options.wants_rgb = (data[0] & 2) != 0;
  if (data[0] & 4) options.background = {1, 2, 3};
  // One decoder for many pictures, as a worker has it: what one leaves must not hurt the next.
  static ImageDecoder* decoders[8] = {};
  ImageDecoder*& decoder = decoders[data[0] & 7];
  if (decoder == nullptr) decoder = new ImageDecoder(options);
  const auto bytes = std::make_shared<arrow::Buffer>(data + 1, static_cast<int64_t>(size) - 1);
  auto picture = decoder->Decode(EncodedImage{bytes});
  if (!picture.ok()) return 0;
  const AVFrame& frame = *picture->frame;
  if (!CheckPictureSize(frame.width, frame.height).ok()) std::abort();
  if (frame.width <= 0 || frame.height <= 0 || frame.data[0] == nullptr) std::abort();
  // Every row of the first plane can be touched.
  unsigned sum = 0;
  for (int y = 0; y < frame.height; ++y) sum += frame.data[0][static_cast<ptrdiff_t>(frame.linesize[0]) * y];
  [[maybe_unused]] static volatile unsigned sink;
  sink = sum;
  return 0;
}
