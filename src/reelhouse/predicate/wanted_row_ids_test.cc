#include <limits>
#include <ostream>

#include <gmock/gmock.h>

#include "reelhouse/predicate/filter_test_table.h"

namespace reelhouse {

void PrintTo(const RowIdRange& range, std::ostream* out) { *out << '[' << range.first << ", " << range.last << ']'; }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::optional<std::vector<RowIdRange>> Wanted(std::string_view where) {
  return WantedRowIds(ParsePredicate(where, TestFields()).ValueOrDie());
}

RowIdRange Ids(int64_t first, int64_t last) { return {first, last}; }

TEST(WantedRowIds, ComeFromComparisonsListsAndRanges) {
  EXPECT_THAT(Wanted("_ROW_ID = 5"), Optional(ElementsAre(Ids(5, 5))));
  EXPECT_THAT(Wanted("5 > _ROW_ID"), Optional(ElementsAre(Ids(0, 4))));
  EXPECT_THAT(Wanted("_ROW_ID >= 5"), Optional(ElementsAre(Ids(5, kMax))));
  EXPECT_THAT(Wanted("_ROW_ID BETWEEN 3 AND 8"), Optional(ElementsAre(Ids(3, 8))));
  EXPECT_THAT(Wanted("_ROW_ID BETWEEN 8 AND 3"), Optional(IsEmpty()));
  EXPECT_THAT(Wanted("_ROW_ID IN (9, 1, 2, 2, -4, NULL)"), Optional(ElementsAre(Ids(1, 2), Ids(9, 9))));
  EXPECT_THAT(Wanted("_ROW_ID <> 5"), Optional(ElementsAre(Ids(0, 4), Ids(6, kMax))));
  EXPECT_THAT(Wanted("_ROW_ID > 9223372036854775807"), Optional(IsEmpty()));
  EXPECT_THAT(Wanted("_ROW_ID < 2.5"), Optional(ElementsAre(Ids(0, 2))));
  EXPECT_THAT(Wanted("_ROW_ID = 2.5"), Optional(IsEmpty()));
}

TEST(WantedRowIds, AreJoinedByAndOrAndNot) {
  EXPECT_THAT(Wanted("_ROW_ID < 5 OR _ROW_ID = 5 OR _ROW_ID > 100"), Optional(ElementsAre(Ids(0, 5), Ids(101, kMax))));
  EXPECT_THAT(Wanted("_ROW_ID > 5 AND _ROW_ID < 10 AND a = 3"), Optional(ElementsAre(Ids(6, 9))));
  EXPECT_THAT(Wanted("(_ROW_ID = 1 AND a = 3) OR (_ROW_ID = 7 AND id = 2)"),
              Optional(ElementsAre(Ids(1, 1), Ids(7, 7))));
  EXPECT_THAT(Wanted("NOT (_ROW_ID < 5 OR a = 3)"), Optional(ElementsAre(Ids(5, kMax))));
  EXPECT_THAT(Wanted("NOT (_ROW_ID NOT IN (4, 5))"), Optional(ElementsAre(Ids(4, 5))));
  EXPECT_THAT(Wanted("_ROW_ID NOT IN (4, NULL)"), Optional(IsEmpty()));
  EXPECT_THAT(Wanted("_ROW_ID IS NULL"), Optional(IsEmpty()));
  EXPECT_THAT(Wanted("FALSE"), Optional(IsEmpty()));
}

TEST(WantedRowIds, AreAllWhereTheFilterDoesNotBoundThem) {
  EXPECT_EQ(Wanted("TRUE"), std::nullopt);
  EXPECT_EQ(Wanted("a = 3"), std::nullopt);
  EXPECT_EQ(Wanted("_ROW_ID = 3 OR a = 3"), std::nullopt);
  EXPECT_EQ(Wanted("NOT (_ROW_ID = 3 AND a = 3)"), std::nullopt);
  EXPECT_EQ(Wanted("_ROW_ID >= 0"), std::nullopt);
  EXPECT_EQ(Wanted("_ROW_ID > _SEQUENCE_NUMBER"), std::nullopt);
}

TEST(WantedRowIds, StayFastForLongLists) {
  std::string where = "_ROW_ID <> 0";
  for (int i = 1; i < 20000; ++i) where += " AND _ROW_ID <> " + std::to_string(2 * i);
  EXPECT_EQ(Wanted(where)->size(), 20000U);
}

}  // namespace
}  // namespace reelhouse
