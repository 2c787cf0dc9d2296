#include "reelhouse/base/memory_size.h"

#include "reelhouse/base/quantity.h"

namespace reelhouse {
namespace {

constexpr int64_t kKilo = int64_t{1} << 10;
constexpr int64_t kMega = int64_t{1} << 20;
constexpr int64_t kGiga = int64_t{1} << 30;
constexpr int64_t kTera = int64_t{1} << 40;

constexpr QuantityUnit kUnits[] = {
    {"b", 1},
    {"byte", 1},
    {"bytes", 1},
    {"k", kKilo},
    {"kb", kKilo},
    {"kib", kKilo},
    {"m", kMega},
    {"mb", kMega},
    {"mib", kMega},
    {"g", kGiga},
    {"gb", kGiga},
    {"gib", kGiga},
    {"t", kTera},
    {"tb", kTera},
    {"tib", kTera},
    {"kibibytes", kKilo},
    {"mebibytes", kMega},
    {"gibibytes", kGiga},
    {"tebibytes", kTera},
};

}  // namespace

Result<int64_t> ParseMemorySize(std::string_view text) {
  return ParseQuantity(text, kUnits, "memory size", "`256 mb`, `64 kb`, `1 gb` or a number of bytes");
}

std::string FormatBytes(int64_t size_bytes) {
  static constexpr const char* kNames[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size_bytes > -kKilo && size_bytes < kKilo) return std::to_string(size_bytes) + " B";
  double size = static_cast<double>(size_bytes) / 1024;
  int name = 0;
  // The bound is where one decimal would be rounded up to 1024.0.
  while ((size >= 1023.95 || size <= -1023.95) && name < 5) {
    size /= 1024;
    ++name;
  }
  // By hand: the decimal point of printf follows the locale.
  const auto tenths = static_cast<int64_t>(size * 10 + (size < 0 ? -0.5 : 0.5));
  const int64_t magnitude = tenths < 0 ? -tenths : tenths;
  return (tenths < 0 ? "-" : "") + std::to_string(magnitude / 10) + "." + std::to_string(magnitude % 10) + " " +
         kNames[name];
}

}  // namespace reelhouse
