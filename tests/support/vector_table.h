#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_list.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// A table of `tests/data/vectors`, read as far as its manifests, for tests of rooms below `scan`. Failures to read are
/// failures of the test.
class VectorTable {
 public:
  static std::string Folder() { return REELHOUSE_SOURCE_DIR "/tests/data/vectors"; }

  /// Names of all vectors, sorted.
  static std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
      if (std::filesystem::exists(entry.path() / "expected.json")) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  explicit VectorTable(const std::string& name)
      : path_(Folder() + "/" + name + "/wh/robots.db/frames"),
        files_(MakeLocalFileStore()),
        manifests_(files_, path_),
        index_manifests_(files_, path_) {
    for (const auto& entry : std::filesystem::directory_iterator(path_ + "/schema")) {
      auto schema = TableSchema::FromJsonText(ReadText(entry.path().string()), entry.path().string());
      EXPECT_TRUE(schema.ok()) << schema.status();
      if (schema.ok()) schemas_[schema->id] = std::make_shared<const TableSchema>(*std::move(schema));
    }
    latest_snapshot_id_ = std::stoll(ReadText(path_ + "/snapshot/LATEST"));
  }

  const std::string& path() const { return path_; }
  const std::shared_ptr<FileStore>& files() const { return files_; }
  const std::map<int64_t, std::shared_ptr<const TableSchema>>& schemas() const { return schemas_; }
  std::shared_ptr<const TableSchema> latest_schema() const { return schemas_.rbegin()->second; }
  int64_t latest_snapshot_id() const { return latest_snapshot_id_; }

  nlohmann::json Snapshot(int64_t id) const {
    return nlohmann::json::parse(ReadText(path_ + "/snapshot/snapshot-" + std::to_string(id)));
  }

  /// Entries of the base list, then of the delta list.
  std::vector<ManifestEntry> Entries(int64_t snapshot_id) {
    std::vector<ManifestEntry> entries;
    const nlohmann::json snapshot = Snapshot(snapshot_id);
    for (const char* key : {"baseManifestList", "deltaManifestList"}) {
      auto list = manifests_.ReadList(snapshot.at(key).get<std::string>());
      EXPECT_TRUE(list.ok()) << list.status();
      for (const ManifestFile& manifest : *list) {
        auto read = manifests_.ReadManifest(manifest.file_name);
        EXPECT_TRUE(read.ok()) << read.status();
        entries.insert(entries.end(), read->begin(), read->end());
      }
    }
    return entries;
  }

  std::vector<ManifestEntry> Live() { return LiveEntries(Entries(latest_snapshot_id_)); }

  /// Of the newest snapshot; empty if it has none.
  std::vector<IndexFile> IndexFiles() {
    const nlohmann::json snapshot = Snapshot(latest_snapshot_id_);
    if (!snapshot.contains("indexManifest") || snapshot["indexManifest"].is_null()) return {};
    auto files = index_manifests_.Read(snapshot["indexManifest"].get<std::string>());
    EXPECT_TRUE(files.ok()) << files.status();
    return files.ok() ? *files : std::vector<IndexFile>();
  }

  std::vector<DataType> PartitionTypes() const {
    std::vector<DataType> types;
    for (const DataField& field : latest_schema()->PartitionFields()) types.push_back(field.type);
    return types;
  }

 private:
  static std::string ReadText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string path_;
  std::shared_ptr<FileStore> files_;
  ManifestStore manifests_;
  IndexManifestStore index_manifests_;
  std::map<int64_t, std::shared_ptr<const TableSchema>> schemas_;
  int64_t latest_snapshot_id_ = 0;
};

}  // namespace reelhouse
