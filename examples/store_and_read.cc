// Stores a folder of camera pictures as a video column with one row a picture, then reads some frames back.
//
//   store_and_read PICTURES WAREHOUSE OUTPUT
//
// PICTURES is a folder of images (JPEG, PNG, ...) of one size, taken in the order of their names; WAREHOUSE is made if
// it is not there; the frames read back go to OUTPUT as PNG files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <arrow/api.h>

#include "reelhouse/media/picture_writer.h"
#include "reelhouse/reelhouse.h"

namespace {

namespace fs = std::filesystem;

/// The files of a folder, one after another. They are read and decoded on worker threads.
class Pictures final : public reelhouse::ImageSource {
 public:
  explicit Pictures(const std::string& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) paths_.push_back(entry.path().string());
    std::sort(paths_.begin(), paths_.end());
  }
  reelhouse::Result<std::optional<reelhouse::ImageInput>> Next() override {
    if (next_ == paths_.size()) return std::nullopt;
    return reelhouse::ImagePath{paths_[next_++]};
  }
  int64_t size_hint() const override { return static_cast<int64_t>(paths_.size()); }

 private:
  std::vector<std::string> paths_;
  size_t next_ = 0;
};

/// What was measured beside the pictures: one row each.
arrow::Result<std::shared_ptr<arrow::Table>> MakeRows(const std::string& episode, int64_t count) {
  arrow::StringBuilder episodes;
  arrow::Int64Builder steps;
  arrow::DoubleBuilder speeds;
  for (int64_t step = 0; step < count; ++step) {
    ARROW_RETURN_NOT_OK(episodes.Append(episode));
    ARROW_RETURN_NOT_OK(steps.Append(step));
    ARROW_RETURN_NOT_OK(speeds.Append(0.5 * static_cast<double>(step)));
  }
  ARROW_ASSIGN_OR_RAISE(auto episode_array, episodes.Finish());
  ARROW_ASSIGN_OR_RAISE(auto step_array, steps.Finish());
  ARROW_ASSIGN_OR_RAISE(auto speed_array, speeds.Finish());
  auto schema = arrow::schema({arrow::field("episode", arrow::utf8()), arrow::field("step", arrow::int64()),
                               arrow::field("speed", arrow::float64())});
  return arrow::Table::Make(schema, {episode_array, step_array, speed_array});
}

// [readme]
/// One video and its rows, in one commit: all of it is there afterwards, or nothing.
arrow::Result<reelhouse::Table> Store(const std::string& folder, const std::string& warehouse) {
  ARROW_ASSIGN_OR_RAISE(auto connection, reelhouse::Connection::Open({{"warehouse", warehouse}}, "robots"));
  auto schema = arrow::schema({arrow::field("episode", arrow::utf8()), arrow::field("step", arrow::int64()),
                               arrow::field("speed", arrow::float64()), arrow::field("camera", arrow::large_binary())});
  reelhouse::CreateTableOptions options;
  options.options = {{"video-frame-field", "camera"}};
  options.ignore_if_exists = true;
  ARROW_ASSIGN_OR_RAISE(reelhouse::Table table, connection->CreateTable("frames", *schema, options));

  auto pictures = std::make_shared<Pictures>(folder);
  ARROW_ASSIGN_OR_RAISE(auto rows, MakeRows("kitchen-1", pictures->size_hint()));
  reelhouse::EpisodeInput episode;
  episode.cameras["camera"] = {.images = pictures, .encoding = {.fps = {30, 1}}};
  episode.rows = {.rows = std::make_shared<arrow::TableBatchReader>(rows)};
  ARROW_RETURN_NOT_OK(table.AddImagesAsVideo(std::move(episode)));
  return table;
}

/// The frames of the rows that a filter keeps, exact and in the order of the rows.
arrow::Result<std::vector<std::optional<reelhouse::DecodedFrame>>> Read(const reelhouse::Table& table) {
  reelhouse::Query query = table.Scan();
  ARROW_RETURN_NOT_OK(query.Where("episode = 'kitchen-1' AND speed >= 1.0"));
  query.Limit(4);
  return query.ReadFrames("camera", {});
}
// [readme]

arrow::Status Save(const reelhouse::DecodedFrame& frame, const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(auto png, reelhouse::EncodePng(frame, reelhouse::FrameFormat::Pixels::kRgb24));
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(png->data()), png->size());
  return file.flush() ? arrow::Status::OK() : arrow::Status::IOError(path.string(), ": cannot be written");
}

arrow::Status Run(const std::string& pictures, const std::string& warehouse, const fs::path& output) {
  ARROW_ASSIGN_OR_RAISE(reelhouse::Table table, Store(pictures, warehouse));
  ARROW_ASSIGN_OR_RAISE(auto frames, Read(table));
  fs::create_directories(output);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i]) ARROW_RETURN_NOT_OK(Save(*frames[i], output / ("frame-" + std::to_string(i) + ".png")));
  }
  ARROW_ASSIGN_OR_RAISE(int64_t rows, table.Scan().Count());
  std::cout << rows << " rows in " << table.identifier().ToText() << ", " << frames.size() << " frames in "
            << output.string() << "\n";
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: store_and_read PICTURES WAREHOUSE OUTPUT\n";
    return EXIT_FAILURE;
  }
  arrow::Status status = Run(argv[1], argv[2], argv[3]);
  if (!status.ok()) std::cerr << "error: " << status.ToString() << "\n";
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
