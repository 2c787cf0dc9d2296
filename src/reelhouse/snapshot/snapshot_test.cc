#include "reelhouse/snapshot/snapshot.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reelhouse {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Snapshot Whole() {
  Snapshot snapshot;
  snapshot.id = 7;
  snapshot.schema_id = 1;
  snapshot.base_manifest_list = "base";
  snapshot.base_manifest_list_size = 10;
  snapshot.delta_manifest_list = "delta";
  snapshot.delta_manifest_list_size = 11;
  snapshot.changelog_manifest_list = "changelog";
  snapshot.changelog_manifest_list_size = 12;
  snapshot.changelog_record_count = 13;
  snapshot.index_manifest = "index";
  snapshot.commit_user = "us\"er ü";
  snapshot.commit_kind = "APPEND";
  snapshot.time_millis = -1;
  snapshot.total_record_count = std::numeric_limits<int64_t>::max();
  snapshot.delta_record_count = std::numeric_limits<int64_t>::min();
  snapshot.watermark = std::numeric_limits<int64_t>::min();
  snapshot.statistics = "stats";
  snapshot.next_row_id = std::numeric_limits<int64_t>::max();
  snapshot.properties = {{"a", "b"}, {"c", ""}};
  snapshot.uuid = "uuid";
  snapshot.writer_version = "reelhouse";
  return snapshot;
}

TEST(Snapshot, WritesTheSnapshotFilesOfPypaimonAgainByteForByte) {
  const std::filesystem::path vectors = std::filesystem::path(REELHOUSE_SOURCE_DIR) / "tests" / "data" / "vectors";
  int files = 0;
  for (const auto& vector : std::filesystem::directory_iterator(vectors)) {
    if (!vector.is_directory()) continue;
    for (const auto& file : std::filesystem::directory_iterator(vector.path() / "wh/robots.db/frames/snapshot")) {
      if (file.path().filename() == "LATEST") continue;
      const std::string text = ContentOf(file.path());
      Result<Snapshot> snapshot = Snapshot::FromJsonText(text, file.path().string());
      ASSERT_TRUE(snapshot.ok()) << snapshot.status();
      EXPECT_EQ(snapshot->ToJsonText(), text) << file.path();
      ++files;
    }
  }
  EXPECT_GT(files, 40);
}

TEST(Snapshot, ComesBackWithEveryKeySet) {
  const Snapshot snapshot = Whole();
  EXPECT_EQ(*Snapshot::FromJsonText(snapshot.ToJsonText(), "snapshot-7"), snapshot);
}

TEST(Snapshot, LeavesAbsentKeysOut) {
  Snapshot snapshot;
  snapshot.id = 1;
  const nlohmann::json json = nlohmann::json::parse(snapshot.ToJsonText());
  for (const char* key : {"watermark", "indexManifest", "nextRowId", "properties", "uuid", "baseManifestListSize"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["commitIdentifier"], 9223372036854775807);
}

TEST(Snapshot, IgnoresUnknownKeysAndTakesNullAsAbsent) {
  nlohmann::json json = nlohmann::json::parse(Whole().ToJsonText());
  json["surprise"] = {1, 2, 3};
  json["watermark"] = nullptr;
  Result<Snapshot> snapshot = Snapshot::FromJsonText(json.dump(), "snapshot-7");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_FALSE(snapshot->watermark.has_value());
}

TEST(Snapshot, ATornFileIsACorruptFileThatIsNamed) {
  const std::string text = Whole().ToJsonText();
  for (size_t size = 0; size < text.size(); ++size) {
    Status status = Snapshot::FromJsonText(text.substr(0, size), "wh/snapshot/snapshot-2").status();
    ASSERT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << size << status;
    ASSERT_THAT(status.message(), StartsWith("wh/snapshot/snapshot-2: byte ")) << size;
    ASSERT_EQ(DetailOf(status)->fields().path, "wh/snapshot/snapshot-2");
  }
}

TEST(Snapshot, NamesNoFilesOutsideOfItsTable) {
  for (const char* key : {"baseManifestList", "deltaManifestList", "changelogManifestList", "indexManifest"}) {
    for (const char* name : {"../../x", "/etc/passwd", "..", ".", "a/b"}) {
      auto json = nlohmann::json::parse(Whole().ToJsonText());
      json[key] = name;
      const Status status = Snapshot::FromJsonText(json.dump(), "snapshot-7").status();
      EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << key << " " << name;
      EXPECT_THAT(status.message(), HasSubstr(key));
    }
  }
}

TEST(Snapshot, RefusesNumbersThatDoNotFit) {
  for (const char* number : {"9223372036854775808", "18446744073709551616", "1e400", "1.5", "\"1\"", "true"}) {
    std::string text = Whole().ToJsonText();
    text.replace(text.find("\"id\": 7"), 7, "\"id\": " + std::string(number));
    Status status = Snapshot::FromJsonText(text, "snapshot-7").status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << number << ": " << status;
  }
}

}  // namespace
}  // namespace reelhouse
