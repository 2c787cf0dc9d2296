#pragma once

#include <cstdint>

namespace reelhouse::blob_layout {

// The bytes of a `.blob` file that its writer and its reader agree on (format notes, 5.1 to 5.3):
// records, then the delta varints of one number a row, then the length of that index and the version.

inline constexpr uint32_t kRecordMagic = 0x584E11CF;
inline constexpr int64_t kRecordHeaderBytes = 4;    // magic
inline constexpr int64_t kRecordTrailerBytes = 12;  // record length, CRC-32
inline constexpr int64_t kRecordFrameBytes = kRecordHeaderBytes + kRecordTrailerBytes;

inline constexpr int64_t kFooterBytes = 5;  // int32 index length, version
inline constexpr uint8_t kVersion = 1;

inline constexpr uint32_t kArrayMagic = 0x41424342;
inline constexpr uint32_t kMapMagic = 0x4D424342;
inline constexpr uint8_t kNestedVersion = 1;
inline constexpr int64_t kNestedHeaderBytes = 9;  // magic, version, count
inline constexpr int64_t kNullElement = -1;

}  // namespace reelhouse::blob_layout
