#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "reelhouse/media/coded_picture.h"

// Any bytes as the header of a stream and three of its packets: nothing is read that is not there.
// Input: codec, length of the header, header, packets.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr AVCodecID kCodecs[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,       AV_CODEC_ID_AV1,  AV_CODEC_ID_VP9,
                                   AV_CODEC_ID_VP8,  AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4};
  if (size < 2) return 0;
  AVCodecParameters parameters = {};
  parameters.codec_id = kCodecs[data[0] % std::size(kCodecs)];
  std::span<const uint8_t> left(data + 2, size - 2);
  const size_t header_bytes = std::min<size_t>(data[1], left.size());
  // Copies end where their bytes end, so that a step beyond is seen.
  std::vector<uint8_t> header(left.begin(), left.begin() + static_cast<ptrdiff_t>(header_bytes));
  left = left.subspan(header_bytes);
  parameters.extradata = header.data();
  parameters.extradata_size = static_cast<int>(header.size());
  reelhouse::CodedPictureReader reader(parameters);
  for (size_t packets = 3; packets > 0; --packets) {
    const size_t packet_bytes = left.size() / packets;
    const std::vector<uint8_t> packet(left.begin(), left.begin() + static_cast<ptrdiff_t>(packet_bytes));
    left = left.subspan(packet_bytes);
    const reelhouse::CodedPicture picture = reader.Look(packet, true);
    if (picture.shown_count < -1) std::abort();
  }
  return 0;
}
