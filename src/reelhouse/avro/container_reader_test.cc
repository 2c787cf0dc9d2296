#include "reelhouse/avro/container_reader.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/avro/container_writer.h"

namespace reelhouse {

/// What the tests want of the files that `tests/data/avro/make.py` makes.
struct Row {
  int64_t id = 0;  // the writer has an int
  std::optional<std::string> name;
  std::vector<std::optional<int64_t>> numbers;
  std::optional<int64_t> at;
  int64_t absent = 42;
};

template <>
struct AvroFieldsOf<Row> {
  static const AvroFields<Row>& Fields() {
    static const auto kFields = std::move(AvroFields<Row>()
                                              .Required("id", &Row::id)
                                              .Required("name", &Row::name)
                                              .Required("numbers", &Row::numbers)
                                              .Required("at", &Row::at)
                                              .Optional("absent", &Row::absent));
    return kFields;
  }
};

struct Texts {
  std::vector<std::string> texts;
};

template <>
struct AvroFieldsOf<Texts> {
  static const AvroFields<Texts>& Fields() {
    static const auto kFields = std::move(AvroFields<Texts>().Required("texts", &Texts::texts));
    return kFields;
  }
};

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string Sample(const std::string& codec) {
  return ReadFile(REELHOUSE_SOURCE_DIR "/tests/data/avro/" + codec + ".avro");
}

constexpr std::string_view kTextsSchema = R"({"type": "record", "name": "Texts", "fields": [)"
                                          R"({"name": "texts", "type": {"type": "array", "items": "string"}}]})";

// A container around records that are given as bytes.
std::string Container(std::string_view schema, int64_t record_count, std::string_view records,
                      std::string_view codec = "null") {
  AvroEncoder head;
  head.PutLong(2);
  head.PutBytes("avro.schema");
  head.PutBytes(schema);
  head.PutBytes("avro.codec");
  head.PutBytes(codec);
  head.PutLong(0);
  const std::string marker(16, '#');
  AvroEncoder block;
  block.PutLong(record_count);
  block.PutBytes(records);
  return "Obj\x01" + head.bytes() + marker + block.bytes() + marker;
}

template <typename R>
std::string ErrorOf(std::string_view file, AvroReadLimits limits = {}) {
  auto read = ReadAvroRecords<R>(file, "some/folder/file-1", limits);
  if (read.ok()) return "no error";
  return read.status().message();
}

class EveryCodec : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryCodec, GivesTheWantedFieldsAndSkipsTheRest) {
  auto rows = ReadAvroRecords<Row>(Sample(GetParam()), GetParam());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 600u);
  for (int64_t i = 0; i < 600; ++i) {
    const Row& row = (*rows)[i];
    EXPECT_EQ(row.id, i - 200);
    EXPECT_EQ(row.name, i % 3 == 0 ? std::nullopt : std::optional("name-" + std::to_string(i)));
    EXPECT_THAT(row.numbers, ElementsAre(std::nullopt, i, -i * 1'000'000'000'000));
    EXPECT_EQ(row.at, i % 5 != 0 ? std::nullopt : std::optional(i));
    EXPECT_EQ(row.absent, 42);
  }
}

TEST_P(EveryCodec, RefusesEveryTruncation) {
  const std::string whole = Sample(GetParam());
  for (size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    auto rows = ReadAvroRecords<Row>(std::string_view(whole).substr(0, size), "cut");
    if (rows.ok()) {
      // Only between two blocks a file may end.
      EXPECT_LT(rows->size(), 600u);
    } else {
      EXPECT_TRUE(IsKind(rows.status(), ErrorKind::kCorruptFile)) << rows.status();
    }
  }
}

TEST_P(EveryCodec, SurvivesEveryFlippedByte) {
  std::string bytes = Sample(GetParam());
  for (size_t at = 0; at < bytes.size(); at += 1 + at / 60) {
    bytes[at] = static_cast<char>(bytes[at] ^ 0xA5);
    (void)ReadAvroRecords<Row>(bytes, "flipped");
    bytes[at] = static_cast<char>(bytes[at] ^ 0xA5);
  }
}

INSTANTIATE_TEST_SUITE_P(AvroContainer, EveryCodec,
                         ::testing::Values("null", "deflate", "snappy", "zstandard", "bzip2"),
                         [](const auto& param) { return param.param; });

TEST(AvroContainer, RefusesACodecThatIsNotThereByName) {
  const std::string error = ErrorOf<Row>(Sample("xz"));
  EXPECT_THAT(error, StartsWith("file-1: Avro codec `xz` is not supported"));
  EXPECT_THAT(error, HasSubstr("manifest.compression"));
}

TEST(AvroContainer, NamesTheBlockWithAWrongSyncMarker) {
  std::string bytes = Sample("null");
  auto reader = AvroContainerReader::Open(bytes, "file-1");
  ASSERT_TRUE(reader.ok());
  auto first = *reader->Next();
  auto second = *reader->Next();
  ASSERT_TRUE(first && second);
  auto third = *reader->Next();
  ASSERT_TRUE(third);
  bytes[third->offset_bytes - 1] ^= 1;
  EXPECT_EQ(ErrorOf<Row>(bytes),
            "file-1: block 2 at byte " + std::to_string(second->offset_bytes) + ": sync marker mismatch");
}

TEST(AvroContainer, RefusesASnappyBlockWithAWrongChecksum) {
  std::string bytes = Sample("snappy");
  // The checksum lies before the first sync marker behind the header.
  const std::string marker = "0123456789abcdef";
  const size_t header_end = bytes.find(marker) + marker.size();
  bytes[bytes.find(marker, header_end) - 1] ^= 1;
  EXPECT_THAT(ErrorOf<Row>(bytes), HasSubstr("CRC mismatch of a snappy block"));
}

TEST(AvroContainer, NamesTheFieldThatTheWriterLacks) {
  const auto file =
      Container(R"({"type": "record", "name": "T", "fields": [{"name": "text", "type": "string"}]})", 0, "");
  EXPECT_EQ(ErrorOf<Texts>(file), "file-1: record T of the writer's schema lacks the field texts");
}

TEST(AvroContainer, NamesTheFieldOfAWrongType) {
  const auto file =
      Container(R"({"type": "record", "name": "T", "fields": [{"name": "texts", "type": "long"}]})", 0, "");
  EXPECT_EQ(ErrorOf<Texts>(file), "file-1: field texts: expected an array, found long");
}

TEST(AvroContainer, ReadsARootThatIsAUnion) {
  const std::string schema = R"([{"type": "record", "name": "Texts", "fields": [
      {"name": "texts", "type": ["null", {"type": "array", "items": "bytes"}]}]}])";
  AvroEncoder record;
  record.PutLong(0);  // branch of the root
  record.PutPresent();
  record.PutArray(std::vector<std::string>{"a", "bc"});
  auto rows = ReadAvroRecords<Texts>(Container(schema, 1, record.bytes()), "file");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT((*rows)[0].texts, ElementsAre("a", "bc"));
}

TEST(AvroContainer, RefusesNullInAPlainMember) {
  const std::string schema = R"({"type": "record", "name": "Texts", "fields": [
      {"name": "texts", "type": ["null", {"type": "array", "items": "bytes"}]}]})";
  EXPECT_THAT(ErrorOf<Texts>(Container(schema, 1, std::string(1, '\0'))),
              HasSubstr("record 1: texts: null where a value is required"));
}

TEST(AvroContainer, ReadsArrayBlocksWithSizes) {
  AvroEncoder record;
  record.PutLong(-2);  // a negative count is followed by the size of the block
  record.PutLong(5);
  record.PutBytes("a");
  record.PutBytes("bc");
  record.PutLong(1);
  record.PutBytes("d");
  record.PutLong(0);
  auto rows = ReadAvroRecords<Texts>(Container(kTextsSchema, 1, record.bytes()), "file");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT((*rows)[0].texts, ElementsAre("a", "bc", "d"));
}

TEST(AvroContainer, RefusesHostileNumbers) {
  const auto record = [](auto put) {
    AvroEncoder out;
    put(out);
    return Container(kTextsSchema, 1, out.bytes());
  };
  EXPECT_THAT(ErrorOf<Texts>(record([](AvroEncoder& out) { out.PutLong(int64_t{1} << 60); })),
              HasSubstr("an array of 1152921504606846976 items"));
  EXPECT_THAT(ErrorOf<Texts>(record([](AvroEncoder& out) { out.PutLong(INT64_MIN); })), HasSubstr("2^63 items"));
  EXPECT_THAT(ErrorOf<Texts>(record([](AvroEncoder& out) {
                out.PutLong(1);
                out.PutLong(-5);
              })),
              HasSubstr("texts: a length of -5 where 0 bytes are left"));
  EXPECT_THAT(ErrorOf<Texts>(Container(kTextsSchema, -1, "")), HasSubstr("a count of -1 records"));
  EXPECT_THAT(ErrorOf<Texts>(Container(kTextsSchema, int64_t{1} << 40, "abc")),
              HasSubstr("1099511627776 records in 3 bytes"));
  EXPECT_THAT(ErrorOf<Texts>(Container(kTextsSchema, 1, std::string("\0\0", 2))),
              HasSubstr("1 bytes behind the last record"));
  EXPECT_THAT(ErrorOf<Texts>(Container(kTextsSchema, 1, std::string(11, '\xff'))), HasSubstr("more than 64 bits"));
}

TEST(AvroContainer, SkipsHugeArraysOfNothingWithoutWork) {
  const std::string schema = R"({"type": "record", "name": "T", "fields": [
      {"name": "nothing", "type": {"type": "array", "items": "null"}},
      {"name": "texts", "type": {"type": "array", "items": "string"}}]})";
  AvroEncoder record;
  record.PutLong(int64_t{1} << 62);
  record.PutLong(0);
  record.PutLong(0);
  auto rows = ReadAvroRecords<Texts>(Container(schema, 1, record.bytes()), "file");
  ASSERT_TRUE(rows.ok()) << rows.status();
}

TEST(AvroContainer, BoundsTheDepthOfValuesThatContainThemselves) {
  const std::string schema = R"({"type": "record", "name": "T", "fields": [
      {"name": "tree", "type": {"type": "record", "name": "Tree", "fields": [
          {"name": "children", "type": {"type": "array", "items": "Tree"}}]}},
      {"name": "texts", "type": {"type": "array", "items": "string"}}]})";
  AvroEncoder record;
  for (int i = 0; i < 100'000; ++i) record.PutLong(1);
  EXPECT_THAT(ErrorOf<Texts>(Container(schema, 1, record.bytes())), HasSubstr("tree: values nested deeper"));
}

class EveryPackingCodec : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPackingCodec, BoundsWhatABlockUnpacksTo) {
  auto codec = BlockCodec::Make(GetParam());
  ASSERT_TRUE(codec.ok());
  std::string packed;
  ASSERT_TRUE((*codec)->Pack(std::string(8 << 20, 'x'), &packed).ok());
  ASSERT_LT(packed.size(), 1u << 20);
  AvroReadLimits limits;
  limits.most_block_bytes = 1 << 20;
  EXPECT_THAT(ErrorOf<Texts>(Container(kTextsSchema, 1, packed, GetParam()), limits),
              HasSubstr("unpacks to more than 1048576 bytes"));
}

TEST_P(EveryPackingCodec, GivesBackWhatItPacked) {
  auto codec = BlockCodec::Make(GetParam());
  ASSERT_TRUE(codec.ok());
  for (size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, size_t{1} << 20}) {
    std::string raw;
    for (size_t i = 0; i < size; ++i) raw.push_back(static_cast<char>(i * i >> 3));
    std::string packed;
    std::string again;
    ASSERT_TRUE((*codec)->Pack(raw, &packed).ok());
    const Status status = (*codec)->Unpack(packed, 1 << 20, &again);
    ASSERT_TRUE(status.ok()) << status << " at size " << size;
    EXPECT_EQ(again, raw);
  }
}

INSTANTIATE_TEST_SUITE_P(AvroContainer, EveryPackingCodec, ::testing::Values("deflate", "snappy", "zstandard", "bzip2"),
                         [](const auto& param) { return param.param; });

TEST(AvroContainer, BoundsWhatTheWholeFileUnpacksTo) {
  AvroReadLimits limits;
  limits.most_total_bytes = 1000;
  limits.most_growth = 1;
  EXPECT_EQ(ErrorOf<Row>(Sample("null"), limits), "no error");
  EXPECT_THAT(ErrorOf<Row>(Sample("deflate"), limits), HasSubstr("the file unpacks to more than"));
}

TEST(AvroContainerWriter, WritesBlocksOfAboutSixteenThousandBytes) {
  for (const char* codec : {"null", "deflate", "snappy", "zstandard", "bzip2"}) {
    auto writer = AvroContainerWriter::Make(kTextsSchema, codec);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (int i = 0; i < 5000; ++i) {
      writer->record().PutArray(std::vector<std::string>{"text", std::to_string(i)});
      ASSERT_TRUE(writer->EndRecord().ok());
    }
    auto bytes = writer->Finish();
    ASSERT_TRUE(bytes.ok());
    auto reader = AvroContainerReader::Open(*bytes, "file");
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ(reader->codec_name(), codec);
    int blocks = 0;
    for (auto block = *reader->Next(); block; block = *reader->Next(), ++blocks) {
      EXPECT_LT(block->records.size(), 16100u);
    }
    EXPECT_EQ(blocks, 4);
    auto rows = ReadAvroRecords<Texts>(*bytes, "file");
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(rows->size(), 5000u);
    EXPECT_THAT(rows->back().texts, ElementsAre("text", "4999"));
  }
}

TEST(AvroContainerWriter, WritesAFileWithoutRecords) {
  auto writer = AvroContainerWriter::Make(kTextsSchema, "zstandard");
  auto bytes = writer->Finish();
  ASSERT_TRUE(bytes.ok());
  auto rows = ReadAvroRecords<Texts>(*bytes, "file");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(rows->empty());
}

TEST(AvroCodecName, MapsTheOptionAndRefusesOthersWithTheChoices) {
  EXPECT_EQ(*AvroCodecName("zstd"), "zstandard");
  EXPECT_EQ(*AvroCodecName("ZSTD"), "zstandard");
  EXPECT_EQ(*AvroCodecName("null"), "null");
  EXPECT_THAT(AvroCodecName("xz").status().message(), HasSubstr("expected zstd, deflate, snappy, bzip2 or null"));
}

}  // namespace
}  // namespace reelhouse
