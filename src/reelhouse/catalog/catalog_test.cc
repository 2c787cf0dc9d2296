#include "reelhouse/catalog/catalog.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/schema/schema_store.h"
#include "tests/support/fault_walk.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Status StageTable(FileSystemCatalog& catalog, const std::string& staging) {
  ARROW_ASSIGN_OR_RAISE(TableSchema schema,
                        TableSchema::Make(*arrow::schema({arrow::field("x", arrow::int64())}), {}, Options()));
  return SchemaStore(catalog.files(), staging).Create(schema).status();
}

Status MakeTable(FileSystemCatalog& catalog, const Identifier& identifier) {
  ARROW_RETURN_NOT_OK(catalog.CreateDatabase(identifier.database, true));
  const std::string staging = catalog.StagingTablePath(identifier);
  ARROW_RETURN_NOT_OK(StageTable(catalog, staging));
  return catalog.PublishTable(staging, identifier);
}

std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class CatalogTest : public ::testing::Test {
 protected:
  std::filesystem::path Warehouse() const { return folder_.path(); }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  FileSystemCatalog catalog_{MakeLocalFileStore({.fsync = false}), folder_.path()};
};

TEST(Identifier, TheFirstDotSplitsAndTheDefaultFills) {
  EXPECT_EQ(Identifier::Parse("t", "default")->ToText(), "default.t");
  EXPECT_EQ(Identifier::Parse("a.t", "default")->ToText(), "a.t");
  Identifier three = *Identifier::Parse("a.b.c", "default");
  EXPECT_EQ(three.database, "a");
  EXPECT_EQ(three.table, "b.c");
  EXPECT_EQ(Identifier::Parse("x y ü", "default")->table, "x y ü");
}

TEST(Identifier, RefusesWhatCannotBeAFolder) {
  EXPECT_EQ(Identifier::Parse("", "default").status().message(), "table name is required.");
  EXPECT_EQ(Identifier::Parse("t", "").status().message(), "database name is required.");
  for (const char* name : {".t", "a.", "..", "a..", "x/y", "a.b/c", "a/b.c", "a\\b", "a\nb", "a..b"}) {
    EXPECT_TRUE(Identifier::Parse(name, "default").status().IsInvalid()) << name;
  }
  EXPECT_TRUE(IsKind(Identifier::Parse("t$branch_x", "default").status(), ErrorKind::kTableNotExist));
}

TEST_F(CatalogTest, AWarehouseThatIsNotThereIsEmpty) {
  FileSystemCatalog catalog(MakeLocalFileStore(), folder_.path() + "/nowhere/");
  EXPECT_EQ(catalog.warehouse(), folder_.path() + "/nowhere");
  EXPECT_THAT(*catalog.ListDatabases(), IsEmpty());
  EXPECT_EQ(catalog.ListTables("a").status().message(), "Database a does not exist");
  EXPECT_FALSE(*catalog.TableExists({"a", "t"}));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/nowhere"));
}

TEST_F(CatalogTest, DatabasesComeAndGo) {
  ASSERT_TRUE(catalog_.CreateDatabase("b", false).ok());
  ASSERT_TRUE(catalog_.CreateDatabase("a", false).ok());
  EXPECT_TRUE(catalog_.CreateDatabase("a", true).ok());
  Status again = catalog_.CreateDatabase("a", false);
  EXPECT_TRUE(IsKind(again, ErrorKind::kDatabaseAlreadyExist));
  EXPECT_EQ(again.message(), "Database a already exists");
  std::filesystem::create_directory(Warehouse() / ".hidden.db");
  std::filesystem::create_directory(Warehouse() / "other");
  EXPECT_THAT(*catalog_.ListDatabases(), ElementsAre("a", "b"));
  EXPECT_TRUE(*catalog_.DatabaseExists("a"));
  EXPECT_FALSE(*catalog_.DatabaseExists("../a"));
  EXPECT_TRUE(catalog_.DropDatabase("a", false).ok());
  EXPECT_TRUE(catalog_.DropDatabase("a", true).ok());
  EXPECT_TRUE(IsKind(catalog_.DropDatabase("a", false), ErrorKind::kDatabaseNotExist));
  EXPECT_TRUE(catalog_.CreateDatabase("a/b", false).IsInvalid());
  EXPECT_THAT(NamesIn(Warehouse()), ElementsAre(".hidden.db", "b.db", "other"));
}

TEST_F(CatalogTest, ADatabaseWithTablesIsKept) {
  ASSERT_TRUE(MakeTable(catalog_, {"a", "t"}).ok());
  Status status = catalog_.DropDatabase("a", false);
  EXPECT_TRUE(IsKind(status, ErrorKind::kDatabaseNotEmpty));
  EXPECT_THAT(status.message(), HasSubstr("Database a is not empty."));
  EXPECT_TRUE(*catalog_.TableExists({"a", "t"}));
}

TEST_F(CatalogTest, AFolderIsATableWhenItHasASchema) {
  ASSERT_TRUE(MakeTable(catalog_, {"a", "t2"}).ok());
  ASSERT_TRUE(MakeTable(catalog_, {"a", "t10"}).ok());
  std::filesystem::create_directories(Warehouse() / "a.db" / "no_table" / "schema");
  ASSERT_TRUE(StageTable(catalog_, catalog_.StagingTablePath({"a", "t3"})).ok());
  EXPECT_THAT(*catalog_.ListTables("a"), ElementsAre("t10", "t2"));
  EXPECT_FALSE(*catalog_.TableExists({"a", "no_table"}));
  EXPECT_EQ(catalog_.TablePath({"a", "t2"}), folder_.path() + "/a.db/t2");
}

TEST_F(CatalogTest, OnlyOnePublisherWins) {
  ASSERT_TRUE(MakeTable(catalog_, {"default", "t1"}).ok());
  Status second = MakeTable(catalog_, {"default", "t1"});
  EXPECT_TRUE(IsKind(second, ErrorKind::kTableAlreadyExist));
  EXPECT_EQ(second.message(), "Table default.t1 already exists");
}

TEST_F(CatalogTest, AnEmptyFolderDoesNotStopANewTableButFilesDo) {
  std::filesystem::create_directories(Warehouse() / "a.db" / "t");
  EXPECT_TRUE(MakeTable(catalog_, {"a", "t"}).ok());
  EXPECT_THAT(NamesIn(Warehouse() / "a.db"), ElementsAre("t"));
  std::filesystem::create_directories(Warehouse() / "a.db" / "u" / "bucket-0");
  Status status = MakeTable(catalog_, {"a", "u"});
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_THAT(status.message(), HasSubstr("a.db/u: expected nothing or a table there"));
  EXPECT_TRUE(std::filesystem::exists(Warehouse() / "a.db" / "u" / "bucket-0"));
}

TEST_F(CatalogTest, ADroppedTableLeavesNothing) {
  ASSERT_TRUE(MakeTable(catalog_, {"a", "t"}).ok());
  EXPECT_TRUE(catalog_.DropTable({"a", "t"}, false).ok());
  EXPECT_THAT(NamesIn(Warehouse() / "a.db"), IsEmpty());
  Status again = catalog_.DropTable({"a", "t"}, false);
  EXPECT_TRUE(IsKind(again, ErrorKind::kTableNotExist));
  EXPECT_EQ(again.message(), "Table a.t does not exist");
  EXPECT_TRUE(catalog_.DropTable({"a", "t"}, true).ok());
  EXPECT_EQ(catalog_.DropTable({"nodb", "t"}, false).message(), "Table nodb.t does not exist");
}

TEST_F(CatalogTest, ATableIsWholeOrGoneWhereverDroppingItStops) {
  int64_t run = 0;
  for (FaultMoment moment : {FaultMoment::kBefore, FaultMoment::kAfter}) {
    const int64_t fault_points = WalkFaults(
        moment,
        [&](const std::shared_ptr<FileStore>& files) {
          const std::string warehouse = folder_.PathOf("wh" + std::to_string(++run));
          FileSystemCatalog sound(MakeLocalFileStore({.fsync = false}), warehouse);
          ARROW_RETURN_NOT_OK(MakeTable(sound, {"a", "t"}));
          return FileSystemCatalog(files, warehouse).DropTable({"a", "t"}, false);
        },
        [&](const Status& outcome, const StorageCall&) {
          EXPECT_FALSE(outcome.ok());
          FileSystemCatalog sound(MakeLocalFileStore({.fsync = false}), folder_.PathOf("wh" + std::to_string(run)));
          const bool exists = *sound.TableExists({"a", "t"});
          EXPECT_THAT(*sound.ListTables("a"), ::testing::SizeIs(exists ? 1 : 0));
          EXPECT_TRUE(MakeTable(sound, {"a", exists ? "t2" : "t"}).ok());
        });
    EXPECT_GE(fault_points, 2);
  }
}

TEST_F(CatalogTest, RenamesTablesAcrossDatabasesWithoutReplacing) {
  ASSERT_TRUE(MakeTable(catalog_, {"a", "t"}).ok());
  ASSERT_TRUE(MakeTable(catalog_, {"b", "u"}).ok());
  EXPECT_TRUE(IsKind(catalog_.RenameTable({"a", "t"}, {"b", "u"}), ErrorKind::kTableAlreadyExist));
  EXPECT_EQ(catalog_.RenameTable({"a", "t"}, {"c", "u"}).message(), "Database c does not exist");
  EXPECT_EQ(catalog_.RenameTable({"a", "x"}, {"b", "y"}).message(), "Table a.x does not exist");
  ASSERT_TRUE(catalog_.RenameTable({"a", "t"}, {"b", "v"}).ok());
  EXPECT_THAT(*catalog_.ListTables("a"), IsEmpty());
  EXPECT_THAT(*catalog_.ListTables("b"), ElementsAre("u", "v"));
}

TEST_F(CatalogTest, ReadsTheWarehousesOfPypaimon) {
  FileSystemCatalog catalog(MakeLocalFileStore(), REELHOUSE_SOURCE_DIR "/tests/data/vectors/plain_append/wh");
  EXPECT_THAT(*catalog.ListDatabases(), testing::Contains("robots"));
  EXPECT_THAT(*catalog.ListTables("robots"), ElementsAre("frames"));
}

}  // namespace
}  // namespace reelhouse
