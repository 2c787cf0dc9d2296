#include "reelhouse/manifest/unpacked_manifest.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/manifest_layout.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {
namespace {

ManifestEntry Entry(int number) {
  ManifestEntry entry;
  entry.kind = number % 7 == 0 ? FileChangeKind::kDelete : FileChangeKind::kAdd;
  entry.partition = EmptyBinaryRow();
  entry.bucket = number % 3;
  DataFile& file = entry.file;
  file.file_name = "data-" + std::to_string(number) + (number % 2 == 0 ? ".parquet" : ".video");
  file.row_count = number;
  file.min_key = file.max_key = EmptyBinaryRow();
  file.key_stats = file.value_stats = NoStatistics();
  file.value_stats.min_values = std::string(static_cast<size_t>(number % 20), 'm');
  file.value_stats.null_counts = std::vector<std::optional<int64_t>>{1, std::nullopt};
  file.schema_id = number % 4;
  if (number % 5 != 0) file.first_row_id = number * 100;
  file.write_cols = std::vector<std::string>{"a", "b"};
  file.extra_files = {"extra"};
  return entry;
}

std::vector<ManifestEntry> Entries() {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 500; ++i) entries.push_back(Entry(i));
  return entries;
}

AvroUnpackedRecords Unpacked(const std::vector<ManifestEntry>& entries) {
  AvroContainerWriter writer = AvroContainerWriter::Make(kManifestSchema, "zstandard").ValueOrDie();
  for (const ManifestEntry& entry : entries) EXPECT_TRUE(PutRecord(writer, entry).ok());
  return UnpackAvroRecords(writer.Finish().ValueOrDie(), "t/manifest/manifest-1-0", nullptr).ValueOrDie();
}

UnpackedManifest ManifestOf(AvroUnpackedRecords records) {
  auto decoder = ManifestDecoder::Make(records.writer).ValueOrDie();
  return UnpackedManifest(std::move(records), std::move(decoder));
}

TEST(UnpackedManifest, OutlinesSayWhatEntriesSayAndLeadToThem) {
  const std::vector<ManifestEntry> entries = Entries();
  const UnpackedManifest manifest = ManifestOf(Unpacked(entries));
  EXPECT_GT(manifest.part_count(), 1);
  EXPECT_TRUE(manifest.decoder().encodes_like_ours);
  size_t at = 0;
  std::vector<ManifestEntry> decoded;
  for (size_t part = 0; part < manifest.part_count(); ++part) {
    ASSERT_TRUE(manifest.AppendEntries(part, &decoded).ok());
    for (const EntryOutline& outline : manifest.Outlines(part).ValueOrDie()) {
      const ManifestEntry& entry = entries[at++];
      EXPECT_EQ(outline.kind, entry.kind);
      EXPECT_EQ(outline.partition, entry.partition);
      EXPECT_EQ(outline.bucket, entry.bucket);
      EXPECT_EQ(outline.file.file_name, entry.file.file_name);
      EXPECT_EQ(outline.file.row_count, entry.file.row_count);
      EXPECT_EQ(outline.file.first_row_id, entry.file.first_row_id);
      EXPECT_EQ(outline.file.schema_id, entry.file.schema_id);
      EXPECT_EQ(outline.file.value_stats.min_values, entry.file.value_stats.min_values);
      EXPECT_EQ(manifest.Entry(outline).ValueOrDie(), entry);
    }
  }
  EXPECT_EQ(at, entries.size());
  EXPECT_EQ(decoded, entries);
}

TEST(UnpackedManifest, BrokenRecordsAreRefusedByOutlinesAsByEntriesAndNeverReadBeyondTheirBlock) {
  const AvroUnpackedRecords whole = Unpacked(Entries());
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    AvroUnpackedRecords records = whole;
    const size_t at = random() % records.bytes.size();
    records.bytes[at] = static_cast<char>(random());
    const UnpackedManifest manifest = ManifestOf(std::move(records));
    for (size_t part = 0; part < manifest.part_count(); ++part) {
      std::vector<ManifestEntry> entries;
      const Status decoded = manifest.AppendEntries(part, &entries);
      const auto outlines = manifest.Outlines(part);
      refused += !outlines.ok();
      if (decoded.ok()) EXPECT_TRUE(outlines.ok()) << outlines.status();
      if (!outlines.ok()) {
        EXPECT_TRUE(IsKind(outlines.status(), ErrorKind::kCorruptFile)) << outlines.status();
        continue;
      }
      for (const EntryOutline& outline : *outlines) (void)manifest.Entry(outline);
    }
  }
  EXPECT_GT(refused, 10);
}

TEST(UnpackedManifest, FieldsOfTheFutureAreSeen) {
  std::string schema(kManifestSchema);
  const std::string bucket = R"({"name": "_BUCKET", "type": "int"})";
  schema.replace(schema.find(bucket), bucket.size(), bucket + R"(, {"name": "_NEW", "type": "int"})");
  auto writer = std::make_shared<const AvroWriterSchema>(AvroSchema::Parse(schema).ValueOrDie());
  const auto decoder = ManifestDecoder::Make(writer).ValueOrDie();
  EXPECT_FALSE(decoder->encodes_like_ours);
  EXPECT_FALSE(decoder->has_known_fields_only);
}

}  // namespace
}  // namespace reelhouse
