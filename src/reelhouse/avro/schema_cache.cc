#include "reelhouse/avro/schema_cache.h"

#include <memory>
#include <utility>

namespace reelhouse {
namespace {

// Files that each bring another schema must not fill the memory.
constexpr size_t kMostSchemas = 64;

}  // namespace

Result<AvroWriterSchemaPtr> AvroSchemaCache::Parse(std::string_view json) {
  std::string text(json);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = parsed_.find(text);
    if (known != parsed_.end()) return known->second;
  }
  ARROW_ASSIGN_OR_RAISE(AvroSchema schema, AvroSchema::Parse(json));
  auto writer = std::make_shared<const AvroWriterSchema>(std::move(schema));
  std::lock_guard<std::mutex> lock(mutex_);
  if (parsed_.size() >= kMostSchemas) return writer;
  return parsed_.try_emplace(std::move(text), std::move(writer)).first->second;
}

}  // namespace reelhouse
