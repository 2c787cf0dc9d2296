#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/avro/unpacked_records.h"
#include "reelhouse/base/status.h"
#include "reelhouse/manifest/manifest_entry.h"

namespace reelhouse {

/// What pruning looks at in a data file before its entry is made: views into an unpacked manifest.
struct DataFileOutline {
  /// Minimum and maximum of columns, as BinaryRows.
  struct Statistics {
    std::string_view min_values;
    std::string_view max_values;
  };

  std::string_view file_name;
  int64_t row_count = 0;
  Statistics value_stats;
  int64_t schema_id = 0;
  AvroEncoded value_stats_cols;
  std::optional<int64_t> first_row_id;
  AvroEncoded write_cols;

  DataFileKind kind() const { return KindOfFile(file_name); }
};

struct EntryOutline {
  FileChangeKind kind = FileChangeKind::kAdd;
  std::string_view partition;
  int32_t bucket = 0;
  DataFileOutline file;
  std::string_view encoded;  ///< from here the entry itself can be made
};

/// Decoders of manifests, compiled from the schema of one writer. Immutable, thread safe.
struct ManifestDecoder {
  AvroWriterSchemaPtr writer;
  AvroValueReaderPtr<EntryOutline> outlines;
  AvroValueReaderPtr<ManifestEntry> entries;
  /// Records are byte for byte those that we would write.
  bool encodes_like_ours = false;
  /// We know each of its fields, so that nothing gets lost when entries are written anew.
  bool has_known_fields_only = false;

  static Result<std::shared_ptr<const ManifestDecoder>> Make(AvroWriterSchemaPtr writer);
};

/// A manifest in memory, unpacked but not decoded: its entries can be looked at before they are made. Immutable, thread
/// safe. Errors are CorruptFile.
class UnpackedManifest {
 public:
  UnpackedManifest(AvroUnpackedRecords records, std::shared_ptr<const ManifestDecoder> decoder);

  const ManifestDecoder& decoder() const { return *decoder_; }
  const AvroUnpackedRecords& records() const { return records_; }
  /// Parts in which the entries can be gone through, for threads to share.
  size_t part_count() const { return records_.blocks.size(); }
  /// What it takes in memory, outlines included.
  int64_t size_bytes() const;

  /// In order. Made when they are asked for first.
  Result<std::span<const EntryOutline>> Outlines(size_t part) const;
  /// The entry behind an outline of this manifest.
  Result<ManifestEntry> Entry(const EntryOutline& outline) const;
  /// Appends the entries of a part.
  Status AppendEntries(size_t part, std::vector<ManifestEntry>* entries) const;

 private:
  struct Part {
    std::once_flag once;
    Status status;
    std::vector<EntryOutline> outlines;
  };

  Status MakeOutlines(size_t part, std::vector<EntryOutline>* outlines) const;

  AvroUnpackedRecords records_;
  std::shared_ptr<const ManifestDecoder> decoder_;
  std::unique_ptr<Part[]> parts_;
};

}  // namespace reelhouse
