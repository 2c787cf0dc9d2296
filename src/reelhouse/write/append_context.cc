#include "reelhouse/write/append_context.h"

#include <chrono>
#include <ctime>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {
namespace {

// Other engines store the local wall clock as if it were UTC (format notes, 3.2).
int64_t LocalMillis() {
  const int64_t millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const auto seconds = static_cast<std::time_t>(millis / 1000);
  std::tm local = {};
  if (::localtime_r(&seconds, &local) == nullptr) return millis;
  return static_cast<int64_t>(::timegm(&local)) * 1000 + millis % 1000;
}

}  // namespace

DataFile NewDataFile(const AppendContext& context, const std::string& path, int64_t size_bytes, int64_t rows) {
  DataFile file;
  file.file_name = path.substr(path.rfind('/') + 1);
  file.file_size = size_bytes;
  file.row_count = rows;
  file.min_key = EmptyBinaryRow();
  file.max_key = EmptyBinaryRow();
  file.key_stats = NoStatistics();
  file.value_stats = NoStatistics();
  file.schema_id = context.schema->id;
  file.creation_time_millis = LocalMillis();
  file.delete_row_count = 0;
  file.file_source = 0;
  return file;
}

}  // namespace reelhouse
