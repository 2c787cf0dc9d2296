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
#include "reelhouse/predicate/predicate_node.h"
#include "reelhouse/scan/split_pruning.h"
#include "reelhouse/schema/schema_store.h"

namespace reelhouse {

/// Judges single data files by their statistics before their entries are made. Files of one writer have their columns
/// at the same places, which are looked up once. Not thread safe.
class OutlinePruning {
 public:
  OutlinePruning(const SplitPruning& pruning, SchemaStore& schemas);

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

  /// A comparison that must hold for the filter to hold, of a column with an integer or a text.
  struct Term {
    size_t column = 0;  ///< in Places
    CompareOp op = CompareOp::kEqual;
    std::optional<int64_t> number;
    std::string_view text;  ///< of the filter
  };

  void AddTerms(const Predicate::Node& node);
  /// True if the statistics prove it, by slots of the rows alone: that rules most files out.
  static bool FailsEverywhere(const Term& term, const Place& place, const DataFileOutline::Statistics& stats);

  Result<const Places*> PlacesOf(const UnpackedManifest& manifest, const EntryOutline& outline);
  Result<Places> FindPlaces(const ManifestEntry& entry);

  const SplitPruning& pruning_;
  SchemaStore& schemas_;
  std::unordered_map<std::string, Places> known_;
  std::string key_;
  std::vector<Term> terms_;
};

}  // namespace reelhouse
