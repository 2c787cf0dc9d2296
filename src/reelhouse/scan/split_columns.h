#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/data_type.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

/// One file that holds a column, as that file's own schema names and types it.
struct ColumnProvider {
  const ManifestEntry* entry = nullptr;  ///< of the split
  std::string name;
  DataType type;
};

/// Which files of one split hold which columns. Columns are found by field id through the schema of each file: a name
/// of an old file may mean another column today. Borrows the split.
class SplitColumns {
 public:
  static Result<SplitColumns> Of(const Split& split, SchemaStore& schemas);

  /// The normal file whose value counts: the one with the largest sequence number among those that hold the column;
  /// of equals the first. Nothing if none holds it.
  std::optional<ColumnProvider> NewestNormal(int32_t field_id) const;

  /// Sidecars of this kind that hold the column, newest first.
  std::vector<ColumnProvider> Sidecars(int32_t field_id, std::initializer_list<DataFileKind> kinds) const;

 private:
  struct FileColumns {
    const ManifestEntry* entry;
    DataFileKind kind;
    std::vector<DataField> columns;
  };
  std::vector<FileColumns> normal_files_;
  std::vector<FileColumns> sidecars_;
};

}  // namespace reelhouse
