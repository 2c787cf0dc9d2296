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

TEST(CoveringSpans, CoverNarrowGapsAndAtMostSoManySpans) {
  EXPECT_THAT(CoveringSpans({}, 2, 4), IsEmpty());
  const RowPositions positions = {1, 2, 5, 9, 20, 21};
  EXPECT_THAT(CoveringSpans(positions, 0, 10),
              ElementsAre(RowSpan{1, 2}, RowSpan{5, 1}, RowSpan{9, 1}, RowSpan{20, 2}));
  EXPECT_THAT(CoveringSpans(positions, 2, 10), ElementsAre(RowSpan{1, 5}, RowSpan{9, 1}, RowSpan{20, 2}));
  EXPECT_THAT(CoveringSpans(positions, 0, 2), ElementsAre(RowSpan{1, 9}, RowSpan{20, 2}));
  EXPECT_THAT(CoveringSpans(positions, 0, 1), ElementsAre(RowSpan{1, 21}));
}

}  // namespace
}  // namespace reelhouse
