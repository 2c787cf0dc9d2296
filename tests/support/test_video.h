#pragma once

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include "reelhouse/media/frame_decoder.h"
#include "reelhouse/media/video_inspection.h"

namespace reelhouse {

/// Path of a video of `tests/data/videos`.
inline std::string TestVideoPath(const std::string& name) { return REELHOUSE_SOURCE_DIR "/tests/data/videos/" + name; }

/// The bytes of such a video.
inline std::string TestVideoBytes(const std::string& name) {
  std::ifstream file(TestVideoPath(name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

/// Any bytes as a video that lies in the middle of a larger file, as it does in a `.video` file.
inline VideoBytes VideoInMemory(const std::string& bytes, const std::string& name) {
  const std::string around(100, 'x');
  auto buffer = arrow::Buffer::FromString(around + bytes + around);
  return {std::make_shared<arrow::io::BufferReader>(std::move(buffer)), 100, static_cast<int64_t>(bytes.size()), name};
}

inline VideoBytes TestVideo(const std::string& name) { return VideoInMemory(TestVideoBytes(name), name); }

/// The number that the frames of these videos show: luma 30 + 4 * number in the upper left quarter; -1 for other
/// pictures. Takes a gray8 frame.
inline int NumberOf(const DecodedFrame& gray) {
  const int x = gray.width / 4;
  const int y = gray.height / 4;
  double sum = 0;
  for (int dy = -3; dy < 3; ++dy) {
    for (int dx = -3; dx < 3; ++dx) sum += gray.pixels->data()[(y + dy) * gray.width + x + dx];
  }
  const double luma = sum / 36 * 219 / 255 + 16;
  const double number = (luma - 30) / 4;
  return std::abs(number - std::round(number)) < 0.4 ? static_cast<int>(std::round(number)) : -1;
}

}  // namespace reelhouse
