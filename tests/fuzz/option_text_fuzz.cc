// Any text as the value of an option (a duration, a size, a kind of check) and as a type: refused as Invalid, or a
// value whose text is that value again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reelhouse/base/duration.h"
#include "reelhouse/base/memory_size.h"
#include "reelhouse/io/location.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/schema/data_type.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace reelhouse;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const Status& status) {
    if (!status.ok() && !status.IsInvalid()) std::abort();
  };
  check(ParseDurationMillis(text).status());
  const auto bytes = ParseMemorySize(text);
  check(bytes.status());
  if (bytes.ok()) (void)FormatBytes(*bytes);
  check(ParseVideoValidation(text).status());
  const auto type = DataType::FromText(text);
  if (type.ok()) {
    const auto again = DataType::FromText(type->ToText());
    if (!again.ok() || !(*again == *type)) std::abort();
    (void)type->ToArrow();
  }
  const std::string spelled = SpelledLocation(text);
  if (SpelledLocation(spelled) != spelled) std::abort();
  (void)LocalPath(spelled);
  return 0;
}
