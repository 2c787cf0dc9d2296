#include "cli/contact_sheet.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <arrow/buffer.h>

#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr int kGapPixels = 4;
constexpr int kChannels = 3;
constexpr uint8_t kGapValue = 0x20;
constexpr int64_t kMostSheetPixels = 256 << 20;
constexpr int64_t kMostSheetEdge = 60000;

}  // namespace

PictureSize FitInto(PictureSize picture, PictureSize box) {
  const double scale =
      std::min(static_cast<double>(box.width) / picture.width, static_cast<double>(box.height) / picture.height);
  return {std::clamp(static_cast<int>(std::lround(picture.width * scale)), 1, box.width),
          std::clamp(static_cast<int>(std::lround(picture.height * scale)), 1, box.height)};
}

Result<PictureSize> ParsePictureSize(std::string_view text) {
  constexpr int kMostEdge = 16384;
  const size_t cross = text.find_first_of("xX");
  PictureSize size;
  const auto parse = [](std::string_view part, int* value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *value);
    return error == std::errc() && end == part.data() + part.size() && *value >= 1 && *value <= kMostEdge;
  };
  if (cross == std::string_view::npos || !parse(text.substr(0, cross), &size.height) ||
      !parse(text.substr(cross + 1), &size.width)) {
    return Status::Invalid("--size: expected HEIGHTxWIDTH as in 180x320, found ", QuoteForError(text));
  }
  return size;
}

int ContactSheet::ColumnsFor(int64_t tiles, PictureSize tile) {
  // As many columns as make the sheet about 4:3.
  const double columns = std::sqrt(static_cast<double>(tiles) * 4 / 3 * tile.height / tile.width);
  return static_cast<int>(std::clamp<int64_t>(std::lround(columns), 1, tiles));
}

Result<ContactSheet> ContactSheet::Make(int64_t tiles, int columns, PictureSize tile) {
  if (tiles < 1 || columns < 1) return Status::Invalid("a contact sheet needs at least one tile and one column");
  ContactSheet sheet;
  sheet.tiles_ = tiles;
  sheet.columns_ = static_cast<int>(std::min<int64_t>(columns, tiles));
  sheet.tile_ = tile;
  const int64_t rows = (tiles + sheet.columns_ - 1) / sheet.columns_;
  const int64_t width = int64_t{sheet.columns_} * (tile.width + kGapPixels) + kGapPixels;
  const int64_t height = rows * (tile.height + kGapPixels) + kGapPixels;
  if (width > kMostSheetEdge || height > kMostSheetEdge || width * height > kMostSheetPixels) {
    return Status::Invalid("a sheet of ", tiles, " tiles would be ", width, "x", height,
                           " pixels; take fewer with --limit, smaller ones with --size, or other --columns");
  }
  sheet.size_ = {static_cast<int>(width), static_cast<int>(height)};
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> pixels, arrow::AllocateBuffer(width * height * kChannels));
  std::memset(pixels->mutable_data(), kGapValue, static_cast<size_t>(pixels->size()));
  sheet.pixels_ = std::move(pixels);
  return sheet;
}

Status ContactSheet::Place(int64_t position, const DecodedFrame& picture) {
  const bool fits =
      picture.width <= tile_.width && picture.height <= tile_.height && position >= 0 && position < tiles_;
  if (!fits || picture.pixels->size() != int64_t{picture.width} * picture.height * kChannels) {
    return Status::Invalid("a picture of ", picture.width, "x", picture.height, " is no tile of ", tile_.width, "x",
                           tile_.height);
  }
  const int64_t left =
      position % columns_ * (tile_.width + kGapPixels) + kGapPixels + (tile_.width - picture.width) / 2;
  const int64_t top =
      position / columns_ * (tile_.height + kGapPixels) + kGapPixels + (tile_.height - picture.height) / 2;
  const int64_t row_bytes = int64_t{picture.width} * kChannels;
  for (int64_t y = 0; y < picture.height; ++y) {
    std::memcpy(pixels_->mutable_data() + ((top + y) * size_.width + left) * kChannels,
                picture.pixels->data() + y * row_bytes, static_cast<size_t>(row_bytes));
  }
  return Status::OK();
}

DecodedFrame ContactSheet::TakePicture() && {
  DecodedFrame picture;
  picture.pixels = std::move(pixels_);
  picture.width = size_.width;
  picture.height = size_.height;
  return picture;
}

}  // namespace reelhouse::cli
