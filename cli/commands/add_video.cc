#include <memory>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>

#include "cli/commands/commands.h"
#include "cli/input_files.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/row_files.h"
#include "cli/table_facts.h"
#include "cli/write_report.h"
#include "reelhouse/media/video_inspection.h"

namespace reelhouse::cli {

namespace {

constexpr char kExamples[] =
    "  reelhouse add-video drives run7.mp4 --rows run7.parquet\n"
    "  reelhouse add-video drives 'clips/*.mp4' --index-column idx --file-column clip --value task=\"pick up\"\n";

struct AddVideoOptions {
  std::string table;
  std::vector<std::string> videos;
  std::string rows;
  int64_t first_frame = 0;
  ExtraColumns extra;
  WriteChoices write;
};

/// Number of rows for a video that comes without any: its presentable frames from `first_frame` on.
Result<int64_t> CountFrames(const Table& table, const std::string& path, int64_t first_frame) {
  VideoBytes video;
  ARROW_ASSIGN_OR_RAISE(video.max_pixels, MostPixelsOfFrames(table));
  ARROW_ASSIGN_OR_RAISE(video.file, MakeLocalFileStore()->OpenInput(path));
  ARROW_ASSIGN_OR_RAISE(video.length_bytes, video.file->GetSize());
  video.name = path;
  ARROW_ASSIGN_OR_RAISE(const VideoInspection inspection, InspectVideo(video, VideoValidation::kFrames));
  if (inspection.frame_count <= first_frame) {
    return Status::Invalid(path, ": has ", inspection.frame_count, " frames, none from --first-frame ", first_frame);
  }
  return inspection.frame_count - first_frame;
}

Result<RowInput> RowsOf(const Table& table, const AddVideoOptions& options, const std::string& path,
                        const RowCompletion& completion, const std::shared_ptr<arrow::Schema>& schema) {
  const auto file_name = [name = FileNameOf(path)](int64_t) { return name; };
  RowInput input;
  if (options.rows.empty()) {
    ARROW_ASSIGN_OR_RAISE(const int64_t frames, CountFrames(table, path, options.first_frame));
    ARROW_ASSIGN_OR_RAISE(input.rows, completion.Generate(frames, file_name));
    return input;
  }
  ARROW_ASSIGN_OR_RAISE(input.rows, OpenRowFile(options.rows, schema));
  if (!options.extra.empty()) {
    ARROW_ASSIGN_OR_RAISE(input.rows, completion.Complete(std::move(input.rows), file_name));
  }
  return input;
}

Result<ExitCode> AddVideo(Invocation& invocation, const AddVideoOptions& options) {
  if (options.first_frame < 0) return Status::Invalid("--first-frame must be 0 or more");
  ARROW_ASSIGN_OR_RAISE(Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> files, FilesOfArguments(options.videos, kVideoFiles));
  if (!options.rows.empty() && files.size() > 1) {
    return Status::Invalid("--rows: one file of rows belongs to one video, but ", files.size(), " videos were given");
  }
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, table.ArrowSchema());
  ARROW_ASSIGN_OR_RAISE(const RowCompletion completion, RowCompletion::Make(options.extra, *schema));

  size_t next = 0;
  const VideoInputs inputs = [&]() -> Result<std::optional<VideoInput>> {
    if (next == files.size()) return std::nullopt;
    const std::string& path = files[next++];
    VideoInput input;
    ARROW_ASSIGN_OR_RAISE(input.rows, RowsOf(table, options, path, completion, schema));
    input.video = VideoFromPath(path);
    input.first_frame = options.first_frame;
    return input;
  };
  ARROW_ASSIGN_OR_RAISE(WriteOptions write, options.write.ToWriteOptions());
  write.cancelled = InterruptionCheck();
  const WriteReport report;
  std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("frames");
  write.progress = Invocation::CallbackOf(bar.get());
  ARROW_ASSIGN_OR_RAISE(const std::optional<Snapshot> snapshot, table.AddVideos(inputs, write));
  bar.reset();
  ARROW_RETURN_NOT_OK(
      report.Print(invocation, table, snapshot, BytesOfFiles(files), static_cast<int64_t>(files.size())));
  return ExitCode::kOk;
}

}  // namespace

void DeclareAddVideo(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand(
      "add-video", "Copy encoded videos into a table as they are and add a row for each frame, in one commit");
  auto options = std::make_shared<AddVideoOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  command->add_option("videos", options->videos, "Video files, folders, or quoted patterns")
      ->required()
      ->type_name("GLOB|FOLDER|FILE");
  command
      ->add_option("--rows", options->rows,
                   "Rows for one video, the first for frame --first-frame; without it every frame gets a row")
      ->type_name("FILE");
  command->add_option("--first-frame", options->first_frame, "Frame of the first row")
      ->capture_default_str()
      ->type_name("N");
  DeclareExtraColumns(*command, &options->extra);
  options->write.Declare(*command, /*with_video_column=*/true);
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return AddVideo(invocation, *options); }; });
}

}  // namespace reelhouse::cli
