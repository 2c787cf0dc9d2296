#include "reelhouse/media/picture_limits.h"

#include <charconv>

namespace reelhouse {

Status CheckPixelCount(int64_t width, int64_t height, int64_t max_pixels, std::string_view option) {
  if (width <= 0 || height <= 0) return Status::OK();
  // Sides come from headers and may overflow their product.
  if (width <= max_pixels / height) return Status::OK();
  return Status::Invalid("pictures of ", width, "x", height, " have more pixels than the ", max_pixels,
                         " that are allowed: if they can be trusted, raise the table option ", option, " (up to ",
                         kMostMaxPixels, ")");
}

Status CheckRefusedSize(std::string_view log_lines, int64_t max_pixels, std::string_view option) {
  constexpr std::string_view kStart = "Picture size ";
  const size_t at = log_lines.find(kStart);
  if (at == std::string_view::npos) return Status::OK();
  const char* next = log_lines.data() + at + kStart.size();
  const char* const end = log_lines.data() + log_lines.size();
  int64_t width = 0, height = 0;
  const auto [behind_width, width_error] = std::from_chars(next, end, width);
  if (width_error != std::errc() || behind_width == end || *behind_width != 'x') return Status::OK();
  const auto [behind_height, height_error] = std::from_chars(behind_width + 1, end, height);
  if (height_error != std::errc()) return Status::OK();
  return CheckPixelCount(width, height, max_pixels, option);
}

}  // namespace reelhouse
