#include "reelhouse/format/blob/blob_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

std::string Bytes(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

const char* const kCheckValue = "0243534544424f4c420700000066696c653a2f7801000000000000000200000000000000";

std::string ErrorOf(std::string_view bytes) { return BlobDescriptor::Deserialize(bytes).status().message(); }

TEST(BlobDescriptor, SerializesToTheCheckValueOfTheContract) {
  const BlobDescriptor descriptor{"file:/x", 1, 2};
  EXPECT_EQ(descriptor.Serialize(), Bytes(kCheckValue));
  EXPECT_EQ(BlobDescriptor::Deserialize(Bytes(kCheckValue)).ValueOrDie(), descriptor);
  EXPECT_EQ(BlobDescriptor::Parse(Bytes(kCheckValue)), descriptor);
}

TEST(BlobDescriptor, ReadsWireVersionOneAndIgnoresTrailingBytes) {
  const std::string version_one = Bytes(
      "01"
      "01000000"
      "75"
      "0300000000000000"
      "0400000000000000");
  EXPECT_EQ(BlobDescriptor::Deserialize(version_one).ValueOrDie(), (BlobDescriptor{"u", 3, 4}));
  EXPECT_EQ(BlobDescriptor::Deserialize(Bytes(kCheckValue) + "zz").ValueOrDie(), (BlobDescriptor{"file:/x", 1, 2}));
}

TEST(BlobDescriptor, ParsesOnlyBytesThatAreExactlyOneOfVersionTwo) {
  EXPECT_FALSE(BlobDescriptor::Parse(Bytes(kCheckValue) + "z"));
  EXPECT_FALSE(
      BlobDescriptor::Parse(Bytes("01"
                                  "01000000"
                                  "75"
                                  "0300000000000000"
                                  "0400000000000000")));
  EXPECT_FALSE(BlobDescriptor::Parse(""));
  EXPECT_FALSE(BlobDescriptor::Parse(Bytes(kCheckValue).substr(0, 30)));
  EXPECT_TRUE(BlobDescriptor::HasMagic(Bytes(kCheckValue).substr(0, 9)));
  EXPECT_FALSE(BlobDescriptor::HasMagic(Bytes(kCheckValue).substr(0, 8)));
}

TEST(BlobDescriptor, SaysWhatIsWrongInTheWordsOfTheContract) {
  std::string bytes = Bytes(kCheckValue);
  EXPECT_EQ(ErrorOf(""), "Invalid BlobDescriptor data: too short");
  EXPECT_EQ(ErrorOf(std::string(40, 'j')),
            "Expecting BlobDescriptor version to be less than or equal to 2, but found 106.");
  EXPECT_THAT(ErrorOf("\x02" + std::string(40, 'x')), HasSubstr("missing magic header"));
  EXPECT_EQ(ErrorOf(bytes.substr(0, 20)), "Invalid BlobDescriptor data: missing offset/length");
  EXPECT_EQ(ErrorOf(bytes.substr(0, 9) + Bytes("ffffffff") + bytes.substr(13)),
            "Invalid BlobDescriptor data: negative URI length: -1");
  EXPECT_EQ(ErrorOf(bytes.substr(0, 9) + Bytes("64000000") + bytes.substr(13)),
            "Invalid BlobDescriptor data: URI length exceeds data size");
}

TEST(BlobDescriptor, RefusesRangesThatCannotBeAndUrisThatAreNotUtf8) {
  EXPECT_THAT(ErrorOf(BlobDescriptor{"u", -5, 2}.Serialize()), HasSubstr("offset -5"));
  EXPECT_THAT(ErrorOf(BlobDescriptor{"u", 5, -2}.Serialize()), HasSubstr("length -2"));
  EXPECT_THAT(ErrorOf(BlobDescriptor{"\xff\xfe", 0, 1}.Serialize()), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace reelhouse
