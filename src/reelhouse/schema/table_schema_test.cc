#include "reelhouse/schema/table_schema.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options WithDefaults(std::map<std::string, std::string> more = {}) {
  more.emplace("row-tracking.enabled", "true");
  more.emplace("data-evolution.enabled", "true");
  more.emplace("vector.file.format", "parquet");
  return Options(std::move(more));
}

std::shared_ptr<arrow::Schema> FrameColumns() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("video", arrow::large_binary()),
                        arrow::field("image", arrow::large_binary()),
                        arrow::field("images", arrow::list(arrow::large_binary())),
                        arrow::field("vector", arrow::fixed_size_list(arrow::float32(), 2))});
}

std::string RefusalOf(const std::shared_ptr<arrow::Schema>& columns, const Options& options,
                      std::vector<std::string> partition_keys = {}) {
  Result<TableSchema> schema = TableSchema::Make(*columns, std::move(partition_keys), options);
  return schema.ok() ? "" : schema.status().message();
}

std::string RefusalOf(std::map<std::string, std::string> options) {
  return RefusalOf(FrameColumns(), WithDefaults(std::move(options)));
}

std::string RefusalOf(const std::shared_ptr<arrow::DataType>& type) {
  return RefusalOf(arrow::schema({arrow::field("id", arrow::int64()), arrow::field("c", type)}), WithDefaults());
}

std::vector<std::filesystem::path> SchemaFilesOfVectors() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path vectors = std::filesystem::path(REELHOUSE_SOURCE_DIR) / "tests" / "data" / "vectors";
  for (const auto& vector : std::filesystem::directory_iterator(vectors)) {
    if (!vector.is_directory()) continue;
    for (const auto& file : std::filesystem::directory_iterator(vector.path() / "wh/robots.db/frames/schema")) {
      paths.push_back(file.path());
    }
  }
  return paths;
}

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(TableSchema, WritesTheSchemaFilesOfPypaimonAgainByteForByte) {
  const std::vector<std::filesystem::path> paths = SchemaFilesOfVectors();
  ASSERT_EQ(paths.size(), 27u);
  for (const std::filesystem::path& path : paths) {
    const std::string text = ContentOf(path);
    Result<TableSchema> schema = TableSchema::FromJsonText(text, path.string());
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_TRUE(schema->Validate().ok()) << path << schema->Validate();
    // We store options in the order of their names; everything else keeps its place.
    nlohmann::ordered_json expected = nlohmann::ordered_json::parse(text);
    nlohmann::json sorted_options = nlohmann::json::parse(text)["options"];
    expected["options"] = nlohmann::ordered_json::object();
    for (auto option = sorted_options.begin(); option != sorted_options.end(); ++option) {
      expected["options"][option.key()] = option.value();
    }
    EXPECT_EQ(schema->ToJsonText(), expected.dump(2)) << path;
    EXPECT_EQ(nlohmann::json::parse(schema->ToJsonText()), nlohmann::json::parse(text)) << path;
  }
}

TEST(TableSchema, GivesIdsInTheOrderOfPypaimon) {
  auto columns = arrow::schema(
      {arrow::field("id", arrow::int64(), false),
       arrow::field("pose", arrow::struct_({arrow::field("x", arrow::float64()), arrow::field("y", arrow::float64())})),
       arrow::field("n", arrow::int8(), arrow::key_value_metadata({"description"}, {"why"}))});
  Result<TableSchema> schema = TableSchema::Make(*columns, {}, WithDefaults());
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->fields[1].id, 1);
  EXPECT_EQ(schema->fields[1].type.fields()[1].id, 3);
  EXPECT_EQ(schema->fields[2].id, 4);
  EXPECT_EQ(schema->highest_field_id, 4);
  EXPECT_EQ(schema->fields[2].description, "why");
  EXPECT_TRUE(schema->ToArrow()->Equals(*columns, true)) << schema->ToArrow()->ToString(true);
  EXPECT_EQ(schema->FieldIndex("n"), 2);
  EXPECT_EQ(schema->FieldIndex("N"), -1);
  EXPECT_EQ(schema->FindFieldById(4)->name, "n");
}

TEST(TableSchema, TellsHowColumnsAreStored) {
  Result<TableSchema> schema = TableSchema::Make(
      *FrameColumns(), {"id"}, WithDefaults({{"video-frame-field", " video ,"}, {"blob-descriptor-field", "image"}}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  std::vector<ColumnStorage> storage;
  for (const DataField& field : schema->fields) storage.push_back(schema->StorageOf(field));
  EXPECT_THAT(storage, ElementsAre(ColumnStorage::kNormal, ColumnStorage::kVideo, ColumnStorage::kNormal,
                                   ColumnStorage::kBlob, ColumnStorage::kVector));
  EXPECT_THAT(schema->VideoColumns(), ElementsAre("video"));
  EXPECT_TRUE(schema->HasSidecars());
  EXPECT_EQ(schema->PartitionFields().at(0).name, "id");
}

TEST(TableSchema, RefusesWrongColumnsInBlobOptionsWithTheTextsOfTheContract) {
  EXPECT_EQ(RefusalOf({{"video-frame-field", "nope, images"}}),
            "Fields in 'video-frame-field' must be scalar BLOB fields in schema. Invalid fields: ['images', 'nope']");
  EXPECT_EQ(RefusalOf({{"video-frame-field", "video"}, {"blob-descriptor-field", "video"}}),
            "Fields in 'video-frame-field' must not also use descriptor-only or blob-view storage. "
            "Overlapping fields: ['video']");
  EXPECT_EQ(RefusalOf({{"blob-descriptor-field", "id"}}),
            "Fields in 'blob-descriptor-field' or 'blob-view-field' must be blob fields in schema. "
            "Non-BLOB fields: ['id']");
  EXPECT_EQ(RefusalOf({{"blob.stored-descriptor-fields", "zz"}}),
            "Fields in 'blob-descriptor-field' or 'blob-view-field' must be blob fields in schema. "
            "Non-BLOB fields: ['zz']");
  EXPECT_EQ(RefusalOf({{"blob-view-field", "images"}}),
            "ARRAY<BLOB> and MAP<X, BLOB> are only supported by 'blob-field'. Invalid inline blob fields: ['images']");
  EXPECT_EQ(RefusalOf({{"blob-view-field", "image"}, {"blob-descriptor-field", "image"}}),
            "Fields in 'blob-descriptor-field' and 'blob-view-field' must not overlap. Overlapping fields: ['image']");
  EXPECT_EQ(RefusalOf({{"blob-field", "id"}}),
            "Field 'id' in 'blob-field' must be a BLOB, ARRAY<BLOB> or MAP<X, BLOB> field in table schema.");
  EXPECT_EQ(RefusalOf({{"data-evolution.enabled", "TRUE"}}),
            "Schema contains BLOB, ARRAY<BLOB> or MAP<X, BLOB> type but is missing required options: "
            "data-evolution.enabled='true'. Please add these options to the schema.");
}

TEST(TableSchema, RefusesTypesWithTheTextsOfTheContract) {
  EXPECT_EQ(RefusalOf(arrow::uint8()), "Unsupported pyarrow type: uint8; cast it to int16 (column 'c')");
  EXPECT_EQ(RefusalOf(arrow::struct_({arrow::field("b", arrow::large_binary())})),
            "Field 'c' has unsupported nested BLOB type ROW<b: BLOB>. BLOB is only supported as a top-level BLOB, "
            "ARRAY<BLOB>, or MAP<X, BLOB> field.");
  EXPECT_THAT(RefusalOf(arrow::fixed_size_list(arrow::utf8(), 2)),
              HasSubstr("Invalid element type for vector: STRING"));
}

TEST(TableSchema, RefusesTablesWithoutANormalColumn) {
  EXPECT_EQ(RefusalOf(arrow::schema({arrow::field("b", arrow::large_binary())}), WithDefaults()),
            "Table with BLOB, ARRAY<BLOB> or MAP<X, BLOB> type column must have other normal columns.");
  EXPECT_EQ(RefusalOf(arrow::schema({arrow::field("v", arrow::fixed_size_list(arrow::float32(), 2))}), WithDefaults()),
            "Table with VECTOR type column must have other normal columns.");
  EXPECT_EQ(RefusalOf(arrow::schema({arrow::field("v", arrow::fixed_size_list(arrow::float32(), 2))}), Options()), "");
  EXPECT_THAT(RefusalOf(arrow::schema(arrow::FieldVector{}), WithDefaults()), HasSubstr("at least one column"));
}

TEST(TableSchema, RefusesNamesThatCannotBeColumns) {
  auto named = [](const char* name) {
    return RefusalOf(arrow::schema({arrow::field("id", arrow::int64()), arrow::field(name, arrow::int64())}),
                     WithDefaults());
  };
  EXPECT_THAT(named("id"), HasSubstr("column 'id' occurs more than once"));
  EXPECT_EQ(named("ID"), "");
  EXPECT_THAT(named(""), HasSubstr("empty name"));
  EXPECT_THAT(named("_ROW_ID"), HasSubstr("'_ROW_ID' is reserved"));
  EXPECT_THAT(named("_SEQUENCE_NUMBER"), HasSubstr("reserved"));
  EXPECT_THAT(named("_KEY_id"), HasSubstr("reserved"));
  EXPECT_THAT(named("\xff"), HasSubstr("not UTF-8"));
}

TEST(TableSchema, RefusesPartitionKeysThatCannotBeOne) {
  const auto columns = FrameColumns();
  EXPECT_EQ(RefusalOf(columns, WithDefaults(), {"zz"}),
            "partition key 'zz' is not a column; the columns are ['id', 'video', 'image', 'images', 'vector']");
  EXPECT_THAT(RefusalOf(columns, WithDefaults(), {"id", "id"}), HasSubstr("given twice"));
  EXPECT_THAT(RefusalOf(columns, WithDefaults(), {"video"}), HasSubstr("can not be part of partition keys"));
  EXPECT_THAT(RefusalOf(columns, WithDefaults(), {"vector"}),
              HasSubstr("The vector-store columns can not be part of partition keys"));
  EXPECT_THAT(RefusalOf(arrow::schema({arrow::field("l", arrow::list(arrow::int8()))}), WithDefaults(), {"l"}),
              HasSubstr("expected an atomic type, found ARRAY<TINYINT>"));
}

TEST(TableSchema, OldVersionsHaveOtherDefaults) {
  auto text = [](const std::string& version) {
    return "{" + version +
           R"("id":0,"fields":[],"highestFieldId":-1,"partitionKeys":[],"primaryKeys":[],"options":{"n":1,"b":true}})";
  };
  TableSchema first = *TableSchema::FromJsonText(text(""), "schema-0");
  EXPECT_EQ(first.version, 1);
  EXPECT_EQ(first.options.GetText("bucket", ""), "1");
  EXPECT_EQ(first.options.GetText("file.format", ""), "orc");
  TableSchema second = *TableSchema::FromJsonText(text(R"("version":2,)"), "schema-0");
  EXPECT_FALSE(second.options.contains("bucket"));
  EXPECT_EQ(second.options.GetText("file.format", ""), "orc");
  TableSchema third = *TableSchema::FromJsonText(text(R"("version":3,"surprise":[1],)"), "schema-0");
  EXPECT_FALSE(third.options.contains("file.format"));
  EXPECT_EQ(third.options.GetText("n", "") + third.options.GetText("b", ""), "1true");
}

TEST(TableSchema, NamesTheFileAndThePlaceOfDamage) {
  const std::string whole =
      R"({"id":0,"fields":[{"id":0,"name":"x","type":"FOO"}],"highestFieldId":0,"partitionKeys":[],"primaryKeys":[],)"
      R"("options":{}})";
  auto refusal = [](const std::string& text) {
    Status status = TableSchema::FromJsonText(text, "wh/schema-3").status();
    EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
    return status.message();
  };
  EXPECT_THAT(refusal(whole), HasSubstr("wh/schema-3: fields[0]: field `x`: type `FOO`: Unknown type: FOO"));
  EXPECT_EQ(refusal(""), "wh/schema-3: byte 0: expected a JSON object, found an empty file");
  EXPECT_EQ(refusal(whole.substr(0, 20)), "wh/schema-3: byte 20: the file is torn: its JSON ends early");
  EXPECT_EQ(refusal("[]"), "wh/schema-3: byte 0: expected a JSON object, found a list");
  EXPECT_EQ(refusal("{}"), "wh/schema-3: id: the key is missing");
  EXPECT_EQ(refusal(R"({"id":"0"})"), "wh/schema-3: id: expected a 64-bit integer, found \"0\"");
  for (size_t size = 0; size < whole.size(); ++size) refusal(whole.substr(0, size));
}

}  // namespace
}  // namespace reelhouse
