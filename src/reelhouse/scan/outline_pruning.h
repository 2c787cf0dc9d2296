#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/unpacked_manifest.h"
#include "reelhouse/predicate/predicate.h"
#include "reelhouse/scan/split_pruning.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

/// Judges single data files by their statistics before their entries are made. Files of one writer have their columns
/// at the same places, which are looked up once. Not thread safe.
class OutlinePruning {
 public:
  OutlinePruning(const SplitPruning& pruning, SchemaStore& schemas) : pruning_(pruning), schemas_(schemas) {}

  /// False only if no row can match as long as no other file gives the same rows another value. `range`: row ids of the
  /// file, which must be a normal one.
  Result<bool> MayHoldRows(const UnpackedManifest& manifest, const EntryOutline& outline, RowIdRange range);

 private:
  /// Where files keep one column of the filter.
  struct Place {
    enum class Kind : uint8_t { kUnknown, kNotThere, kStatistics };
    std::string column;
    Kind kind = Kind::kUnknown;
    int32_t position = 0;
    DataType type;
  };
  using Places = std::vector<Place>;

  Result<const Places*> PlacesOf(const UnpackedManifest& manifest, const EntryOutline& outline);
  Result<Places> FindPlaces(const ManifestEntry& entry);

  const SplitPruning& pruning_;
  SchemaStore& schemas_;
  std::unordered_map<std::string, Places> known_;
  std::string key_;
};

}  // namespace reelhouse
