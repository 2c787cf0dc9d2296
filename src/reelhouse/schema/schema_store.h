#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// The folder `schema/` of one table. Schemas never change, so each is read once. Thread safe.
class SchemaStore {
 public:
  SchemaStore(std::shared_ptr<FileStore> files, std::string table_path);

  Result<std::shared_ptr<const TableSchema>> Load(int64_t id);
  /// The schema with the largest id, looked up anew on every call; nothing if the folder has none.
  Result<std::shared_ptr<const TableSchema>> LoadLatest();
  Result<std::vector<int64_t>> ListIds();
  /// Stores a schema under its id; false if that id exists.
  Result<bool> Create(const TableSchema& schema);

 private:
  std::shared_ptr<FileStore> files_;
  std::string folder_;
  std::mutex mutex_;
  std::unordered_map<int64_t, std::shared_ptr<const TableSchema>> loaded_;
};

}  // namespace reelhouse
