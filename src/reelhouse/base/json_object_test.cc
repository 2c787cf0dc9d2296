#include "reelhouse/base/json_object.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/numbered_name.h"

namespace reelhouse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string MessageOf(const Status& status) {
  EXPECT_TRUE(IsKind(status, ErrorKind::kCorruptFile)) << status;
  return status.message();
}

TEST(JsonObject, ReadsTypedMembers) {
  JsonObject json = *JsonObject::Parse(
      R"({"i":9223372036854775807,"n":-5,"t":"x","l":["a","b"],"m":{"a":"b","c":1,"d":true},"o":[{"k":1},{}],"z":null})",
      "f");
  EXPECT_EQ(*json.Int64("i"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(*json.Int32("n"), -5);
  EXPECT_EQ(*json.Text("t"), "x");
  EXPECT_THAT(*json.TextList("l"), ElementsAre("a", "b"));
  auto texts = *json.TextMap("m");
  EXPECT_EQ(texts["c"] + texts["d"], "1true");
  EXPECT_EQ(*json.FindInt64("z"), std::nullopt);
  EXPECT_EQ(*json.FindText("none"), std::nullopt);
  EXPECT_EQ(*json.ObjectList("o")->at(0).Int64("k"), 1);
}

TEST(JsonObject, NamesTheFileAndTheMember) {
  JsonObject json = *JsonObject::Parse(
      R"({"i":9223372036854775808,"n":3000000000,"o":[{"k":1},{}],"l":["a",1],"m":{"a":[]}})", "wh/f");
  EXPECT_EQ(MessageOf(json.Int64("i").status()), "wh/f: i: expected a 64-bit integer, found 9223372036854775808");
  EXPECT_EQ(MessageOf(json.Int32("n").status()), "wh/f: n: expected a 32-bit integer, found 3000000000");
  EXPECT_EQ(MessageOf(json.Text("t").status()), "wh/f: t: the key is missing");
  EXPECT_EQ(MessageOf(json.Text("o").status()), "wh/f: o: expected a text, found a list");
  EXPECT_EQ(MessageOf(json.ObjectList("o")->at(1).Int64("k").status()), "wh/f: o[1].k: the key is missing");
  EXPECT_EQ(MessageOf(json.TextList("l").status()), "wh/f: l: expected a list of texts, found 1");
  EXPECT_EQ(MessageOf(json.TextMap("m").status()), "wh/f: m.a: expected a text, found a list");
}

TEST(JsonObject, TellsTornFilesFromForeignBytes) {
  EXPECT_EQ(MessageOf(JsonObject::Parse("", "f").status()), "f: byte 0: expected a JSON object, found an empty file");
  EXPECT_EQ(MessageOf(JsonObject::Parse(R"({"a": )", "f").status()),
            "f: byte 6: the file is torn: its JSON ends early");
  EXPECT_EQ(MessageOf(JsonObject::Parse(R"({"a": x})", "f").status()), "f: byte 6: expected JSON, found other bytes");
  EXPECT_EQ(MessageOf(JsonObject::Parse(std::string(64, '\0'), "f").status()),
            "f: byte 0: expected JSON, found other bytes");
  EXPECT_EQ(MessageOf(JsonObject::Parse("3", "f").status()), "f: byte 0: expected a JSON object, found 3");
  EXPECT_THAT(MessageOf(JsonObject::Parse(R"({"a": 1e999})", "f").status()), HasSubstr("out of range"));
  EXPECT_FALSE(JsonObject::Parse("{\"a\": \"\xff\"}", "f").ok());
}

TEST(JsonObject, SurvivesDeepNesting) {
  std::string text = "{\"a\":";
  for (int i = 0; i < 1000000; ++i) text += "[";
  EXPECT_FALSE(JsonObject::Parse(text, "f").ok());
  for (int i = 0; i < 1000000; ++i) text += "]";
  EXPECT_TRUE(JsonObject::Parse(text + "}", "f").ok());
}

TEST(NumberInName, TakesOnlyWhatAWriterMakes) {
  EXPECT_EQ(NumberInName("snapshot-12", "snapshot-"), 12);
  EXPECT_EQ(NumberInName("schema-0", "schema-"), 0);
  for (const char* name : {"snapshot-", "snapshot-012", "snapshot--1", "snapshot-+1", "snapshot-1 ", "snapshot-1.tmp",
                           "snapshot-9223372036854775808", "schema-1", ""}) {
    EXPECT_EQ(NumberInName(name, "snapshot-"), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace reelhouse
