#include "reelhouse/base/duration.h"

#include "reelhouse/base/quantity.h"

namespace reelhouse {
namespace {

constexpr int64_t kSecond = 1000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

constexpr QuantityUnit kUnits[] = {
    {"ms", 1},      {"milli", 1},     {"millis", 1},     {"millisecond", 1},  {"milliseconds", 1},
    {"s", kSecond}, {"sec", kSecond}, {"secs", kSecond}, {"second", kSecond}, {"seconds", kSecond},
    {"m", kMinute}, {"min", kMinute}, {"mins", kMinute}, {"minute", kMinute}, {"minutes", kMinute},
    {"h", kHour},   {"hour", kHour},  {"hours", kHour},  {"d", kDay},         {"day", kDay},
    {"days", kDay},
};

}  // namespace

Result<int64_t> ParseDurationMillis(std::string_view text) {
  return ParseQuantity(text, kUnits, "duration", "`10 ms`, `30 s`, `5 min`, `2 h` or `1 d`");
}

}  // namespace reelhouse
