#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/reelhouse.h"

namespace reelhouse {
namespace {

constexpr int kWidth = 64, kHeight = 48;
constexpr int kThreads = 4;

/// Gray pictures whose brightness tells their number.
class NumberedPictures final : public ImageSource {
 public:
  explicit NumberedPictures(int count) : count_(count) {}

  Result<std::optional<ImageInput>> Next() override {
    if (next_ == count_) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> pixels, arrow::AllocateBuffer(kWidth * kHeight));
    std::fill_n(pixels->mutable_data(), pixels->size(), static_cast<uint8_t>(20 + 10 * next_++));
    return RawImage{std::move(pixels), RawImage::Layout::kGray8, kWidth, kHeight, kWidth};
  }

 private:
  int count_;
  int next_ = 0;
};

RowInput Rows(int64_t first, int64_t count) {
  arrow::Int64Builder ids;
  arrow::StringBuilder tasks;
  for (int64_t id = first; id < first + count; ++id) {
    EXPECT_TRUE(ids.Append(id).ok());
    EXPECT_TRUE(tasks.Append("task " + std::to_string(id % 3)).ok());
  }
  auto schema = arrow::schema({arrow::field("id", arrow::int64()), arrow::field("task", arrow::utf8())});
  auto batch = arrow::RecordBatch::Make(schema, count, {ids.Finish().ValueOrDie(), tasks.Finish().ValueOrDie()});
  return RowInput{arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie()};
}

EpisodeInput TwoCameras(int64_t first, int frames) {
  EpisodeInput episode;
  EncodingOptions encoding;
  encoding.fps = {30, 1};
  encoding.codec_options.emplace().emplace_back("preset", "ultrafast");
  for (const char* camera : {"front", "wrist"}) {
    episode.cameras[camera] = {std::make_shared<NumberedPictures>(frames), encoding};
  }
  episode.rows = Rows(first, frames);
  return episode;
}

int NumberShown(const DecodedFrame& frame) { return (frame.pixels->data()[kWidth * kHeight / 2] - 15) / 10; }

void InThreads(const std::function<void(int)>& work) {
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Journey : public testing::Test {
 protected:
  static constexpr int kFrames = 8;

  void SetUp() override {
    auto columns =
        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("task", arrow::utf8()),
                       arrow::field("front", arrow::large_binary()), arrow::field("wrist", arrow::large_binary())});
    CreateTableOptions options;
    options.options = {{"video-frame-field", "front,wrist"}};
    auto connection =
        Connection::Open({{"warehouse", folder_.path()}, {"commit.fsync", "false"}}, "robots").ValueOrDie();
    table_.emplace(connection->CreateTable("frames", *columns, options).ValueOrDie());
    ASSERT_TRUE(table_->AddImagesAsVideo(TwoCameras(0, kFrames)).ok());
    int made = 0;
    EpisodeInputs episodes;
    episodes.next = [&]() -> Result<std::optional<EpisodeInput>> {
      if (made == 3) return std::nullopt;
      return TwoCameras(kFrames * ++made, kFrames);
    };
    ASSERT_TRUE(table_->AddImagesAsVideos(std::move(episodes)).ok());
  }

  Status AddVideos(int64_t first) {
    int made = 0;
    WriteOptions options;
    options.video_column = "front";
    return table_
        ->AddVideos(
            [&]() -> Result<std::optional<VideoInput>> {
              constexpr const char* kVideos[] = {"bframes.mp4", "fragmented.mp4", "open_gop264.mp4"};
              if (made == 3) return std::nullopt;
              VideoInput item;
              item.video = VideoFromPath(std::string(REELHOUSE_SOURCE_DIR "/tests/data/videos/") + kVideos[made]);
              item.rows = Rows(first + made * 4, 4);
              ++made;
              return item;
            },
            options)
        .status();
  }

  // Each camera shows the number of the frame in its episode.
  void CheckFrames(int64_t first, int64_t last, const std::string& camera) {
    Query query = table_->Scan();
    ASSERT_TRUE(query.Where("id BETWEEN " + std::to_string(first) + " AND " + std::to_string(last)).ok());
    FrameRequest request;
    request.format.pixels = FrameFormat::Pixels::kGray8;
    auto frames = query.ReadFrames(camera, request);
    ASSERT_TRUE(frames.ok()) << frames.status();
    ASSERT_EQ(static_cast<int64_t>(frames->size()), last - first + 1);
    for (size_t i = 0; i < frames->size(); ++i) {
      ASSERT_TRUE((*frames)[i].has_value());
      EXPECT_EQ(NumberShown(*(*frames)[i]), (first + static_cast<int64_t>(i)) % kFrames);
    }
  }

  TemporaryFolder folder_ = TemporaryFolder::Make("journey").ValueOrDie();
  std::optional<Table> table_;
};

TEST_F(Journey, FourThreadsScanAndDecodeFromOneTableObject) {
  InThreads([this](int thread) {
    for (int round = 0; round < 3; ++round) {
      const int64_t first = (thread * 5 + round * 7) % (3 * kFrames);
      CheckFrames(first, first + 5, thread % 2 == 0 ? "front" : "wrist");
      EXPECT_EQ(table_->Scan().Count().ValueOrDie(), 4 * kFrames);
      auto rows = table_->Scan().ToTable();
      ASSERT_TRUE(rows.ok()) << rows.status();
      EXPECT_EQ((*rows)->num_rows(), 4 * kFrames);
    }
  });
}

TEST_F(Journey, AppendsOfEveryKindFromFourThreadsAllLandWhileOthersScan) {
  std::atomic<bool> is_done = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      int64_t seen = 0;
      while (!is_done) {
        const int64_t rows = table_->Scan().ToTable().ValueOrDie()->num_rows();
        EXPECT_GE(rows, seen);
        EXPECT_EQ(rows % 4, 0) << "a part of a commit was seen";
        seen = rows;
        CheckFrames(0, 3, "wrist");
      }
    });
  }
  InThreads([this](int thread) {
    const int64_t first = 1000 * (thread + 1);
    Status status;
    switch (thread) {
      case 0:
        status = table_->AddImagesAsVideo(TwoCameras(first, kFrames)).status();
        break;
      case 1:
        status = AddVideos(first);
        break;
      default:
        for (int i = 0; i < 3 && status.ok(); ++i) status = table_->Add(Rows(first + 4 * i, 4)).status();
        break;
    }
    EXPECT_TRUE(status.ok()) << status;
  });
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(table_->Scan().Count().ValueOrDie(), 4 * kFrames + kFrames + 12 + 12 + 12);
  const VerifyReport report = table_->Verify({.deep = true}).ValueOrDie();
  EXPECT_TRUE(report.ok()) << report.ToText();
}

TEST_F(Journey, OneFrameReaderServesFourThreads) {
  auto rows = table_->Scan().ToTable().ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  FrameReader reader(table_->context()->files, table_->context()->roots);
  InThreads([&](int thread) {
    FrameRequest request;
    request.format.pixels = FrameFormat::Pixels::kGray8;
    const auto cells = rows->GetColumnByName(thread % 2 == 0 ? "front" : "wrist")->Slice(thread * 4, 12);
    auto frames = reader.Read(*cells, nullptr, request);
    ASSERT_TRUE(frames.ok()) << frames.status();
    for (size_t i = 0; i < frames->size(); ++i) {
      EXPECT_EQ(NumberShown(*(*frames)[i]), (thread * 4 + static_cast<int>(i)) % kFrames);
    }
  });
}

TEST_F(Journey, ALongReadThatIsGivenUpLeavesTheTableAsItWas) {
  InThreads([this](int) {
    Query query = table_->Scan();
    std::atomic<int> asked = 0;
    query.SetCancellation([&asked] { return ++asked > 2 ? Status::Cancelled("enough") : Status::OK(); });
    FrameRequest request;
    request.cancelled = [&asked] { return ++asked > 4 ? Status::Cancelled("enough") : Status::OK(); };
    auto frames = query.ReadFrames("front", request);
    EXPECT_TRUE(frames.ok() || frames.status().IsCancelled()) << frames.status();
    auto reader = table_->Scan().ToReader();
    ASSERT_TRUE(reader.ok()) << reader.status();
    std::shared_ptr<arrow::RecordBatch> batch;
    EXPECT_TRUE((*reader)->ReadNext(&batch).ok());
  });
  CheckFrames(0, kFrames - 1, "front");
}

}  // namespace
}  // namespace reelhouse
