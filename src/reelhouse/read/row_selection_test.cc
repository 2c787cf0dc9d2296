#include "reelhouse/read/row_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RowChoice, LeavesOutDeadRowsAndRowsThatAreNotNamed) {
  RowChoice choice{.first_row_id = 100, .dead = DeletionVector({1, 4, 5, 9})};
  EXPECT_THAT(choice.PositionsIn({0, 6}), ElementsAre(0, 2, 3));
  EXPECT_THAT(choice.PositionsIn({6, 4}), ElementsAre(6, 7, 8));
  choice.row_ids = std::vector<RowIdRange>{{0, 101}, {103, 103}, {105, 107}, {500, 600}};
  EXPECT_THAT(choice.PositionsIn({0, 10}), ElementsAre(0, 3, 6, 7));
  EXPECT_THAT(choice.PositionsIn({7, 3}), ElementsAre(7));
  EXPECT_THAT(choice.PositionsIn({8, 2}), IsEmpty());
  choice.row_ids = std::vector<RowIdRange>{{0, 9223372036854775807}};
  EXPECT_THAT(choice.PositionsIn({8, 2}), ElementsAre(8));
}

TEST(CommonRows, AreInBothListsWithNeighboursJoined) {
  const std::vector<RowSpan> rows = {{0, 10}, {10, 5}, {20, 10}};
  EXPECT_THAT(CommonRows(rows, {{5, 20}}), ElementsAre(RowSpan{5, 10}, RowSpan{20, 5}));
  EXPECT_THAT(CommonRows({{0, 30}}, rows), ElementsAre(RowSpan{0, 15}, RowSpan{20, 10}));
  EXPECT_THAT(CommonRows(rows, {{15, 5}}), IsEmpty());
  EXPECT_THAT(CommonRows(rows, {}), IsEmpty());
}

TEST(KeepRowsIn, LeavesPositionsInsideOfSpans) {
  RowPositions positions = {0, 3, 4, 7, 8, 20};
  KeepRowsIn({{3, 2}, {8, 1}}, &positions);
  EXPECT_THAT(positions, ElementsAre(3, 4, 8));
  KeepRowsIn({}, &positions);
  EXPECT_THAT(positions, IsEmpty());
}

}  // namespace
}  // namespace reelhouse
