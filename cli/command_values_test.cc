#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arrow/api.h>

#include "cli/contact_sheet.h"
#include "cli/exit_code.h"
#include "cli/file_name_pattern.h"
#include "cli/invocation.h"
#include "cli/row_completion.h"
#include "cli/row_id_list.h"
#include "cli/row_output.h"
#include "cli/table_facts.h"

namespace reelhouse::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RowIdList, TakesIdsAndRanges) {
  EXPECT_THAT(*ParseRowIds("1,2, 5-7"), ElementsAre(1, 2, 5, 6, 7));
  for (const char* wrong : {"", "x", "-1", "3-", "7-5", "1,2x", "0-99999999999"}) {
    EXPECT_FALSE(ParseRowIds(wrong).ok()) << wrong;
  }
}

std::shared_ptr<arrow::RecordBatch> OneRow(int64_t id, const std::string& task) {
  arrow::Int64Builder ids;
  arrow::StringBuilder tasks;
  EXPECT_TRUE(ids.Append(id).ok() && tasks.Append(task).ok());
  const auto schema = arrow::schema({arrow::field("_ROW_ID", arrow::int64()), arrow::field("task", arrow::utf8())});
  return arrow::RecordBatch::Make(schema, 1, {ids.Finish().ValueOrDie(), tasks.Finish().ValueOrDie()});
}

TEST(FileNamePattern, FillsColumnsIn) {
  auto pattern = FileNamePattern::Parse("{task}/{{x}}{_ROW_ID:05}");
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  EXPECT_THAT(pattern->columns(), ElementsAre("task", "_ROW_ID"));
  EXPECT_EQ(*pattern->NameOf(*OneRow(42, "pick"), 0), "pick/{x}00042");
}

TEST(FileNamePattern, LetsNoCellChooseAFolder) {
  auto pattern = FileNamePattern::Parse("{task}");
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(*pattern->NameOf(*OneRow(1, "../etc/x"), 0), ".._etc_x");
  EXPECT_EQ(*pattern->NameOf(*OneRow(1, ".."), 0), "_");
}

TEST(FileNamePattern, RefusesWhatItCannotFill) {
  for (const char* wrong : {"plain", "{", "}", "{}", "{a:x}", "{a:8}", "{a:099}"}) {
    EXPECT_FALSE(FileNamePattern::Parse(wrong).ok()) << wrong;
  }
  EXPECT_FALSE(FileNamePattern::Parse("{task:08}")->NameOf(*OneRow(1, "x"), 0).ok());
}

TEST(TableAddress, IsANameOrAFolder) {
  EXPECT_EQ(TableAddress::Parse("a.b", "/w")->name, "a.b");
  EXPECT_THAT(TableAddress::Parse("b", "").status().message(), HasSubstr("REELHOUSE_WAREHOUSE"));
  auto path = TableAddress::Parse("/data/wh/robots.db/drives/", "");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(path->warehouse, "/data/wh");
  EXPECT_EQ(path->name, "robots.drives");
  EXPECT_EQ(TableAddress::Parse("default.db/t", "")->warehouse, ".");
  EXPECT_FALSE(TableAddress::Parse("/data/wh/robots/drives", "").ok());
}

TEST(ContactSheet, PlacesPicturesInTheMiddleOfTheirTiles) {
  auto sheet = ContactSheet::Make(3, 2, {4, 2});
  ASSERT_TRUE(sheet.ok()) << sheet.status();
  EXPECT_EQ(sheet->size(), (PictureSize{2 * 8 + 4, 2 * 6 + 4}));
  DecodedFrame picture;
  picture.width = 2;
  picture.height = 2;
  picture.pixels = arrow::Buffer::FromString(std::string(12, '\xff'));
  ASSERT_TRUE(sheet->Place(2, picture).ok());
  EXPECT_FALSE(sheet->Place(3, picture).ok());
  const DecodedFrame whole = std::move(*sheet).TakePicture();
  int white = 0;
  for (int64_t i = 0; i < whole.pixels->size(); ++i) white += whole.pixels->data()[i] == 0xff;
  EXPECT_EQ(white, 12);
  EXPECT_EQ(whole.pixels->data()[(10 * 20 + 5) * 3], 0xff);
}

TEST(ContactSheet, RefusesSheetsBeyondReason) { EXPECT_FALSE(ContactSheet::Make(1000000, 1000, {320, 180}).ok()); }

TEST(PictureSize, KeepsItsShapeInABox) {
  EXPECT_EQ(FitInto({1280, 720}, {320, 320}), (PictureSize{320, 180}));
  EXPECT_EQ(FitInto({720, 1280}, {320, 320}), (PictureSize{180, 320}));
  EXPECT_EQ(FitInto({10000, 1}, {320, 320}), (PictureSize{320, 1}));
  EXPECT_EQ(*ParsePictureSize("180x320"), (PictureSize{320, 180}));
  EXPECT_FALSE(ParsePictureSize("180").ok());
  EXPECT_FALSE(ParsePictureSize("0x10").ok());
}

TEST(RowCompletion, MakesRowsOfConstantsAndNumbers) {
  const auto schema = arrow::schema({arrow::field("e", arrow::int32()), arrow::field("i", arrow::int64()),
                                     arrow::field("d", arrow::decimal128(6, 2)),
                                     arrow::field("t", arrow::timestamp(arrow::TimeUnit::MILLI))});
  auto completion =
      RowCompletion::Make({.values = {"e=7", "d=1.5", "t=2024-01-02 03:04:05.25"}, .index_column = "i"}, *schema);
  ASSERT_TRUE(completion.ok()) << completion.status();
  auto rows = completion->Generate(70000, {});
  ASSERT_TRUE(rows.ok());
  auto table = (*rows)->ToTable();
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->num_rows(), 70000);
  EXPECT_EQ((*table)->GetColumnByName("i")->GetScalar(69999).ValueOrDie()->ToString(), "69999");
  EXPECT_EQ((*table)->GetColumnByName("e")->GetScalar(69999).ValueOrDie()->ToString(), "7");
  EXPECT_EQ((*table)->GetColumnByName("d")->GetScalar(0).ValueOrDie()->ToString(), "1.50");
}

TEST(RowCompletion, SaysWhatIsWrongWithAValue) {
  const auto schema = arrow::schema({arrow::field("episode", arrow::int32()), arrow::field("task", arrow::utf8())});
  const auto message = [&](ExtraColumns extra) { return RowCompletion::Make(extra, *schema).status().message(); };
  EXPECT_THAT(message({.values = {"episode=x"}}), HasSubstr("column `episode`"));
  EXPECT_THAT(message({.values = {"epsode=1"}}), HasSubstr("did you mean 'episode'?"));
  EXPECT_THAT(message({.values = {"episode"}}), HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(message({.values = {"episode=1"}, .index_column = "episode"}), HasSubstr("twice"));
  EXPECT_EQ(message({.values = {"task=a=b"}}), "");
}

TEST(RowFormat, ComesFromANameOrAFile) {
  EXPECT_EQ(*ParseRowFormat("CSV"), RowFormat::kCsv);
  EXPECT_THAT(ParseRowFormat("xml").status().message(), HasSubstr("expected table, csv"));
  EXPECT_EQ(RowFormatOfFile("a/b.PARQUET"), RowFormat::kParquet);
  EXPECT_EQ(RowFormatOfFile("a/b"), std::nullopt);
}

TEST(ExitCodes, TellFailuresApart) {
  EXPECT_EQ(ExitCodeOf(Status::Invalid("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeOf(MakeError(ErrorKind::kTableNotExist, "x")), ExitCode::kNotFound);
  EXPECT_EQ(ExitCodeOf(MakeError(ErrorKind::kTableAlreadyExist, "x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeOf(CorruptFile("f", 0, "x")), ExitCode::kBadData);
  EXPECT_EQ(ExitCodeOf(Status::IOError("x")), ExitCode::kBadData);
  EXPECT_EQ(ExitCodeOf(MakeError(ErrorKind::kCommitUnknown, "x")), ExitCode::kConflict);
  EXPECT_EQ(ExitCodeOf(Status::Cancelled("x")), ExitCode::kInterrupted);
}

TEST(Counted, SeparatesThousands) {
  EXPECT_EQ(Counted(1, "row"), "1 row");
  EXPECT_EQ(Counted(0, "row"), "0 rows");
  EXPECT_EQ(Counted(1234567, "row"), "1,234,567 rows");
}

}  // namespace
}  // namespace reelhouse::cli
