#include "reelhouse/schema/schema_store.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "reelhouse/base/numbered_name.h"
#include "reelhouse/io/location.h"

namespace reelhouse {
namespace {

constexpr std::string_view kPrefix = "schema-";

}  // namespace

SchemaStore::SchemaStore(std::shared_ptr<FileStore> files, std::string table_path)
    : files_(std::move(files)), folder_(JoinLocation(table_path, "schema")) {}

Result<std::shared_ptr<const TableSchema>> SchemaStore::Load(int64_t id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = loaded_.find(id);
    if (known != loaded_.end()) return known->second;
  }
  // Read outside the lock: two threads may both read a file, which costs less than one waiting for the other's disk.
  const std::string path = JoinLocation(folder_, std::string(kPrefix) + std::to_string(id));
  ARROW_ASSIGN_OR_RAISE(std::string text, files_->ReadAll(path));
  ARROW_ASSIGN_OR_RAISE(TableSchema schema, TableSchema::FromJsonText(text, path));
  if (schema.id != id) {
    return CorruptFile(path, -1, "expected id " + std::to_string(id) + ", found " + std::to_string(schema.id));
  }
  auto shared = std::make_shared<const TableSchema>(std::move(schema));
  std::lock_guard<std::mutex> lock(mutex_);
  return loaded_.emplace(id, std::move(shared)).first->second;
}

Result<std::shared_ptr<const TableSchema>> SchemaStore::LoadLatest() {
  ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, ListIds());
  if (ids.empty()) return nullptr;
  return Load(ids.back());
}

Result<std::vector<int64_t>> SchemaStore::ListIds() {
  ARROW_ASSIGN_OR_RAISE(std::vector<FileEntry> entries, files_->List(folder_));
  std::vector<int64_t> ids;
  for (const FileEntry& entry : entries) {
    std::optional<int64_t> id = NumberInName(entry.name, kPrefix);
    if (id && !entry.is_directory) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<bool> SchemaStore::Create(const TableSchema& schema) {
  const std::string path = JoinLocation(folder_, std::string(kPrefix) + std::to_string(schema.id));
  return files_->CreateNoReplace(path, schema.ToJsonText());
}

}  // namespace reelhouse
