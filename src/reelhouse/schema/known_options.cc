#include "reelhouse/schema/known_options.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

constexpr std::string_view kBoolOptions[] = {
    "blob-as-descriptor",
    "commit.fsync",
    "data-evolution.enabled",
    "data-evolution.row-sidecar.enabled",
    "data-evolution.write-cols-optimization.enabled",
    "deletion-vectors.bitmap64",
    "deletion-vectors.enabled",
    "dynamic-partition-overwrite",
    "index-file-in-data-file-dir",
    "manifest.sidecar.enabled",
    "partition.legacy-name",
    "reelhouse.null-vectors",
    "row-tracking.enabled",
    "row-tracking.partition-group-on-commit",
    "snapshot.ignore-empty-commit",
};

constexpr std::string_view kSizeOptions[] = {
    "blob.copy-buffer-size",
    "blob.target-file-size",
    "data-evolution.row-id-conflict-rewrite.max-size",
    "file.block-size",
    "manifest.full-compaction-threshold-size",
    "manifest.target-file-size",
    "source.split.open-file-cost",
    "source.split.target-size",
    "target-file-size",
    "vector.target-file-size",
};

constexpr std::string_view kDurationOptions[] = {
    "commit.max-retry-wait",
    "commit.min-retry-wait",
    "commit.timeout",
};

struct IntOption {
  std::string_view key;
  int64_t least;
  int64_t most = std::numeric_limits<int64_t>::max();
};

// As src/reelhouse/media says them, which this room cannot see.
constexpr int64_t kMostMaxPixels = int64_t{1} << 28;

constexpr IntOption kIntOptions[] = {
    {"commit.max-retries", 0},
    {"file.compression.zstd-level", -131072},
    {"manifest.merge-min-count", 1},
    {"read.batch-size", 1},
    {"target-file-row-num", 1},
    {"reelhouse.image.max-pixels", 1, kMostMaxPixels},
    {"reelhouse.video.max-pixels", 1, kMostMaxPixels},
};

// Values are compared without regard to case; the lists are short, so they are one text each.
struct ChoiceOption {
  std::string_view key;
  std::string_view choices;
};

constexpr ChoiceOption kChoiceOptions[] = {
    {"bucket", "-1"},
    {"file.compression", "zstd, snappy, gzip, lz4, brotli, none, uncompressed"},
    {"file.format", "parquet"},
    {"reelhouse.video.validation", "frames, decode, container, none"},
    {"vector.file.format", "parquet"},
};

Status Refuse(std::string_view key, std::string_view value, std::string_view expected) {
  return Status::Invalid("option '", key, "': expected ", expected, ", found ", QuoteForError(value));
}

Status CheckChoice(const Options& options, const ChoiceOption& option) {
  std::optional<std::string> value = options.Find(option.key);
  if (!value) return Status::OK();
  for (const std::string& choice : SplitCommaList(option.choices)) {
    if (EqualsIgnoreCase(TrimmedView(*value), choice)) return Status::OK();
  }
  const bool is_single = option.choices.find(',') == std::string_view::npos;
  return Refuse(option.key, *value, (is_single ? "" : "one of ") + std::string(option.choices));
}

}  // namespace

Status ValidateKnownOptions(const Options& options) {
  for (std::string_view key : kBoolOptions) ARROW_RETURN_NOT_OK(options.GetBool(key, false));
  for (std::string_view key : kSizeOptions) {
    ARROW_ASSIGN_OR_RAISE(int64_t size_bytes, options.GetBytes(key, 1));
    if (size_bytes < 1) return Refuse(key, options.GetText(key, ""), "at least one byte");
  }
  for (std::string_view key : kDurationOptions) ARROW_RETURN_NOT_OK(options.GetMillis(key, 0));
  for (const IntOption& option : kIntOptions) {
    ARROW_ASSIGN_OR_RAISE(int64_t number, options.GetInt(option.key, option.least));
    if (number < option.least) {
      return Refuse(option.key, options.GetText(option.key, ""), std::to_string(option.least) + " or more");
    }
    if (number > option.most) {
      return Refuse(option.key, options.GetText(option.key, ""), "at most " + std::to_string(option.most));
    }
  }
  for (const ChoiceOption& option : kChoiceOptions) ARROW_RETURN_NOT_OK(CheckChoice(options, option));
  return Status::OK();
}

}  // namespace reelhouse
