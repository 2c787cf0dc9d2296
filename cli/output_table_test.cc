#include "cli/output_table.h"

#include <gtest/gtest.h>

#include "cli/progress_bar.h"

namespace reelhouse::cli {
namespace {

TEST(OutputTable, AlignsColumns) {
  OutputTable table({{"name"}, {"rows", true}});
  table.AddRow({"a", "7"});
  table.AddRow({"longer", "1234567"});
  EXPECT_EQ(table.TakeText(),
            "name       rows\n"
            "------  -------\n"
            "a             7\n"
            "longer  1234567\n");
}

TEST(OutputTable, CutsLongCells) {
  OutputTable table({{"t"}}, 5);
  table.AddRow({"abcdefgh"});
  EXPECT_EQ(table.TakeText(), "t\n-----\nabcd…\n");
}

TEST(OutputTable, KeepsItsWidthsForLaterRows) {
  OutputTable table({{"a"}, {"b"}});
  table.AddRow({"xx", "y"});
  table.TakeText();
  table.AddRow({"longer", "y"});
  EXPECT_EQ(table.TakeText(), "l…  y\n");
}

TEST(OutputTable, NeverCutsNumbers) {
  OutputTable table({{"n", true}, {"t"}}, 3);
  table.AddRow({"12345", "x"});
  table.TakeText();
  table.AddRow({"1234567", "y"});
  EXPECT_EQ(table.TakeText(), "1234567  y\n");
}

TEST(OutputTable, CountsWideAndCombiningCharactersAsTerminalsDo) {
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);
  EXPECT_EQ(DisplayWidth("né"), 2u);
  EXPECT_EQ(CutToWidth("日本語", 5), "日本…");
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
}

TEST(OutputTable, TakesBytesThatAreNoUtf8) { EXPECT_EQ(DisplayWidth("\xff\xfe"), 2u); }

TEST(ProgressBarText, ShowsHowFarAndHowFast) {
  EXPECT_EQ(ProgressBar::Text(15, 30, 2.0, "frames"), "[###############...............] 15/30 frames, 8/s, 2 s left");
  EXPECT_EQ(ProgressBar::Text(15, -1, 2.0, "rows"), "15 rows, 8/s");
  EXPECT_EQ(ProgressBar::Text(40, 30, 2.0, "rows"), "[##############################] 40/30 rows, 20/s");
}

}  // namespace
}  // namespace reelhouse::cli
