#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/write/row_batch.h"
#include "tests/support/arrow_json.h"

namespace reelhouse {
namespace {

using ::testing::HasSubstr;

using Texts = std::map<std::string, std::string>;

TableSchema SchemaOf(const arrow::FieldVector& fields, Texts options = {}) {
  Texts all = {{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}};
  all.merge(options);
  return TableSchema::Make(*arrow::schema(fields), {}, Options(all)).ValueOrDie();
}

std::string ErrorOf(const std::shared_ptr<arrow::RecordBatch>& input, const TableSchema& schema,
                    const ReferencePolicy& references = {}) {
  return AlignRows(input, schema, references).status().message();
}

TableSchema Labels() {
  return SchemaOf({arrow::field("id", arrow::int64(), false), arrow::field("label", arrow::utf8()),
                   arrow::field("v", arrow::list(arrow::float32()))});
}

TEST(AlignRows, FindsColumnsByNameCastsThemAndFillsMissingOnesWithNull) {
  const auto input =
      BatchOf({{"v", arrow::large_list(arrow::float64()), "[[1], null]"}, {"id", arrow::utf8(), R"(["7", "8"])"}});
  const RowBatch batch = AlignRows(input, Labels(), {}).ValueOrDie();
  EXPECT_TRUE(batch.columns->schema()->Equals(*Labels().ToArrow(), /*check_metadata=*/true));
  EXPECT_TRUE(batch.columns->column(0)->Equals(*ArrayOf(arrow::int64(), "[7, 8]")));
  EXPECT_TRUE(batch.columns->column(1)->Equals(*ArrayOf(arrow::utf8(), "[null, null]")));
  EXPECT_TRUE(batch.columns->column(2)->Equals(*ArrayOf(arrow::list(arrow::float32()), "[[1], null]")));
}

TEST(AlignRows, RefusesUnknownColumnsWithTheNearestName) {
  EXPECT_EQ(ErrorOf(BatchOf({{"id", arrow::int64(), "[1]"}, {"lable", arrow::utf8(), R"(["x"])"}}), Labels()),
            "Unknown column 'lable' in rows. Did you mean 'label'? Columns: ['id', 'label', 'v']");
  EXPECT_TRUE(
      AlignRows(BatchOf({{"id", arrow::int64(), "[1]"}, {"_ROW_ID", arrow::int64(), "[1]"}}), Labels(), {}, {"_ROW_ID"})
          .ok());
  EXPECT_THAT(ErrorOf(BatchOf({{"id", arrow::int64(), "[1]"}, {"id", arrow::int64(), "[1]"}}), Labels()),
              HasSubstr("'id' is there twice"));
}

TEST(AlignRows, RefusesValuesThatDoNotFitInTheWordsOfArrow) {
  EXPECT_THAT(ErrorOf(BatchOf({{"id", arrow::float64(), "[1.5]"}}), Labels()),
              HasSubstr("Column 'id': Float value 1.500000 was truncated converting to int64"));
}

TEST(AlignRows, RefusesNullInAColumnThatIsNotNull) {
  EXPECT_THAT(ErrorOf(BatchOf({{"id", arrow::int64(), "[1, null]"}}), Labels()),
              HasSubstr("Column 'id' is declared non-nullable but contains nulls (first in row 1)"));
  EXPECT_THAT(ErrorOf(BatchOf({{"label", arrow::utf8(), R"(["x"])"}}), Labels()), HasSubstr("Column 'id'"));
}

TEST(AlignRows, RefusesNullVectorsUnlessAskedTo) {
  const auto vector = arrow::fixed_size_list(arrow::float32(), 2);
  const arrow::FieldVector fields = {arrow::field("id", arrow::int64()), arrow::field("emb", vector)};
  const auto input = BatchOf({{"emb", vector, "[[1, 2], null]"}});
  EXPECT_THAT(ErrorOf(input, SchemaOf(fields)), HasSubstr("reelhouse.null-vectors"));
  EXPECT_TRUE(AlignRows(input, SchemaOf(fields, {{"reelhouse.null-vectors", "true"}}), {}).ok());
}

class AlignVideoRows : public ::testing::Test {
 protected:
  std::string Frame(const std::string& uri, int64_t frame, int64_t offset = 0) const {
    return VideoFrameDescriptor{uri, offset, 100, frame, -1, 0}.Serialize();
  }

  static std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<std::optional<std::string>>& cells) {
    arrow::BinaryBuilder builder;
    for (const auto& cell : cells) {
      EXPECT_TRUE((cell ? builder.Append(*cell) : builder.AppendNull()).ok());
    }
    auto array = builder.Finish().ValueOrDie();
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("video", arrow::binary())}), array->length(), {array});
  }

  TableSchema schema_ = SchemaOf({arrow::field("id", arrow::int64()), arrow::field("video", arrow::large_binary())},
                                 {{"video-frame-field", "video"}});
  ReferencePolicy references_ = {{"/data/wh"}, {"/elsewhere/v.mp4"}};
};

TEST_F(AlignVideoRows, DescriptorsBecomeRunsOfConsecutiveFrames) {
  const auto input = Rows({Frame("/data/wh/a", 3), Frame("/data/wh/a", 4), Frame("/data/wh/a", 6), std::nullopt,
                           std::nullopt, Frame("/data/wh/a", 7), Frame("/data/wh/a", 8, 500), Frame("/data/wh/a", 9)});
  const auto batch = AlignRows(input, schema_, references_).ValueOrDie();
  const auto& runs = batch.videos.at("video");
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[0].first_frame_index, 3);
  EXPECT_EQ(runs[0].row_count, 2);
  EXPECT_EQ(runs[1].first_frame_index, 6);
  EXPECT_EQ(runs[2].payload, nullptr);
  EXPECT_EQ(runs[2].row_count, 2);
  EXPECT_EQ(runs[3].payload, runs[0].payload);
  EXPECT_EQ(runs[4].payload->offset_bytes, 500);
  EXPECT_EQ(runs[5].payload, runs[0].payload);
  EXPECT_EQ(batch.columns->num_columns(), 1) << "a video column is no Arrow column";
}

TEST_F(AlignVideoRows, AVideoColumnThatIsNotNamedHasNoRuns) {
  EXPECT_TRUE(AlignRows(BatchOf({{"id", arrow::int64(), "[1]"}}), schema_, {}).ValueOrDie().videos.empty());
  const auto nulls = AlignRows(BatchOf({{"video", arrow::null(), "[null, null]"}}), schema_, {}).ValueOrDie();
  ASSERT_EQ(nulls.videos.at("video").size(), 1u);
  EXPECT_EQ(nulls.videos.at("video")[0].row_count, 2);
}

TEST_F(AlignVideoRows, RefusesOtherBytes) {
  const std::string text = "Video fields require an exact BlobRef containing a VideoFrameDescriptor.";
  EXPECT_THAT(ErrorOf(Rows({"raw"}), schema_, references_), HasSubstr(text));
  EXPECT_THAT(ErrorOf(Rows({Frame("/data/wh/a", 1) + "z"}), schema_, references_), HasSubstr("trailing bytes"));
  EXPECT_THAT(ErrorOf(Rows({BlobDescriptor{"/data/wh/a", 0, 1}.Serialize()}), schema_, references_), HasSubstr(text));
  EXPECT_THAT(ErrorOf(BatchOf({{"video", arrow::int64(), "[1]"}}), schema_, references_), HasSubstr(text));
}

TEST_F(AlignVideoRows, FollowsReferencesOnlyWhereTheyMayLead) {
  EXPECT_TRUE(AlignRows(Rows({Frame("/elsewhere/v.mp4", 0)}), schema_, references_).ok());
  const std::string error = ErrorOf(Rows({Frame("/data/wh/a", 0), Frame("/data/wh/../x", 0)}), schema_, references_);
  EXPECT_THAT(error, HasSubstr("row 1"));
  EXPECT_THAT(error, HasSubstr("Blob"));
}

}  // namespace
}  // namespace reelhouse
