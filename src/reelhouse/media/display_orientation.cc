#include "reelhouse/media/display_orientation.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace reelhouse {
namespace {

const uint8_t* DisplayMatrixOf(const AVStream& stream) {
  constexpr size_t kMatrixBytes = 9 * sizeof(int32_t);
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
  const AVPacketSideData* side_data = av_packet_side_data_get(
      stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  return side_data && side_data->size >= kMatrixBytes ? side_data->data : nullptr;
#else
  size_t size_bytes = 0;
  const uint8_t* bytes = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size_bytes);
  return size_bytes >= kMatrixBytes ? bytes : nullptr;
#endif
}

}  // namespace

DisplayOrientation OrientationOf(const AVStream& stream) {
  const uint8_t* bytes = DisplayMatrixOf(stream);
  if (!bytes) return {};
  int32_t matrix[9];
  std::memcpy(matrix, bytes, sizeof(matrix));
  // x' = a x + c y, y' = b x + d y
  const int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  const auto dominates = [](int64_t large, int64_t small) { return std::llabs(large) > 1000 * std::llabs(small); };
  if (dominates(a, b) && dominates(d, c)) return {false, a < 0, d < 0};
  if (dominates(b, a) && dominates(c, d)) return {true, c < 0, b < 0};
  return {};
}

}  // namespace reelhouse
