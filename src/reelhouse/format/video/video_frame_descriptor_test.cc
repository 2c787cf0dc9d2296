#include "reelhouse/format/video/video_frame_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

const VideoFrameDescriptor kDescriptor{"u", 0, 10, 3, -1, 0};

std::string ErrorOf(std::string_view bytes) { return VideoFrameDescriptor::Deserialize(bytes).status().message(); }

TEST(VideoFrameDescriptor, SerializesToTheCheckValueOfTheContract) {
  const std::string bytes = kDescriptor.Serialize();
  EXPECT_EQ(bytes, std::string("\x01MRFOEDIV\x01\0\0\0u"
                               "\0\0\0\0\0\0\0\0\x0a\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
                               "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0",
                               54));
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), kDescriptor.SerializedSize());
  EXPECT_EQ(VideoFrameDescriptor::Deserialize(bytes).ValueOrDie(), kDescriptor);
  EXPECT_EQ(VideoFrameDescriptor::Parse(bytes), kDescriptor);
  EXPECT_EQ(kDescriptor.payload(), (BlobDescriptor{"u", 0, 10}));
}

TEST(VideoFrameDescriptor, SaysWhatIsWrongInTheWordsOfTheContract) {
  const std::string bytes = kDescriptor.Serialize();
  EXPECT_EQ(ErrorOf(""), "Invalid VideoFrameDescriptor data: too short");
  EXPECT_EQ(ErrorOf(bytes + "z"), "Invalid VideoFrameDescriptor data: trailing bytes");
  EXPECT_EQ(ErrorOf("\x02" + bytes.substr(1)), "Expecting VideoFrameDescriptor version to be 1, but found 2.");
  EXPECT_EQ(ErrorOf("\x01" + std::string(60, 'x')), "Invalid VideoFrameDescriptor data: missing magic header");
  std::string long_uri = bytes;
  StoreLe32(long_uri.data() + 9, 100);
  EXPECT_EQ(ErrorOf(long_uri), "Invalid VideoFrameDescriptor data: invalid URI length: 100");
}

TEST(VideoFrameDescriptor, RefusesNumbersThatCannotBe) {
  EXPECT_THAT(ErrorOf(VideoFrameDescriptor{"u", 0, 10, -3, -1, 0}.Serialize()),
              HasSubstr("Video frame index must be non-negative, but was -3."));
  EXPECT_THAT(ErrorOf(VideoFrameDescriptor{"u", 0, 10, 3, -5, -5}.Serialize()),
              HasSubstr("Video keyframe index length must be non-negative."));
  for (const auto& [at, length] : {std::pair<int64_t, int64_t>{-1, 5}, {5, 0}, {-2, 5}}) {
    EXPECT_THAT(ErrorOf(VideoFrameDescriptor{"u", 0, 10, 3, at, length}.Serialize()),
                HasSubstr("Invalid video keyframe index range."));
  }
  EXPECT_THAT(ErrorOf(VideoFrameDescriptor{"u", -1, 10, 3, -1, 0}.Serialize()), HasSubstr("no byte range"));
  EXPECT_FALSE(VideoFrameDescriptor::Parse(VideoFrameDescriptor{"u", 0, 10, -3, -1, 0}.Serialize()));
}

TEST(VideoFrameDescriptor, ABlobDescriptorIsNone) {
  EXPECT_FALSE(VideoFrameDescriptor::HasMagic(BlobDescriptor{"u", 0, 1}.Serialize()));
  EXPECT_FALSE(BlobDescriptor::HasMagic(kDescriptor.Serialize()));
  EXPECT_THAT(BlobDescriptor::Deserialize(kDescriptor.Serialize()).status().message(),
              HasSubstr("VideoFrameDescriptor"));
}

}  // namespace
}  // namespace reelhouse
