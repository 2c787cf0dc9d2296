#include <cstdint>
#include <cstdlib>
#include <vector>

#include "reelhouse/media/exif_orientation.h"

// Any bytes as an image file and as the TIFF structure inside of one: an orientation comes out and nothing is read that
// is not there.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size);
  (void)reelhouse::OrientationFromExif(reelhouse::FindExifOrientation(bytes));
  (void)reelhouse::ReadExifOrientation(bytes);
  if (size >= 2) {
    const auto tag = static_cast<uint16_t>(data[0] << 8 | data[1]);
    (void)reelhouse::ReadTiffTag(std::vector<uint8_t>(data + 2, data + size), tag, -1);
  }
  return 0;
}
