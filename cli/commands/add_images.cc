#include <memory>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>

#include "cli/commands/commands.h"
#include "cli/encoding_choices.h"
#include "cli/input_files.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/row_files.h"
#include "cli/write_report.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse add-images drives camera/ --rows states.parquet --fps 30\n"
    "  reelhouse add-images drives 'cam/frame*.jpg' --fps 30000/1001 --value episode=7 --index-column idx\n"
    "  reelhouse add-images drives cam/*.png --fps 15 --codec libx265 --codec-option crf=20 --rows rows.csv\n"
    "  reelhouse add-images drives --camera front=front/ --camera depth=depth/ --fps 30 --codec front=libx265\n";

struct AddImagesOptions {
  std::string table;
  std::vector<std::string> images;
  std::vector<std::string> cameras;
  std::string rows;
  EncodingChoices encoding;
  ExtraColumns extra;
  WriteChoices write;
};

/// Image files one after another.
class ImageFiles final : public ImageSource {
 public:
  explicit ImageFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  Result<std::optional<ImageInput>> Next() override {
    if (next_ == paths_.size()) return std::nullopt;
    return ImagePath{paths_[next_++]};
  }

  int64_t size_hint() const override { return static_cast<int64_t>(paths_.size()); }

 private:
  const std::vector<std::string> paths_;
  size_t next_ = 0;
};

/// The images of one camera and the video column that they are for; without a name the only one of the table.
struct CameraFiles {
  std::string column;
  std::vector<std::string> files;
};

Result<std::vector<CameraFiles>> CamerasOf(const AddImagesOptions& options) {
  if (options.cameras.empty() == options.images.empty()) {
    return Status::Invalid("give either images of one camera, or --camera COLUMN=FOLDER for each of several");
  }
  std::vector<CameraFiles> cameras;
  if (options.cameras.empty()) {
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> files, FilesOfArguments(options.images, kImageFiles));
    cameras.push_back({"", std::move(files)});
    return cameras;
  }
  if (!options.write.video_column.empty()) {
    return Status::Invalid("--video-column: the columns are those of --camera, found both");
  }
  for (const std::string& text : options.cameras) {
    ARROW_ASSIGN_OR_RAISE(auto camera, ParseAssignment(text, "--camera"));
    auto& [column, place] = camera;
    for (const CameraFiles& other : cameras) {
      if (other.column == column) return Status::Invalid("--camera: ", QuoteForError(column), " is given twice");
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> files, FilesOfArguments({place}, kImageFiles));
    cameras.push_back({column, std::move(files)});
  }
  return cameras;
}

Result<ExitCode> AddImages(Invocation& invocation, const AddImagesOptions& options) {
  std::vector<std::string> columns;
  for (const std::string& text : options.cameras) columns.push_back(text.substr(0, text.find('=')));
  EpisodeInput episode;
  for (const std::string& column : columns.empty() ? std::vector<std::string>{""} : columns) {
    ARROW_ASSIGN_OR_RAISE(episode.cameras[column].encoding, options.encoding.ForCamera(column, columns));
  }
  ARROW_ASSIGN_OR_RAISE(Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const std::vector<CameraFiles> cameras, CamerasOf(options));
  const std::vector<std::string>& files = cameras.front().files;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, table.ArrowSchema());
  ARROW_ASSIGN_OR_RAISE(const RowCompletion completion, RowCompletion::Make(options.extra, *schema));
  const auto file_name = [&files](int64_t row) {
    // More rows than images are refused, but only once they are counted.
    return row < static_cast<int64_t>(files.size()) ? FileNameOf(files[static_cast<size_t>(row)]) : std::string();
  };
  if (options.rows.empty()) {
    ARROW_ASSIGN_OR_RAISE(episode.rows.rows, completion.Generate(static_cast<int64_t>(files.size()), file_name));
  } else {
    ARROW_ASSIGN_OR_RAISE(episode.rows.rows, OpenRowFile(options.rows, schema));
    if (!options.extra.empty()) {
      ARROW_ASSIGN_OR_RAISE(episode.rows.rows, completion.Complete(std::move(episode.rows.rows), file_name));
    }
  }
  int64_t file_count = 0, file_bytes = 0;
  for (const CameraFiles& camera : cameras) {
    episode.cameras[camera.column].images = std::make_shared<ImageFiles>(camera.files);
    file_count += static_cast<int64_t>(camera.files.size());
    file_bytes += BytesOfFiles(camera.files);
  }

  ARROW_ASSIGN_OR_RAISE(WriteOptions write, options.write.ToWriteOptions());
  write.cancelled = InterruptionCheck();
  const WriteReport report;
  std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("frames");
  write.progress = Invocation::CallbackOf(bar.get());
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> snapshot, table.AddImagesAsVideo(std::move(episode), write));
  bar.reset();
  ARROW_RETURN_NOT_OK(report.Print(invocation, table, snapshot, file_bytes, file_count));
  return ExitCode::kOk;
}

}  // namespace

void DeclareAddImages(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand(
      "add-images", "Encode ordered images to one video a camera and add a row for each, in one commit");
  auto options = std::make_shared<AddImagesOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  command
      ->add_option("images", options->images,
                   "Image files, folders, or quoted patterns; in natural order (frame2 before frame10)")
      ->type_name("GLOB|FOLDER|FILE");
  AddRepeated(
      *command, "--camera", &options->cameras,
      "Images of one of several cameras, encoded side by side: a folder, file or quoted pattern for a video column")
      ->type_name("COLUMN=GLOB|FOLDER|FILE");
  command->add_option("--rows", options->rows, "Parquet, CSV, JSONL or Arrow file with one row an image, in order")
      ->type_name("FILE");
  DeclareExtraColumns(*command, &options->extra);
  options->encoding.Declare(*command);
  options->write.Declare(*command, /*with_video_column=*/true);
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return AddImages(invocation, *options); }; });
}

}  // namespace reelhouse::cli
