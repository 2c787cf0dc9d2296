// Reads every warehouse in tests/data/vectors, which pypaimon wrote, and compares rows and payloads with what it says.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reelhouse/read/blob_content.h"
#include "reelhouse/read/table_reader.h"
#include "reelhouse/scan/plan.h"
#include "reelhouse/schema/schema_store.h"
#include "reelhouse/snapshot/snapshot_store.h"
#include "reelhouse/snapshot/tag_store.h"
#include "tests/support/value_spelling.h"

namespace reelhouse {
namespace {

using nlohmann::json;

std::filesystem::path VectorsFolder() {
  return std::filesystem::path(REELHOUSE_SOURCE_DIR) / "tests" / "data" / "vectors";
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(VectorsFolder())) {
    if (std::filesystem::exists(entry.path() / "expected.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// One test warehouse and what must be read from it.
class VectorCase {
 public:
  explicit VectorCase(const std::string& name)
      : warehouse_((VectorsFolder() / name / "wh").string()),
        table_path_(warehouse_ + "/robots.db/frames"),
        files_(MakeLocalFileStore()),
        schemas_(std::make_shared<SchemaStore>(files_, table_path_)) {
    std::ifstream file(VectorsFolder() / name / "expected.json");
    expected_ = json::parse(file);
  }

  const json& expected() const { return expected_; }

  std::shared_ptr<const TableSchema> LatestSchema() { return schemas_->LoadLatest().ValueOrDie(); }
  std::shared_ptr<const TableSchema> SchemaOf(const Snapshot& snapshot) {
    return schemas_->Load(snapshot.schema_id).ValueOrDie();
  }
  Snapshot Latest() { return SnapshotStore(files_, table_path_).Latest().ValueOrDie().value(); }
  Snapshot AtId(int64_t id) { return SnapshotStore(files_, table_path_).Load(id).ValueOrDie(); }
  Snapshot AtTag(const std::string& tag) { return TagStore(files_, table_path_).Load(tag).ValueOrDie(); }

  Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> Read(const Snapshot& snapshot,
                                                                std::shared_ptr<const TableSchema> schema,
                                                                ReadRequest request) {
    PlanRequest plan_request;
    plan_request.snapshot = snapshot;
    plan_request.schema = schema;
    ARROW_ASSIGN_OR_RAISE(Plan plan, MakePlan(files_, table_path_, *schemas_, std::move(plan_request)));
    planned_rows_ = CountRows(plan);
    TableReader reader({files_, table_path_, schemas_, {warehouse_}}, std::move(plan), std::move(request));
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, reader.Next());
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(batch->ValidateFull());
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  // All rows with their row ids, in the order of the scan.
  json Rows(const Snapshot& snapshot, const std::shared_ptr<const TableSchema>& schema, int64_t max_batch_rows) {
    ReadRequest request;
    request.columns = schema->FieldNames();
    request.columns.emplace_back(kRowIdColumn);
    request.max_batch_rows = max_batch_rows;
    auto batches = Read(snapshot, schema, std::move(request));
    EXPECT_TRUE(batches.ok()) << batches.status();
    json rows = json::array();
    if (!batches.ok()) return rows;
    ValueSpelling spelling(warehouse_);
    for (const auto& batch : *batches) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) rows.push_back(spelling.OfRow(*batch, i));
    }
    return rows;
  }

  // What read_blobs gives for a column of the newest snapshot.
  json Payloads(const std::string& column) {
    ReadRequest request;
    request.columns = {column};
    json payloads = json::array();
    auto batches = Read(Latest(), LatestSchema(), std::move(request));
    EXPECT_TRUE(batches.ok()) << batches.status();
    if (!batches.ok()) return payloads;
    for (const auto& batch : *batches) {
      auto content = ReadBlobContent(*files_, {warehouse_}, batch->column(0));
      EXPECT_TRUE(content.ok()) << content.status();
      if (!content.ok()) return payloads;
      EXPECT_TRUE((*content)->ValidateFull().ok());
      EXPECT_TRUE((*content)->type()->Equals(batch->column(0)->type()));
      for (int64_t i = 0; i < batch->num_rows(); ++i) payloads.push_back(PayloadOf(**content, i));
    }
    return payloads;
  }

  json PayloadOf(const arrow::Array& array, int64_t i) const {
    if (array.IsNull(i)) return nullptr;
    if (array.type_id() == arrow::Type::LARGE_BINARY) {
      auto bytes = static_cast<const arrow::LargeBinaryArray&>(array).GetView(i);
      return {{"sha256", Sha256(bytes)}, {"length", bytes.size()}};
    }
    json items = json::array();
    if (array.type_id() == arrow::Type::MAP) {
      const auto& maps = static_cast<const arrow::MapArray&>(array);
      for (int64_t k = maps.value_offset(i); k < maps.value_offset(i + 1); ++k) {
        items.push_back(json::array({ValueSpelling("").Of(*maps.keys(), k), PayloadOf(*maps.items(), k)}));
      }
      return items;
    }
    const auto& lists = static_cast<const arrow::ListArray&>(array);
    for (int64_t k = lists.value_offset(i); k < lists.value_offset(i + 1); ++k) {
      items.push_back(PayloadOf(*lists.values(), k));
    }
    return items;
  }

  // Rows as they should be: with the correct values where those of pypaimon are wrong.
  json Corrected(json rows) const {
    if (!expected_.contains("rows_latest_correct")) return rows;
    const json& fix = expected_["rows_latest_correct"];
    for (json& row : rows) {
      if (row["_ROW_ID"] != fix["_ROW_ID"]) continue;
      bool has_all = true;
      for (const auto& [key, value] : fix.items()) has_all = has_all && row.contains(key);
      if (has_all) row.update(fix);
    }
    return rows;
  }

  const std::string& warehouse() const { return warehouse_; }
  int64_t planned_rows() const { return planned_rows_; }

 private:
  std::string warehouse_;
  std::string table_path_;
  std::shared_ptr<FileStore> files_;
  std::shared_ptr<SchemaStore> schemas_;
  json expected_;
  int64_t planned_rows_ = 0;
};

void ExpectRows(const json& found, const json& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], expected[i]) << where << ", row " << i << ": " << json::diff(expected[i], found[i]).dump();
  }
}

class Vectors : public ::testing::TestWithParam<std::string> {};

TEST_P(Vectors, GivesTheRowsOfTheNewestSnapshot) {
  VectorCase table(GetParam());
  if (!table.expected().contains("rows_latest")) {
    ReadRequest request;
    request.columns = {"id"};
    auto batches = table.Read(table.Latest(), table.LatestSchema(), std::move(request)).ValueOrDie();
    int64_t count = 0, sum = 0;
    for (const auto& batch : batches) {
      const auto& ids = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < ids.length(); ++i) sum += ids.Value(i);
      count += ids.length();
    }
    EXPECT_EQ(count, table.expected()["count_latest"]);
    EXPECT_EQ(sum, table.expected()["sum_latest"]);
    EXPECT_EQ(table.planned_rows(), count);
    return;
  }
  const json expected = table.Corrected(table.expected()["rows_latest"]);
  // Batches of one or two rows cross every border there is.
  for (int64_t max_batch_rows : {131072, 1, 2}) {
    json rows = table.Rows(table.Latest(), table.LatestSchema(), max_batch_rows);
    ExpectRows(rows, expected, "latest by " + std::to_string(max_batch_rows));
    EXPECT_EQ(table.planned_rows(), static_cast<int64_t>(expected.size()));
  }
}

TEST_P(Vectors, GivesTheRowsOfOlderSnapshots) {
  VectorCase table(GetParam());
  if (!table.expected().contains("rows_by_snapshot")) return;
  for (const auto& [id, rows] : table.expected()["rows_by_snapshot"].items()) {
    Snapshot snapshot = table.AtId(std::stoll(id));
    ExpectRows(table.Rows(snapshot, table.SchemaOf(snapshot), 131072), table.Corrected(rows), "snapshot " + id);
  }
}

TEST_P(Vectors, GivesTheRowsOfTags) {
  VectorCase table(GetParam());
  if (!table.expected().contains("rows_by_tag")) return;
  for (const auto& [tag, rows] : table.expected()["rows_by_tag"].items()) {
    Snapshot snapshot = table.AtTag(tag);
    ExpectRows(table.Rows(snapshot, table.SchemaOf(snapshot), 131072), table.Corrected(rows), "tag " + tag);
  }
}

TEST_P(Vectors, GivesThePayloadsOfBlobs) {
  VectorCase table(GetParam());
  if (!table.expected().contains("payloads_latest")) return;
  for (const auto& [column, payloads] : table.expected()["payloads_latest"].items()) {
    ExpectRows(table.Payloads(column), payloads, column);
  }
}

TEST_P(Vectors, GivesTheSamePayloadsAsContentOfTheScan) {
  VectorCase table(GetParam());
  if (!table.expected().contains("payloads_latest")) return;
  for (const auto& [column, payloads] : table.expected()["payloads_latest"].items()) {
    auto schema = table.LatestSchema();
    if (schema->StorageOf(*schema->FindField(column)) != ColumnStorage::kBlob) continue;
    for (int64_t max_batch_rows : {131072, 1}) {
      ReadRequest request;
      request.columns = {column};
      request.blob_as_descriptor = false;
      request.max_batch_rows = max_batch_rows;
      auto batches = table.Read(table.Latest(), schema, std::move(request));
      ASSERT_TRUE(batches.ok()) << batches.status();
      json found = json::array();
      for (const auto& batch : *batches) {
        for (int64_t i = 0; i < batch->num_rows(); ++i) found.push_back(table.PayloadOf(*batch->column(0), i));
      }
      ExpectRows(found, payloads, column);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ByPypaimon, Vectors, ::testing::ValuesIn(CaseNames()),
                         [](const auto& info) { return info.param; });

TEST(VectorsTogether, AreTwentyFive) { EXPECT_EQ(CaseNames().size(), 25u); }

TEST(StoredDescriptors, AreNotFollowedOutsideTheRoots) {
  VectorCase table("blob_descriptor_field");
  ReadRequest request;
  request.columns = {"ref"};
  request.blob_as_descriptor = false;
  auto batches = table.Read(table.Latest(), table.LatestSchema(), std::move(request));
  ASSERT_FALSE(batches.ok());
  EXPECT_NE(batches.status().message().find("oss://bucket/a.bin"), std::string::npos) << batches.status();
  EXPECT_NE(batches.status().message().find("reelhouse.external-roots"), std::string::npos);
}

}  // namespace
}  // namespace reelhouse
