#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <arrow/buffer.h>

#include "reelhouse/base/status.h"

namespace reelhouse {

/// The bytes of an image file of any format (JPEG, PNG, WebP, BMP, TIFF, GIF, ...).
struct EncodedImage {
  std::shared_ptr<arrow::Buffer> bytes;
};

/// An image file to be read on a worker thread.
struct ImagePath {
  std::string path;
};

/// Uncompressed pixels, rows from top to bottom. Samples of 16 bits are in the byte order of this machine.
struct RawImage {
  enum class Layout { kGray8, kGray16, kRgb8, kRgba8 };
  std::shared_ptr<arrow::Buffer> pixels;
  Layout layout = Layout::kRgb8;
  int width = 0;
  int height = 0;
  int64_t row_bytes = 0;
};

using ImageInput = std::variant<EncodedImage, ImagePath, RawImage>;

/// Pulls images one after another. Called from one thread, the one that called the encoder.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  /// The next image, or nothing at the end. A failure ends the encoding with that failure.
  virtual Result<std::optional<ImageInput>> Next() = 0;
  /// Number of images where it is known before, else -1.
  virtual int64_t size_hint() const { return -1; }
};

}  // namespace reelhouse
