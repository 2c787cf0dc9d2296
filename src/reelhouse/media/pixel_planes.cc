#include "reelhouse/media/pixel_planes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace reelhouse {
namespace {

/// round(value / 255) for value up to 65,279, in 16 bits so that it becomes vector code.
inline uint16_t Over255(uint16_t value) {
  const uint16_t rounded = static_cast<uint16_t>(value + 128);
  return static_cast<uint16_t>((rounded + (rounded >> 8)) >> 8);
}

using ByteTable = std::array<uint8_t, 256>;

/// Limited to full, clamping what lies outside of the range.
ByteTable MakeFullTable(int low, int span, int middle) {
  ByteTable table;
  for (int i = 0; i < 256; ++i) {
    const double value = (i - low) * 255.0 / span + middle;
    table[i] = static_cast<uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
  }
  return table;
}

/// BT.601 weights in 1/65536 for luma and both chroma differences.
struct Weights {
  std::array<int, 3> luma;
  std::array<int, 3> cb;
  std::array<int, 3> cr;
  int luma_offset;
};

Weights MakeWeights(bool is_limited) {
  const double luma_scale = is_limited ? 219.0 / 255 : 1.0;
  const double chroma_scale = is_limited ? 224.0 / 255 : 1.0;
  const auto fixed = [](double value) { return static_cast<int>(std::lround(value * 65536)); };
  Weights weights{};
  weights.luma = {fixed(0.299 * luma_scale), 0, fixed(0.114 * luma_scale)};
  // The middle weight takes the rounding, so that gray stays exactly gray.
  weights.luma[1] = fixed(luma_scale) - weights.luma[0] - weights.luma[2];
  weights.cb = {fixed(-0.299 / 1.772 * chroma_scale), 0, fixed(0.5 * chroma_scale)};
  weights.cb[1] = -weights.cb[0] - weights.cb[2];
  weights.cr = {fixed(0.5 * chroma_scale), 0, fixed(-0.114 / 1.402 * chroma_scale)};
  weights.cr[1] = -weights.cr[0] - weights.cr[2];
  weights.luma_offset = is_limited ? 16 : 0;
  return weights;
}

const Weights& WeightsFor(bool is_limited) {
  static const Weights limited = MakeWeights(true);
  static const Weights full = MakeWeights(false);
  return is_limited ? limited : full;
}

inline uint8_t ClampToByte(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

void ChangeRow(const uint8_t* from, uint8_t* to, int width, RangeChange change) {
  static const ByteTable full_luma = MakeFullTable(16, 219, 0);
  static const ByteTable full_chroma = MakeFullTable(128, 224, 128);
  switch (change) {
    case RangeChange::kNone:
      if (from != to) std::memcpy(to, from, static_cast<size_t>(width));
      return;
    case RangeChange::kLumaToLimited:
      for (int x = 0; x < width; ++x) {
        to[x] = static_cast<uint8_t>(Over255(static_cast<uint16_t>(from[x] * 219)) + 16);
      }
      return;
    case RangeChange::kChromaToLimited:
      // 128 + (c - 128) * 224 / 255 as one positive quotient.
      for (int x = 0; x < width; ++x)
        to[x] = static_cast<uint8_t>(Over255(static_cast<uint16_t>(from[x] * 224 + 3968)));
      return;
    case RangeChange::kLumaToFull:
      for (int x = 0; x < width; ++x) to[x] = full_luma[from[x]];
      return;
    case RangeChange::kChromaToFull:
      for (int x = 0; x < width; ++x) to[x] = full_chroma[from[x]];
      return;
  }
}

inline const uint8_t* Row(ConstPlane plane, int y) { return plane.pixels + y * plane.stride; }
inline uint8_t* Row(Plane plane, int y) { return plane.pixels + y * plane.stride; }

template <int kPixelBytes>
void CopyPixel(const uint8_t* from, uint8_t* to) {
  for (int i = 0; i < kPixelBytes; ++i) to[i] = from[i];
}

template <int kPixelBytes>
void Turn(ConstPlane from, Plane to, Orientation orientation) {
  // Walked in blocks: a swap of axes reads down a column, and a block stays in the cache.
  constexpr int kBlock = 16;
  const ptrdiff_t column_step = orientation.mirrors_columns ? -kPixelBytes : kPixelBytes;
  const ptrdiff_t row_step = orientation.mirrors_rows ? -from.stride : from.stride;
  const uint8_t* origin = from.pixels;
  if (orientation.mirrors_columns) origin += static_cast<ptrdiff_t>(from.width - 1) * kPixelBytes;
  if (orientation.mirrors_rows) origin += (from.height - 1) * from.stride;
  const ptrdiff_t step_x = orientation.swaps_axes ? row_step : column_step;
  const ptrdiff_t step_y = orientation.swaps_axes ? column_step : row_step;
  for (int block_y = 0; block_y < to.height; block_y += kBlock) {
    for (int block_x = 0; block_x < to.width; block_x += kBlock) {
      const int end_y = std::min(block_y + kBlock, to.height);
      const int end_x = std::min(block_x + kBlock, to.width);
      for (int y = block_y; y < end_y; ++y) {
        const uint8_t* in = origin + y * step_y + block_x * step_x;
        uint8_t* out = Row(to, y) + block_x * kPixelBytes;
        for (int x = block_x; x < end_x; ++x, in += step_x, out += kPixelBytes) CopyPixel<kPixelBytes>(in, out);
      }
    }
  }
}

/// Gives each number of `from` to `store(number, row of to, x)`. Returns the largest.
template <typename Store>
int StoreNumbers(ConstPlane from, Plane to, Store&& store) {
  uint16_t largest = 0;
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* in = Row(from, y);
    uint8_t* out = Row(to, y);
    for (int x = 0; x < to.width; ++x) {
      uint16_t number;
      std::memcpy(&number, in + 2 * x, 2);  // rows of a caller may lie at odd addresses
      largest = std::max(largest, number);
      store(number, out, x);
    }
  }
  return largest;
}

}  // namespace

void CopyPlane(ConstPlane from, Plane to) { ChangeRange(from, to, RangeChange::kNone); }

void FillPlane(Plane plane, uint8_t value) {
  for (int y = 0; y < plane.height; ++y) std::memset(Row(plane, y), value, static_cast<size_t>(plane.width));
}

void ChangeRange(ConstPlane from, Plane to, RangeChange change) {
  for (int y = 0; y < to.height; ++y) ChangeRow(Row(from, y), Row(to, y), to.width, change);
}

void HalveColumns(ConstPlane from, Plane to) {
  const int pairs = from.width / 2;
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* in = Row(from, y);
    uint8_t* out = Row(to, y);
    for (int x = 0; x < pairs; ++x) out[x] = static_cast<uint8_t>((in[2 * x] + in[2 * x + 1] + 1) >> 1);
    if (from.width & 1) out[pairs] = in[from.width - 1];
  }
}

void HalveRows(ConstPlane from, Plane to) {
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* upper = Row(from, 2 * y);
    const uint8_t* lower = Row(from, std::min(2 * y + 1, from.height - 1));
    uint8_t* out = Row(to, y);
    for (int x = 0; x < to.width; ++x) out[x] = static_cast<uint8_t>((upper[x] + lower[x] + 1) >> 1);
  }
}

void DoubleColumns(ConstPlane from, Plane to) {
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* in = Row(from, y);
    uint8_t* out = Row(to, y);
    for (int x = 0; x < to.width; ++x) {
      const int near = x / 2;
      const int far = std::clamp(x & 1 ? near + 1 : near - 1, 0, from.width - 1);
      out[x] = static_cast<uint8_t>((in[near] * 3 + in[far] + 2) >> 2);
    }
  }
}

void DoubleRows(ConstPlane from, Plane to) {
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* near = Row(from, y / 2);
    const uint8_t* far = Row(from, std::clamp(y & 1 ? y / 2 + 1 : y / 2 - 1, 0, from.height - 1));
    uint8_t* out = Row(to, y);
    for (int x = 0; x < to.width; ++x) out[x] = static_cast<uint8_t>((near[x] * 3 + far[x] + 2) >> 2);
  }
}

int CopyNumbers(ConstPlane from, Plane to, bool to_big_endian) {
  return StoreNumbers(from, to, [to_big_endian](uint16_t number, uint8_t* row, int x) {
    const uint16_t stored = to_big_endian ? static_cast<uint16_t>(number << 8 | number >> 8) : number;
    std::memcpy(row + 2 * x, &stored, 2);
  });
}

int NarrowNumbers(ConstPlane from, Plane to) {
  return StoreNumbers(from, to, [](uint16_t number, uint8_t* row, int x) { row[x] = static_cast<uint8_t>(number); });
}

void FromBigEndian(ConstPlane from, Plane to) {
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* in = Row(from, y);
    uint8_t* out = Row(to, y);
    for (int x = 0; x < to.width; ++x) {
      const auto number = static_cast<uint16_t>(in[2 * x] << 8 | in[2 * x + 1]);
      std::memcpy(out + 2 * x, &number, 2);
    }
  }
}

void TurnPlane(ConstPlane from, Plane to, Orientation orientation, int pixel_bytes) {
  if (pixel_bytes == 1) return Turn<1>(from, to, orientation);
  if (pixel_bytes == 2) return Turn<2>(from, to, orientation);
  Turn<3>(from, to, orientation);
}

void LumaFromRgb(ConstPlane rgb, Plane luma, bool is_limited) {
  const Weights& weights = WeightsFor(is_limited);
  const auto [red, green, blue] = weights.luma;
  const int offset = (weights.luma_offset << 16) + 32768;
  for (int y = 0; y < luma.height; ++y) {
    const uint8_t* in = Row(rgb, y);
    uint8_t* out = Row(luma, y);
    for (int x = 0; x < luma.width; ++x, in += 3) {
      out[x] = static_cast<uint8_t>((red * in[0] + green * in[1] + blue * in[2] + offset) >> 16);
    }
  }
}

void ChromaFromRgb(ConstPlane rgb, Plane cb, Plane cr, ChromaShift shift, bool is_limited) {
  const Weights& weights = WeightsFor(is_limited);
  const int block_width = 1 << shift.columns;
  const int block_height = 1 << shift.rows;
  // Sums of the rows of a block, so that the loop over pixels runs along rows.
  std::vector<int> sums(static_cast<size_t>(rgb.width) * 3);
  for (int y = 0; y < cb.height; ++y) {
    const int first_row = y * block_height;
    const int rows = std::min(block_height, rgb.height - first_row);
    const uint8_t* first = Row(rgb, first_row);
    if (rows == 2) {
      const uint8_t* second = first + rgb.stride;
      for (int i = 0; i < rgb.width * 3; ++i) sums[i] = first[i] + second[i];
    } else {
      std::copy(first, first + rgb.width * 3, sums.begin());
      for (int row = 1; row < rows; ++row) {
        const uint8_t* in = Row(rgb, first_row + row);
        for (int i = 0; i < rgb.width * 3; ++i) sums[i] += in[i];
      }
    }
    uint8_t* cb_row = Row(cb, y);
    uint8_t* cr_row = Row(cr, y);
    for (int x = 0; x < cb.width; ++x) {
      const int columns = std::min(block_width, rgb.width - x * block_width);
      int red = 0, green = 0, blue = 0;
      const int* in = sums.data() + static_cast<size_t>(x) * block_width * 3;
      for (int i = 0; i < columns; ++i, in += 3) {
        red += in[0];
        green += in[1];
        blue += in[2];
      }
      const int count = rows * columns;
      const int half = count << 15;
      // Offset by 128 keeps the dividend positive, so that division rounds to nearest everywhere.
      const int base = (128 << 16) * count + half;
      const int cb_sum = weights.cb[0] * red + weights.cb[1] * green + weights.cb[2] * blue + base;
      const int cr_sum = weights.cr[0] * red + weights.cr[1] * green + weights.cr[2] * blue + base;
      if (count == 4) {
        cb_row[x] = ClampToByte(cb_sum >> 18);
        cr_row[x] = ClampToByte(cr_sum >> 18);
      } else {
        cb_row[x] = ClampToByte((cb_sum >> 16) / count);
        cr_row[x] = ClampToByte((cr_sum >> 16) / count);
      }
    }
  }
}

bool IsOpaque(ConstPlane rgba) {
  for (int y = 0; y < rgba.height; ++y) {
    const uint8_t* in = Row(rgba, y);
    uint8_t all = 255;
    for (int x = 0; x < rgba.width; ++x) all &= in[4 * x + 3];
    if (all != 255) return false;
  }
  return true;
}

bool FlattenRgba(ConstPlane rgba, Plane rgb, const uint8_t background[3]) {
  uint8_t all = 255;
  for (int y = 0; y < rgb.height; ++y) {
    const uint8_t* in = Row(rgba, y);
    uint8_t* out = Row(rgb, y);
    for (int x = 0; x < rgb.width; ++x, in += 4, out += 3) {
      const int alpha = in[3];
      all &= in[3];
      for (int i = 0; i < 3; ++i) {
        out[i] = static_cast<uint8_t>(Over255(static_cast<uint16_t>(in[i] * alpha + background[i] * (255 - alpha))));
      }
    }
  }
  return all == 255;
}

}  // namespace reelhouse
