#pragma once

#include <cstdint>
#include <span>

namespace reelhouse {

/// How a stored picture has to be turned to stand upright: the EXIF tag 0x0112 as two steps, first an optional swap of
/// rows and columns, then mirroring of the *stored* axes.
struct Orientation {
  bool swaps_axes = false;
  bool mirrors_columns = false;  ///< the stored picture is read from its right edge
  bool mirrors_rows = false;     ///< the stored picture is read from its bottom edge

  bool is_upright() const { return !swaps_axes && !mirrors_columns && !mirrors_rows; }
  bool operator==(const Orientation&) const = default;
};

/// The orientation for an EXIF value 1..8; any other value stands for upright.
Orientation OrientationFromExif(int value);

/// The one small number that tag `tag` of the first directory of a TIFF structure holds; `absent` where there is none.
int ReadTiffTag(std::span<const uint8_t> tiff, uint16_t tag, int absent);

/// The value of tag 0x0112 in a TIFF structure (the body of an EXIF block); 1 where it is absent or broken.
int ReadExifOrientation(std::span<const uint8_t> tiff);

/// The EXIF orientation of an image file: JPEG (APP1), PNG (eXIf), WebP (EXIF) and TIFF; 1 for any other.
int FindExifOrientation(std::span<const uint8_t> image);

}  // namespace reelhouse
