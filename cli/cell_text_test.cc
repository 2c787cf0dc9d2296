#include "cli/cell_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <arrow/api.h>

#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/format/video/video_frame_descriptor.h"

namespace reelhouse::cli {
namespace {

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> One(const std::shared_ptr<arrow::DataType>& type, Value value) {
  Builder builder(type, arrow::default_memory_pool());
  EXPECT_TRUE(builder.Append(value).ok());
  EXPECT_TRUE(builder.AppendNull().ok());
  return builder.Finish().ValueOrDie();
}

std::string Json(const arrow::Array& column, int64_t row = 0) {
  std::string text;
  AppendJson(column, row, &text);
  return text;
}

std::shared_ptr<arrow::Array> Bytes(const std::string& bytes) {
  return One<arrow::LargeBinaryBuilder>(arrow::large_binary(), bytes);
}

TEST(CellText, SpellsNumbersShortest) {
  EXPECT_EQ(Json(*One<arrow::FloatBuilder>(arrow::float32(), 0.1f)), "0.1");
  EXPECT_EQ(Json(*One<arrow::DoubleBuilder>(arrow::float64(), 1e300)), "1e+300");
  EXPECT_EQ(Json(*One<arrow::Int64Builder>(arrow::int64(), std::numeric_limits<int64_t>::min())),
            "-9223372036854775808");
  EXPECT_EQ(Json(*One<arrow::BooleanBuilder>(arrow::boolean(), true)), "true");
}

TEST(CellText, HasNoJsonForNan) {
  const auto column = One<arrow::DoubleBuilder>(arrow::float64(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(Json(*column), "null");
  EXPECT_EQ(CellText(*column, 0), "NaN");
}

TEST(CellText, TellsNullFromItsText) {
  const auto column = One<arrow::StringBuilder>(arrow::utf8(), "NULL");
  EXPECT_EQ(Json(*column, 0), "\"NULL\"");
  EXPECT_EQ(Json(*column, 1), "null");
  EXPECT_EQ(CellForPeople(*column, 1), "NULL");
}

TEST(CellText, EscapesTexts) {
  const auto column = One<arrow::StringBuilder>(arrow::utf8(), "a\"b\\c\nd\x01é");
  EXPECT_EQ(Json(*column), "\"a\\\"b\\\\c\\nd\\u0001é\"");
  EXPECT_EQ(CellForPeople(*column, 0), "a\"b\\c\\nd\\x01é");
}

TEST(CellText, SpellsTimesAsFiltersDo) {
  EXPECT_EQ(Json(*One<arrow::Date32Builder>(arrow::date32(), 19724)), "\"2024-01-02\"");
  EXPECT_EQ(Json(*One<arrow::TimestampBuilder>(arrow::timestamp(arrow::TimeUnit::MICRO), 1704164645500000)),
            "\"2024-01-02 03:04:05.5\"");
  EXPECT_EQ(Json(*One<arrow::TimestampBuilder>(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), 1704164645000)),
            "\"2024-01-02 03:04:05Z\"");
  EXPECT_EQ(Json(*One<arrow::Time32Builder>(arrow::time32(arrow::TimeUnit::MILLI), 3723004)), "\"01:02:03.004\"");
}

TEST(CellText, SpellsBytesInBase64AndDescriptorsAsObjects) {
  EXPECT_EQ(Json(*Bytes("abc")), "\"YWJj\"");
  EXPECT_EQ(CellForPeople(*Bytes("abc"), 0), "<3 bytes>");
  const VideoFrameDescriptor video{"/w/t/bucket-0/data-0123456789-0.video", 4, 100, 12, 104, 20};
  EXPECT_EQ(Json(*Bytes(video.Serialize())),
            "{\"uri\": \"/w/t/bucket-0/data-0123456789-0.video\", \"offset\": 4, \"length\": 100, \"frame_index\": 12, "
            "\"keyframe_index_offset\": 104, \"keyframe_index_length\": 20}");
  EXPECT_EQ(CellForPeople(*Bytes(video.Serialize()), 0), "video …6789-0.video frame 12");
  const BlobDescriptor blob{"/w/x.blob", 4, 2048};
  EXPECT_EQ(CellForPeople(*Bytes(blob.Serialize()), 0), "blob x.blob 2.0 KiB");
}

TEST(CellText, SpellsNestedValues) {
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  auto* items = static_cast<arrow::Int32Builder*>(lists.value_builder());
  ASSERT_TRUE(lists.Append().ok());
  ASSERT_TRUE(items->Append(1).ok());
  ASSERT_TRUE(items->AppendNull().ok());
  const auto list = lists.Finish().ValueOrDie();
  EXPECT_EQ(Json(*list), "[1, null]");

  const auto text = One<arrow::StringBuilder>(arrow::utf8(), "k");
  const auto number = One<arrow::Int64Builder>(arrow::int64(), int64_t{5});
  const auto row = arrow::StructArray::Make({text, number}, std::vector<std::string>{"a", "b"}).ValueOrDie();
  EXPECT_EQ(Json(*row), "{\"a\": \"k\", \"b\": 5}");
  EXPECT_EQ(CellText(*row, 0), "{\"a\": \"k\", \"b\": 5}");
}

}  // namespace
}  // namespace reelhouse::cli
