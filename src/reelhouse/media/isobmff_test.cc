#include "reelhouse/media/isobmff.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Range = KeyframeIndex::Range;

std::string Box(const std::string& type, size_t body_bytes) {
  std::string box;
  AppendBe32(box, static_cast<uint32_t>(8 + body_bytes));
  return box + type + std::string(body_bytes, '.');
}

std::string LongBox(const std::string& type, size_t body_bytes) {
  std::string box;
  AppendBe32(box, 1);
  box += type;
  AppendBe64(box, 16 + body_bytes);
  return box + std::string(body_bytes, '.');
}

Result<IsobmffBoxes> Walk(const std::string& file) {
  return WalkIsobmffBoxes(static_cast<int64_t>(file.size()), [&](int64_t offset, int64_t size, uint8_t* to) {
    std::memcpy(to, file.data() + offset, static_cast<size_t>(size));
    return Status::OK();
  });
}

TEST(Isobmff, LeavesOutTheBodiesOfMediaAndMergesNeighbours) {
  const auto boxes = Walk(Box("ftyp", 20) + Box("free", 0) + Box("mdat", 100) + Box("moov", 50)).ValueOrDie();
  EXPECT_THAT(boxes.metadata_ranges, ElementsAre(Range{0, 44}, Range{144, 58}));
  EXPECT_THAT(boxes.bodies, ElementsAre(Range{44, 100}));
}

TEST(Isobmff, ReadsLongSizesAndABoxThatFillsTheRest) {
  std::string rest = Box("mdat", 30);
  rest.replace(0, 4, std::string(4, '\0'));
  const auto boxes = Walk(Box("moov", 4) + LongBox("mdat", 10) + Box("moof", 1) + rest).ValueOrDie();
  EXPECT_THAT(boxes.metadata_ranges, ElementsAre(Range{0, 28}, Range{38, 17}));
  EXPECT_THAT(boxes.bodies, ElementsAre(Range{28, 10}, Range{55, 30}));
}

TEST(Isobmff, RefusesBoxesThatDoNotEndWithTheFile) {
  const std::string moov = Box("moov", 4);
  EXPECT_THAT(Walk(moov + Box("mdat", 9).substr(0, 16)).status().ToString(),
              HasSubstr("box at byte 12 of 28: it reaches beyond"));
  EXPECT_THAT(Walk(moov + "1234567").status().ToString(), HasSubstr("its header is cut"));
  std::string tiny = Box("mdat", 0);
  tiny[3] = 7;
  EXPECT_THAT(Walk(moov + tiny).status().ToString(), HasSubstr("smaller than its header"));
  std::string huge = LongBox("mdat", 0);
  std::memset(huge.data() + 8, 0xff, 8);
  EXPECT_THAT(Walk(moov + huge).status().ToString(), HasSubstr("beyond the end"));
}

TEST(Isobmff, RefusesAFileWithoutMoov) {
  EXPECT_THAT(Walk(Box("ftyp", 4) + Box("mdat", 9)).status().ToString(), HasSubstr("no moov"));
  EXPECT_THAT(Walk("").status().ToString(), HasSubstr("no moov"));
}

TEST(Isobmff, RefusesTooManyRanges) {
  std::string file = Box("moov", 0);
  for (int i = 0; i < 70'000; ++i) file += Box("mdat", 1);
  EXPECT_THAT(Walk(file).status().ToString(), HasSubstr("more than 65536"));
}

}  // namespace
}  // namespace reelhouse
