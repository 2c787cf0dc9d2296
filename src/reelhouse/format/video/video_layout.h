#pragma once

#include <cstdint>

namespace reelhouse::video_layout {

// The bytes of a `.video` file that its writer and its reader agree on (format notes, 6.1):
// payloads, then their keyframe indexes, then five indexes of delta varints, then the footer.

// The five indexes, in the order in which they lie in the file and in which the footer gives their lengths.
enum Index { kPayloadLengths, kKeyframeLengths, kRunLengths, kRunPayloads, kRunFirstFrames, kIndexCount };

inline constexpr const char* kIndexNames[kIndexCount] = {"payload lengths", "keyframe index lengths", "run lengths",
                                                         "run payloads", "run first frames"};

inline constexpr int64_t kFooterBytes = 25;  // five uint32 lengths, magic, version
inline constexpr int64_t kFooterMagicAt = 20;
inline constexpr int64_t kFooterVersionAt = 24;
inline constexpr uint32_t kMagic = 0x4F454449;
inline constexpr uint8_t kVersion = 1;

// Bounds of the keyframe indexes, for one payload and for all of a file.
inline constexpr int64_t kMaxKeyframeIndexBytes = int64_t{16} << 20;
inline constexpr int64_t kMaxKeyframeRegionBytes = int64_t{64} << 20;

}  // namespace reelhouse::video_layout
