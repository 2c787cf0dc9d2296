#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>

#include "cli/commands/commands.h"
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
    "  reelhouse add-images drives cam/*.png --fps 15 --codec libx265 --codec-option crf=20 --rows rows.csv\n";

struct AddImagesOptions {
  std::string table;
  std::vector<std::string> images;
  std::string rows;
  std::string fps;
  std::string codec = "libx264";
  std::string pixel_format;
  int gop_size = 2;
  std::vector<std::string> codec_options;
  std::string orientation = "apply";
  std::string background;
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

Result<std::array<uint8_t, 3>> ParseColour(const std::string& text) {
  const std::vector<std::string> parts = SplitCommaList(text);
  std::array<uint8_t, 3> colour{};
  bool is_valid = parts.size() == colour.size();
  for (size_t i = 0; is_valid && i < colour.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [behind, error] = std::from_chars(parts[i].data(), end, colour[i]);
    is_valid = error == std::errc() && behind == end;
  }
  if (!is_valid) return Status::Invalid("--background: expected r,g,b, each 0 to 255, found ", QuoteForError(text));
  return colour;
}

Result<EncodingOptions> EncodingOf(const AddImagesOptions& options) {
  EncodingOptions encoding;
  ARROW_ASSIGN_OR_RAISE(encoding.fps, ParseFrameRate(options.fps));
  encoding.codec = options.codec;
  if (!options.pixel_format.empty()) encoding.pixel_format = options.pixel_format;
  encoding.gop_size = options.gop_size;
  if (!options.codec_options.empty()) {
    encoding.codec_options.emplace();
    for (const std::string& text : options.codec_options) {
      ARROW_ASSIGN_OR_RAISE(auto option, ParseAssignment(text, "--codec-option"));
      encoding.codec_options->push_back(std::move(option));
    }
  }
  if (options.orientation != "apply" && options.orientation != "ignore") {
    return Status::Invalid("--orientation: expected apply or ignore, found ", QuoteForError(options.orientation));
  }
  encoding.apply_orientation = options.orientation == "apply";
  if (!options.background.empty()) {
    ARROW_ASSIGN_OR_RAISE(encoding.background, ParseColour(options.background));
  }
  ARROW_RETURN_NOT_OK(encoding.Validate());
  return encoding;
}

Result<ExitCode> AddImages(Invocation& invocation, const AddImagesOptions& options) {
  ARROW_ASSIGN_OR_RAISE(EncodingOptions encoding, EncodingOf(options));
  ARROW_ASSIGN_OR_RAISE(Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> files, FilesOfArguments(options.images, kImageFiles));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, table.ArrowSchema());
  ARROW_ASSIGN_OR_RAISE(const RowCompletion completion, RowCompletion::Make(options.extra, *schema));
  const auto file_name = [&files](int64_t row) {
    // More rows than images are refused, but only once they are counted.
    return row < static_cast<int64_t>(files.size()) ? FileNameOf(files[static_cast<size_t>(row)]) : std::string();
  };
  EpisodeInput episode;
  if (options.rows.empty()) {
    ARROW_ASSIGN_OR_RAISE(episode.rows.rows, completion.Generate(static_cast<int64_t>(files.size()), file_name));
  } else {
    ARROW_ASSIGN_OR_RAISE(episode.rows.rows, OpenRowFile(options.rows, schema));
    if (!options.extra.empty()) {
      ARROW_ASSIGN_OR_RAISE(episode.rows.rows, completion.Complete(std::move(episode.rows.rows), file_name));
    }
  }
  episode.cameras[""] = ImageStream{std::make_shared<ImageFiles>(files), std::move(encoding)};

  ARROW_ASSIGN_OR_RAISE(WriteOptions write, options.write.ToWriteOptions());
  write.cancelled = InterruptionCheck();
  const WriteReport report;
  std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("frames");
  write.progress = Invocation::CallbackOf(bar.get());
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> snapshot, table.AddImagesAsVideo(std::move(episode), write));
  bar.reset();
  ARROW_RETURN_NOT_OK(
      report.Print(invocation, table, snapshot, BytesOfFiles(files), static_cast<int64_t>(files.size())));
  return ExitCode::kOk;
}

}  // namespace

void DeclareAddImages(CLI::App& program, CommandBody* chosen) {
  CLI::App* command =
      program.add_subcommand("add-images", "Encode ordered images to one video and add a row for each, in one commit");
  auto options = std::make_shared<AddImagesOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  command
      ->add_option("images", options->images,
                   "Image files, folders, or quoted patterns; in natural order (frame2 before frame10)")
      ->required()
      ->type_name("GLOB|FOLDER|FILE");
  command->add_option("--rows", options->rows, "Parquet, CSV, JSONL or Arrow file with one row an image, in order")
      ->type_name("FILE");
  DeclareExtraColumns(*command, &options->extra);
  command->add_option("--fps", options->fps, "Frames a second: N or N/D, e.g. 30000/1001")
      ->required()
      ->type_name("FPS");
  command->add_option("--codec", options->codec, "FFmpeg encoder")->capture_default_str()->type_name("NAME");
  command->add_option("--pixel-format", options->pixel_format, "FFmpeg pixel format (default yuv420p where it fits)")
      ->type_name("NAME");
  command->add_option("--gop", options->gop_size, "Distance of key frames; small = fast random access")
      ->capture_default_str()
      ->type_name("N");
  AddRepeated(*command, "--codec-option", &options->codec_options,
              "Option of the encoder (libx264 without any: crf=18, preset=fast)")
      ->type_name("KEY=VALUE");
  command->add_option("--orientation", options->orientation, "EXIF orientation: apply or ignore")
      ->capture_default_str()
      ->type_name("MODE");
  command->add_option("--background", options->background, "Colour below transparent pixels")->type_name("R,G,B");
  options->write.Declare(*command, /*with_video_column=*/true);
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return AddImages(invocation, *options); }; });
}

}  // namespace reelhouse::cli
