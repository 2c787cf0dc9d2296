#include "reelhouse/format/blob/blob_collection.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/endian.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

std::string_view Cut(std::string_view payload, const BlobElement& element) {
  return payload.substr(static_cast<size_t>(element.offset_bytes), static_cast<size_t>(element.length_bytes));
}

TEST(BlobCollection, RoundTripsAnArrayWithNullsAndEmptyElements) {
  const std::string payload = EncodeBlobArray({"ab", std::nullopt, "", "cde"});
  EXPECT_EQ(payload.substr(0, 9), std::string("BCBA\1\4\0\0\0", 9));
  const auto elements = DecodeBlobArray(payload, "f").ValueOrDie();
  ASSERT_EQ(elements.size(), 4u);
  EXPECT_EQ(Cut(payload, elements[0]), "ab");
  EXPECT_EQ(elements[1].length_bytes, -1);
  EXPECT_EQ(elements[2].length_bytes, 0);
  EXPECT_EQ(Cut(payload, elements[3]), "cde");
  EXPECT_TRUE(DecodeBlobArray(EncodeBlobArray({}), "f").ValueOrDie().empty());
}

TEST(BlobCollection, RoundTripsAMap) {
  const std::string payload = EncodeBlobMap({"k1", std::nullopt, ""}, {"v", "", std::nullopt});
  EXPECT_EQ(payload.substr(0, 5), std::string("BCBM\1", 5));
  const BlobMap map = DecodeBlobMap(payload, "f").ValueOrDie();
  EXPECT_THAT(map.keys, ::testing::ElementsAre("k1", std::nullopt, ""));
  EXPECT_EQ(Cut(payload, map.values[0]), "v");
  EXPECT_EQ(map.values[1].length_bytes, 0);
  EXPECT_EQ(map.values[2].length_bytes, -1);
}

TEST(BlobCollection, RefusesEveryTruncationAndEveryFlippedLength) {
  const std::string array = EncodeBlobArray({"ab", std::nullopt, "cde"});
  const std::string map = EncodeBlobMap({"k1", "k2"}, {"v", std::nullopt});
  for (size_t size = 0; size < array.size(); ++size) {
    EXPECT_TRUE(IsKind(DecodeBlobArray(array.substr(0, size), "f").status(), ErrorKind::kCorruptFile)) << size;
  }
  for (size_t size = 0; size < map.size(); ++size) {
    EXPECT_TRUE(IsKind(DecodeBlobMap(map.substr(0, size), "f").status(), ErrorKind::kCorruptFile)) << size;
  }
  std::string huge = array;
  StoreLe32(huge.data() + 5, 0xffffffff);
  EXPECT_THAT(DecodeBlobArray(huge, "f").status().message(), HasSubstr("expected 4294967295 entries, found 3"));
  std::string far = array;
  StoreLe32(far.data() + far.size() - 4, 0xfffffff0);
  EXPECT_THAT(DecodeBlobArray(far, "f").status().message(), HasSubstr("length index"));
  EXPECT_FALSE(DecodeBlobArray(map, "f").ok()) << "a map is no array";
}

void ExpectKeyRoundTrip(const std::shared_ptr<arrow::Scalar>& key, size_t size_bytes) {
  const std::string bytes = EncodeBlobMapKey(*key).ValueOrDie();
  EXPECT_EQ(bytes.size(), size_bytes) << key->ToString();
  EXPECT_TRUE(DecodeBlobMapKey(bytes, key->type).ValueOrDie()->Equals(*key)) << key->ToString();
}

TEST(BlobCollection, StoresKeysOfEveryTypeAndReadsThemBack) {
  ExpectKeyRoundTrip(std::make_shared<arrow::BooleanScalar>(true), 1);
  ExpectKeyRoundTrip(std::make_shared<arrow::Int8Scalar>(-3), 1);
  ExpectKeyRoundTrip(std::make_shared<arrow::Int16Scalar>(-300), 2);
  ExpectKeyRoundTrip(std::make_shared<arrow::Int32Scalar>(-70000), 4);
  ExpectKeyRoundTrip(std::make_shared<arrow::Int64Scalar>(int64_t{1} << 40), 8);
  ExpectKeyRoundTrip(std::make_shared<arrow::Date32Scalar>(-2), 4);
  ExpectKeyRoundTrip(std::make_shared<arrow::Time32Scalar>(1500, arrow::time32(arrow::TimeUnit::MILLI)), 4);
  ExpectKeyRoundTrip(std::make_shared<arrow::StringScalar>("schlüssel"), 10);
  ExpectKeyRoundTrip(std::make_shared<arrow::BinaryScalar>(std::string("\0x", 2)), 2);
  ExpectKeyRoundTrip(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(-150), arrow::decimal128(10, 2)), 8);
  ExpectKeyRoundTrip(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(-128), arrow::decimal128(30, 2)), 1);
  ExpectKeyRoundTrip(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(128), arrow::decimal128(30, 2)), 2);
  ExpectKeyRoundTrip(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(0), arrow::decimal128(30, 2)), 1);
}

TEST(BlobCollection, RefusesKeysOfAWrongWidth) {
  EXPECT_THAT(DecodeBlobMapKey("abc", arrow::int32()).status().message(), HasSubstr("expected 4 bytes, found 3"));
  EXPECT_FALSE(DecodeBlobMapKey("", arrow::decimal128(30, 2)).ok());
  EXPECT_FALSE(DecodeBlobMapKey(std::string(17, 'x'), arrow::decimal128(30, 2)).ok());
}

}  // namespace
}  // namespace reelhouse
