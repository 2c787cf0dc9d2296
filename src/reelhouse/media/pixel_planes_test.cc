#include "reelhouse/media/pixel_planes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using Samples = std::vector<uint8_t>;

Plane PlaneOn(Samples& samples, int width, int height, int pixel_bytes = 1) {
  return {samples.data(), static_cast<ptrdiff_t>(width) * pixel_bytes, width, height};
}

Samples Changed(RangeChange change) {
  Samples all(256);
  std::iota(all.begin(), all.end(), 0);
  ChangeRange(PlaneOn(all, 256, 1), PlaneOn(all, 256, 1), change);
  return all;
}

TEST(PixelPlanes, ChangeOfRangeIsRoundedToNearestForEveryValue) {
  const Samples luma = Changed(RangeChange::kLumaToLimited);
  const Samples chroma = Changed(RangeChange::kChromaToLimited);
  const Samples full_luma = Changed(RangeChange::kLumaToFull);
  const Samples full_chroma = Changed(RangeChange::kChromaToFull);
  const auto clamped = [](double value) { return std::clamp(std::floor(value + 0.5), 0.0, 255.0); };
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(luma[i], std::floor(16 + i * 219.0 / 255 + 0.5)) << i;
    EXPECT_EQ(chroma[i], std::floor(128 + (i - 128) * 224.0 / 255 + 0.5)) << i;
    EXPECT_EQ(full_luma[i], clamped((i - 16) * 255.0 / 219)) << i;
    EXPECT_EQ(full_chroma[i], clamped(128 + (i - 128) * 255.0 / 224)) << i;
  }
}

TEST(PixelPlanes, LumaAndChromaFollowBt601ToHalfAStep) {
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 15) {
      for (int blue = 0; blue < 256; blue += 15) {
        Samples rgb{uint8_t(red), uint8_t(green), uint8_t(blue)};
        Samples y(1), cb(1), cr(1);
        const ConstPlane in = PlaneOn(rgb, 1, 1, 3);
        LumaFromRgb(in, PlaneOn(y, 1, 1), true);
        ChromaFromRgb(in, PlaneOn(cb, 1, 1), PlaneOn(cr, 1, 1), {}, true);
        const double luma = 0.299 * red + 0.587 * green + 0.114 * blue;
        EXPECT_NEAR(y[0], 16 + luma * 219 / 255, 0.51);
        EXPECT_NEAR(cb[0], 128 + (blue - luma) / 1.772 * 224 / 255, 0.51);
        EXPECT_NEAR(cr[0], 128 + (red - luma) / 1.402 * 224 / 255, 0.51);
      }
    }
  }
}

TEST(PixelPlanes, GrayHasNoColourInAnyRange) {
  for (const bool is_limited : {true, false}) {
    for (int value = 0; value < 256; ++value) {
      Samples rgb(12, static_cast<uint8_t>(value));
      Samples cb(1), cr(1);
      ChromaFromRgb(PlaneOn(rgb, 2, 2, 3), PlaneOn(cb, 1, 1), PlaneOn(cr, 1, 1), {1, 1}, is_limited);
      EXPECT_EQ(cb[0], 128);
      EXPECT_EQ(cr[0], 128);
    }
  }
}

TEST(PixelPlanes, ChromaOfAnEdgeBlockIsTheMeanOfThePixelsThatThereAre) {
  Samples rgb{255, 0, 0, 255, 0, 0, 0, 0, 255};
  Samples cb(2), cr(2);
  ChromaFromRgb(PlaneOn(rgb, 3, 1, 3), PlaneOn(cb, 2, 1), PlaneOn(cr, 2, 1), {1, 1}, true);
  EXPECT_THAT(cb, ElementsAre(90, 240));
  EXPECT_THAT(cr, ElementsAre(240, 110));
}

TEST(PixelPlanes, HalvingAndDoublingKeepTheMiddleOfTheBlock) {
  Samples wide{10, 20, 30};
  Samples half(2);
  HalveColumns(PlaneOn(wide, 3, 1), PlaneOn(half, 2, 1));
  EXPECT_THAT(half, ElementsAre(15, 30));
  HalveRows(PlaneOn(wide, 1, 3), PlaneOn(half, 1, 2));
  EXPECT_THAT(half, ElementsAre(15, 30));
  Samples narrow{0, 100};
  Samples doubled(4);
  DoubleColumns(PlaneOn(narrow, 2, 1), PlaneOn(doubled, 4, 1));
  EXPECT_THAT(doubled, ElementsAre(0, 25, 75, 100));
  DoubleRows(PlaneOn(narrow, 1, 2), PlaneOn(doubled, 1, 4));
  EXPECT_THAT(doubled, ElementsAre(0, 25, 75, 100));
  Samples odd(3);
  DoubleColumns(PlaneOn(narrow, 2, 1), PlaneOn(odd, 3, 1));
  EXPECT_THAT(odd, ElementsAre(0, 25, 75));
}

TEST(PixelPlanes, TurnsLikeExifSays) {
  Samples stored{1, 2, 3, 4, 5, 6};  // 3 x 2
  const auto turned = [&](int orientation) {
    Samples upright(6);
    const bool swaps = orientation >= 5;
    TurnPlane(PlaneOn(stored, 3, 2), PlaneOn(upright, swaps ? 2 : 3, swaps ? 3 : 2), OrientationFromExif(orientation),
              1);
    return upright;
  };
  EXPECT_THAT(turned(1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(turned(2), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(turned(3), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(turned(4), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(turned(5), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(turned(6), ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(turned(7), ElementsAre(6, 3, 5, 2, 4, 1));
  EXPECT_THAT(turned(8), ElementsAre(3, 6, 2, 5, 1, 4));
}

TEST(PixelPlanes, LaysTransparencyOverTheBackground) {
  Samples rgba{200, 100, 0, 255, 200, 100, 0, 0, 200, 100, 0, 128};
  Samples rgb(9);
  const uint8_t background[3] = {0, 200, 100};
  EXPECT_FALSE(IsOpaque(PlaneOn(rgba, 3, 1, 4)));
  EXPECT_FALSE(FlattenRgba(PlaneOn(rgba, 3, 1, 4), PlaneOn(rgb, 3, 1, 3), background));
  EXPECT_THAT(rgb, ElementsAre(200, 100, 0, 0, 200, 100, 100, 150, 50));
  EXPECT_TRUE(IsOpaque(PlaneOn(rgba, 1, 1, 4)));
}

}  // namespace
}  // namespace reelhouse
