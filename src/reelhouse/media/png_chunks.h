#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace reelhouse {

/// Copies a PNG file to `to` (with room for all of it) without the chunks of texts and colour profiles, and gives the
/// bytes copied. They are compressed, FFmpeg unpacks them whatever they grow to, and no pixel depends on them. What
/// follows a broken chunk is copied as it is, for the decoder to refuse.
size_t CopyPngWithoutTexts(std::span<const uint8_t> png, uint8_t* to);

}  // namespace reelhouse
