#pragma once

#include <cstdint>
#include <span>

namespace reelhouse {

/// True if decoding may start at this H.264 access unit: it has an IDR slice, or a recovery point that recovers at once
/// (open GOP). A recovery point some frames ahead (intra refresh) is flagged as key by encoders, too, and is none.
/// `is_length_prefixed`: NAL units follow 4-byte lengths, else start codes.
bool IsH264Keyframe(std::span<const uint8_t> access_unit, bool is_length_prefixed);

}  // namespace reelhouse
