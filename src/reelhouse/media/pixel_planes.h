#pragma once

#include <cstddef>
#include <cstdint>

#include "reelhouse/media/exif_orientation.h"

namespace reelhouse {

// Exact integer operations on 8-bit planes, rounded to nearest: what the pixel contract asks of pictures on their way
// into an encoder. All pointers are to the first row; strides are in bytes and may be larger than a row.

/// A plane to read.
struct ConstPlane {
  const uint8_t* pixels = nullptr;
  ptrdiff_t stride = 0;
  int width = 0;
  int height = 0;
};

/// A plane to write.
struct Plane {
  uint8_t* pixels = nullptr;
  ptrdiff_t stride = 0;
  int width = 0;
  int height = 0;

  operator ConstPlane() const { return {pixels, stride, width, height}; }
};

enum class RangeChange {
  kNone,
  kLumaToLimited,    ///< 0..255 -> 16..235
  kChromaToLimited,  ///< 0..255 -> 16..240 around 128
  kLumaToFull,
  kChromaToFull,
};

void CopyPlane(ConstPlane from, Plane to);
void FillPlane(Plane plane, uint8_t value);

/// `from` and `to` may be the same plane.
void ChangeRange(ConstPlane from, Plane to, RangeChange change);

/// Halves or doubles a plane along one axis; samples lie between those that they stand for (the siting of JPEG).
/// The halved size is rounded up; the doubled plane has the size of `to`, which may be one less than twice.
void HalveColumns(ConstPlane from, Plane to);
void HalveRows(ConstPlane from, Plane to);
void DoubleColumns(ConstPlane from, Plane to);
void DoubleRows(ConstPlane from, Plane to);

/// Copies one-channel numbers of 16 bits in the byte order of this machine; `width` of both planes is in pixels. Gives
/// the largest.
int CopyNumbers(ConstPlane from, Plane to, bool to_big_endian);
/// The same into 8 bits; what comes out of numbers above 255 is of no use.
int NarrowNumbers(ConstPlane from, Plane to);
/// 16 bits, the higher byte first, to the byte order of this machine; may be the same plane.
void FromBigEndian(ConstPlane from, Plane to);

/// Turns a plane of pixels of 1 to 3 bytes upright; `width` of both planes is in pixels.
void TurnPlane(ConstPlane from, Plane to, Orientation orientation, int pixel_bytes);

/// BT.601 of RGB24 (three bytes a pixel): the luma of every pixel, and chroma of the mean of each block of
/// (1 << shift) pixels; blocks at the edge use the pixels that there are.
void LumaFromRgb(ConstPlane rgb, Plane luma, bool is_limited);
struct ChromaShift {
  int columns = 0;
  int rows = 0;
};
void ChromaFromRgb(ConstPlane rgb, Plane cb, Plane cr, ChromaShift shift, bool is_limited);

/// RGB24 over `background` by the alpha of RGBA; `true` if all pixels were opaque.
bool FlattenRgba(ConstPlane rgba, Plane rgb, const uint8_t background[3]);
bool IsOpaque(ConstPlane rgba);

}  // namespace reelhouse
