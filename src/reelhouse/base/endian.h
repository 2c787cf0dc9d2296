#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace reelhouse {

static_assert(std::endian::native == std::endian::little, "the loads and stores here copy little-endian bytes");

namespace endian_internal {

template <typename T>
T Load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void Append(std::string& to, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  to.append(bytes, sizeof(T));
}

}  // namespace endian_internal

// Numbers as bytes at any address, lowest byte first (Le) or highest first (Be).

inline uint16_t LoadLe16(const void* from) { return endian_internal::Load<uint16_t>(from); }
inline uint32_t LoadLe32(const void* from) { return endian_internal::Load<uint32_t>(from); }
inline uint64_t LoadLe64(const void* from) { return endian_internal::Load<uint64_t>(from); }
inline uint16_t LoadBe16(const void* from) { return __builtin_bswap16(LoadLe16(from)); }
inline uint32_t LoadBe32(const void* from) { return __builtin_bswap32(LoadLe32(from)); }
inline uint64_t LoadBe64(const void* from) { return __builtin_bswap64(LoadLe64(from)); }

inline void StoreLe16(void* to, uint16_t value) { std::memcpy(to, &value, sizeof(value)); }
inline void StoreLe32(void* to, uint32_t value) { std::memcpy(to, &value, sizeof(value)); }
inline void StoreLe64(void* to, uint64_t value) { std::memcpy(to, &value, sizeof(value)); }
inline void StoreBe16(void* to, uint16_t value) { StoreLe16(to, __builtin_bswap16(value)); }
inline void StoreBe32(void* to, uint32_t value) { StoreLe32(to, __builtin_bswap32(value)); }
inline void StoreBe64(void* to, uint64_t value) { StoreLe64(to, __builtin_bswap64(value)); }

inline void AppendLe16(std::string& to, uint16_t value) { endian_internal::Append(to, value); }
inline void AppendLe32(std::string& to, uint32_t value) { endian_internal::Append(to, value); }
inline void AppendLe64(std::string& to, uint64_t value) { endian_internal::Append(to, value); }
inline void AppendBe16(std::string& to, uint16_t value) { AppendLe16(to, __builtin_bswap16(value)); }
inline void AppendBe32(std::string& to, uint32_t value) { AppendLe32(to, __builtin_bswap32(value)); }
inline void AppendBe64(std::string& to, uint64_t value) { AppendLe64(to, __builtin_bswap64(value)); }

}  // namespace reelhouse
