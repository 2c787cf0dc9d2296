#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "reelhouse/avro/value_reader.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// The writers' schemas that were met, each parsed once: the files of one table come from few writers. Equal texts give
/// the same object. Thread safe.
class AvroSchemaCache {
 public:
  Result<AvroWriterSchemaPtr> Parse(std::string_view json);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, AvroWriterSchemaPtr> parsed_;
};

}  // namespace reelhouse
