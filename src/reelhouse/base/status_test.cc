#include "reelhouse/base/status.h"

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Status, CarriesItsKindAndFields) {
  ErrorFields fields;
  fields.table = "robots.frames";
  fields.row_id = 7;
  Status status = MakeError(ErrorKind::kVideoDecode, "frame 3: no key frame", fields);
  EXPECT_TRUE(IsKind(status, ErrorKind::kVideoDecode));
  EXPECT_FALSE(IsKind(status, ErrorKind::kCorruptFile));
  EXPECT_EQ(status.message(), "frame 3: no key frame");
  EXPECT_EQ(DetailOf(status)->fields().table, "robots.frames");
  EXPECT_EQ(DetailOf(status)->fields().row_id, 7);
}

TEST(Status, CodesFollowFromKinds) {
  EXPECT_TRUE(MakeError(ErrorKind::kFileNotFound, "x").IsIOError());
  EXPECT_TRUE(MakeError(ErrorKind::kCorruptFile, "x").IsIOError());
  EXPECT_TRUE(MakeError(ErrorKind::kVideoDecode, "x").IsInvalid());
  EXPECT_TRUE(MakeError(ErrorKind::kTableNotExist, "x").IsKeyError());
  EXPECT_TRUE(MakeError(ErrorKind::kTableAlreadyExist, "x").IsAlreadyExists());
  EXPECT_TRUE(MakeError(ErrorKind::kCommitConflict, "x").IsUnknownError());
}

TEST(Status, ACorruptFileNamesPathAndByte) {
  Status status = CorruptFile("/wh/a.video", 12, "expected magic VIDEO, found AUDIO");
  EXPECT_EQ(status.message(), "/wh/a.video: byte 12: expected magic VIDEO, found AUDIO");
  EXPECT_EQ(DetailOf(status)->fields().path, "/wh/a.video");
  EXPECT_EQ(DetailOf(status)->fields().offset_bytes, 12);
  EXPECT_EQ(CorruptFile("/x", -1, "empty").message(), "/x: empty");
}

TEST(Status, APrefixKeepsCodeAndDetail) {
  Status status = Prefixed("snapshot-7", MakeError(ErrorKind::kFileNotFound, "gone"));
  EXPECT_EQ(status.message(), "snapshot-7: gone");
  EXPECT_TRUE(IsKind(status, ErrorKind::kFileNotFound));
  EXPECT_TRUE(Prefixed("anything", Status::OK()).ok());
}

TEST(Status, OtherFailuresHaveNoDetailOfOurs) {
  EXPECT_EQ(DetailOf(Status::OK()), nullptr);
  EXPECT_EQ(DetailOf(Status::Invalid("x")), nullptr);
  EXPECT_FALSE(IsKind(Status::OK(), ErrorKind::kCorruptFile));
}

TEST(NearestName, FindsTypingMistakes) {
  const std::vector<std::string> names{"episode_index", "frame_index", "reward", "action"};
  EXPECT_EQ(NearestName("epsiode_index", names), "episode_index");
  EXPECT_EQ(NearestName("REWARD", names), "reward");
  EXPECT_EQ(NearestName("actoin", names), "action");
  EXPECT_EQ(NearestName("frame_idx", names), "frame_index");
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(NearestName("temperature", {"reward", "action"}), "");
  EXPECT_EQ(NearestName("x", {"y"}), "");
  EXPECT_EQ(NearestName("", {"a"}), "");
  EXPECT_EQ(NearestName("a", {}), "");
}

}  // namespace
}  // namespace reelhouse
