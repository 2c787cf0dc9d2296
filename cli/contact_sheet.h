#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/media/frame_decoder.h"

namespace reelhouse::cli {

struct PictureSize {
  int width = 0;
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};

/// The largest size with the shape of `picture` that fits into `box`, at least 1x1.
PictureSize FitInto(PictureSize picture, PictureSize box);

/// `HxW`, e.g. `180x320`.
Result<PictureSize> ParsePictureSize(std::string_view text);

/// One picture of many small ones in rows, with lines between them. Tiles may be placed from several threads.
class ContactSheet {
 public:
  /// Refused where the sheet would be larger than an image file may be.
  static Result<ContactSheet> Make(int64_t tiles, int columns, PictureSize tile);

  /// Puts an RGB picture, not larger than a tile, into the middle of tile `position`.
  Status Place(int64_t position, const DecodedFrame& picture);

  /// The whole sheet, RGB.
  DecodedFrame TakePicture() &&;

  PictureSize size() const { return size_; }
  /// Columns for about as wide as high a sheet.
  static int ColumnsFor(int64_t tiles, PictureSize tile);

 private:
  ContactSheet() = default;

  int64_t tiles_ = 0;
  int columns_ = 1;
  PictureSize tile_;
  PictureSize size_;
  std::shared_ptr<arrow::Buffer> pixels_;
};

}  // namespace reelhouse::cli
