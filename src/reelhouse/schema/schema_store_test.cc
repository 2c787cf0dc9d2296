#include "reelhouse/schema/schema_store.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SchemaStoreTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(table_ / "schema");
    std::ofstream(table_ / "schema" / name) << content;
  }

  TableSchema SchemaWithId(int64_t id) {
    TableSchema schema = *TableSchema::Make(*arrow::schema({arrow::field("x", arrow::int64())}), {}, Options());
    schema.id = id;
    return schema;
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  std::filesystem::path table_ = folder_.path();
};

TEST_F(SchemaStoreTest, AFolderWithoutSchemasHasNoLatest) {
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  EXPECT_EQ(*store.LoadLatest(), nullptr);
  EXPECT_TRUE(store.ListIds()->empty());
  EXPECT_TRUE(IsKind(store.Load(0).status(), ErrorKind::kFileNotFound));
}

TEST_F(SchemaStoreTest, TheLargestIdIsTheLatest) {
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  for (int64_t id : {0, 9, 10}) EXPECT_TRUE(*store.Create(SchemaWithId(id)));
  EXPECT_THAT(*store.ListIds(), ElementsAre(0, 9, 10));
  EXPECT_EQ((*store.LoadLatest())->id, 10);
  EXPECT_EQ((*store.Load(9))->fields[0].name, "x");
}

TEST_F(SchemaStoreTest, NeverReplacesASchema) {
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  EXPECT_TRUE(*store.Create(SchemaWithId(0)));
  EXPECT_FALSE(*store.Create(SchemaWithId(0)));
}

TEST_F(SchemaStoreTest, ReadsEachSchemaOnce) {
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  ASSERT_TRUE(*store.Create(SchemaWithId(0)));
  auto first = *store.Load(0);
  std::filesystem::remove(table_ / "schema" / "schema-0");
  EXPECT_EQ(*store.Load(0), first);
}

TEST_F(SchemaStoreTest, IgnoresOtherNames) {
  for (const char* name :
       {"schema-", "schema-1x", "schema--1", "schema-01", ".schema-2", "schema-99999999999999999999"}) {
    Put(name, "");
  }
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  EXPECT_TRUE(store.ListIds()->empty());
}

TEST_F(SchemaStoreTest, RefusesAFileWhoseIdIsNotItsName) {
  Put("schema-4", SchemaWithId(3).ToJsonText());
  SchemaStore store(MakeLocalFileStore({.fsync = false}), table_.string());
  Status status = store.Load(4).status();
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile));
  EXPECT_THAT(status.message(), HasSubstr("schema-4: expected id 4, found 3"));
}

}  // namespace
}  // namespace reelhouse
