#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/contact_sheet.h"
#include "cli/file_name_pattern.h"
#include "cli/fitted_frames.h"
#include "cli/input_files.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/row_id_list.h"
#include "cli/table_facts.h"
#include "reelhouse/base/memory_size.h"
#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"
#include "reelhouse/media/picture_writer.h"

namespace reelhouse::cli {

namespace {

constexpr int64_t kMostTiles = 200;
constexpr PictureSize kTileBox = {320, 320};

constexpr char kExamples[] =
    "  reelhouse frames drives --where \"episode = 7\" -o frames --format jpeg\n"
    "  reelhouse frames drives --row-ids 1,2,5-9 -o out --name-by \"{task}/{_ROW_ID:08}\"\n"
    "  reelhouse frames drives --where \"reward > 0.9\" --sheet best.png --columns 6\n";

struct FramesOptions {
  std::string table;
  std::vector<std::string> where;
  std::string row_ids;
  std::string column;
  std::optional<int64_t> limit;
  VersionOptions version;
  std::string folder;
  std::string format = "png";
  std::string pixels = "stored";
  int quality = 90;
  std::string name_by = "{_ROW_ID:08}";
  std::string sheet;
  std::optional<int> columns;
  std::string size;
};

Result<Query> QueryOf(const Table& table, const FramesOptions& options) {
  ARROW_ASSIGN_OR_RAISE(TimeTravel version, options.version.ToTimeTravel());
  Query query = table.Scan(version);
  if (!options.row_ids.empty()) {
    ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> row_ids, ParseRowIds(options.row_ids));
    query = table.TakeRowIds(std::move(row_ids), version);
  }
  for (const std::string& text : options.where) ARROW_RETURN_NOT_OK(query.Where(text));
  query.SetCancellation(InterruptionCheck());
  return query;
}

Result<std::string> VideoColumnOf(const Query& query, const std::string& wanted) {
  ARROW_ASSIGN_OR_RAISE(const Plan plan, query.MakePlan());
  const std::vector<std::string> columns = plan.schema->VideoColumns();
  if (wanted.empty() && columns.size() == 1) return columns.front();
  if (columns.empty()) return Status::Invalid("the table has no video column (option video-frame-field)");
  if (wanted.empty())
    return Status::Invalid("--column is needed, the table has: ", fmt::format("{}", fmt::join(columns, ", ")));
  if (std::find(columns.begin(), columns.end(), wanted) == columns.end()) {
    return Status::Invalid("--column: ", QuoteForError(wanted),
                           " is no video column; the table has: ", fmt::format("{}", fmt::join(columns, ", ")));
  }
  return wanted;
}

Result<FrameFormat::Pixels> ParsePixels(const std::string& text) {
  if (text == "stored") return FrameFormat::Pixels::kStored;
  if (text == "rgb24") return FrameFormat::Pixels::kRgb24;
  if (text == "gray8") return FrameFormat::Pixels::kGray8;
  if (text == "gray16") return FrameFormat::Pixels::kGray16;
  return Status::Invalid("--pixels: expected stored, rgb24, gray8 or gray16, found ", QuoteForError(text));
}

/// How pictures become files.
struct PictureFormat {
  bool is_jpeg = false;
  int quality = 90;
  FrameFormat::Pixels pixels = FrameFormat::Pixels::kRgb24;  ///< of PNG files

  std::string_view suffix() const { return is_jpeg ? ".jpg" : ".png"; }
  Result<std::shared_ptr<arrow::Buffer>> Encode(const DecodedFrame& frame) const {
    return is_jpeg ? EncodeJpeg(frame, quality) : EncodePng(frame, pixels);
  }
};

Result<PictureFormat> PictureFormatOf(const FramesOptions& options) {
  PictureFormat format;
  ARROW_ASSIGN_OR_RAISE(format.pixels, ParsePixels(options.pixels));
  format.is_jpeg = options.format == "jpeg" || options.format == "jpg";
  if (!format.is_jpeg && options.format != "png") {
    return Status::Invalid("--format: expected png or jpeg, found ", QuoteForError(options.format));
  }
  if (format.is_jpeg && format.pixels == FrameFormat::Pixels::kStored) format.pixels = FrameFormat::Pixels::kRgb24;
  if (format.is_jpeg && format.pixels != FrameFormat::Pixels::kRgb24) {
    return Status::Invalid("--pixels: JPEG files take rgb24 only; use --format png");
  }
  format.quality = options.quality;
  if (format.quality < 1 || format.quality > 100) return Status::Invalid("--quality must be 1 to 100");
  return format;
}

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status::IOError(folder, ": ", error.message());
  return Status::OK();
}

/// What became of the rows.
struct ExportCounts {
  std::atomic<int64_t> frames{0};
  std::atomic<int64_t> bytes{0};
  int64_t rows_without_frame = 0;
};

/// Frames on their way into files of their own.
class FrameFiles {
 public:
  FrameFiles(const FramesOptions& options, FileNamePattern pattern, PictureFormat format)
      : folder_(options.folder), pattern_(std::move(pattern)), format_(format) {}

  /// Names for the rows of a batch; their folders are made. Nothing was written if two rows have one name.
  Status Prepare(const arrow::RecordBatch& batch, const arrow::Array& cells) {
    paths_.assign(static_cast<size_t>(batch.num_rows()), "");
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (cells.IsNull(row)) continue;
      ARROW_ASSIGN_OR_RAISE(std::string name, pattern_.NameOf(batch, row));
      std::string path = JoinLocation(folder_, name + std::string(format_.suffix()));
      if (!taken_.insert(path).second) {
        return Status::Invalid("--name-by: two frames would be called ", QuoteForError(path), "; add {_ROW_ID}");
      }
      const std::string parent = ParentLocation(path);
      if (folders_.insert(parent).second) ARROW_RETURN_NOT_OK(MakeFolder(parent));
      paths_[static_cast<size_t>(row)] = std::move(path);
    }
    return Status::OK();
  }

  Status Write(int64_t row, const DecodedFrame& frame, ExportCounts* counts) const {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bytes, format_.Encode(frame));
    ARROW_RETURN_NOT_OK(WriteWholeFile(paths_[static_cast<size_t>(row)], std::string_view(*bytes)));
    ++counts->frames;
    counts->bytes += bytes->size();
    return Status::OK();
  }

 private:
  const std::string folder_;
  const FileNamePattern pattern_;
  const PictureFormat format_;
  std::vector<std::string> paths_;
  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> folders_;
};

Result<ExitCode> NothingFound(Invocation& invocation) {
  nlohmann::ordered_json json;
  json["frames"] = 0;
  ARROW_RETURN_NOT_OK(invocation.PrintResult(json, "no frames: no row fits, or their video cells are NULL"));
  return ExitCode::kProblems;
}

Result<ExitCode> ExportFiles(Invocation& invocation, const Table& table, Query query, const std::string& column,
                             const FramesOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const PictureFormat format, PictureFormatOf(options));
  ARROW_ASSIGN_OR_RAISE(FileNamePattern pattern, FileNamePattern::Parse(options.name_by));
  std::optional<PictureSize> box;
  if (!options.size.empty()) {
    ARROW_ASSIGN_OR_RAISE(box, ParsePictureSize(options.size));
  }
  std::vector<std::string> columns = {column, std::string(kRowIdColumn)};
  for (const std::string& name : pattern.columns()) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  }
  ARROW_RETURN_NOT_OK(query.Select(std::move(columns)));
  query.Limit(options.limit);
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> rows, query.ToReader());
  FrameReader reader(table.context()->files, table.context()->roots);
  FrameRequest request;
  ARROW_ASSIGN_OR_RAISE(request.max_pixels, MostPixelsOfFrames(table));
  request.format.pixels = format.pixels;
  // A mean of two depths, or of two ids, is neither.
  if (format.pixels == FrameFormat::Pixels::kGray16) request.format.scaler = FrameFormat::Scaler::kNearest;
  request.cancelled = InterruptionCheck();
  FrameFiles files(options, std::move(pattern), format);
  ExportCounts counts;
  int64_t rows_read = 0;
  const std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("frames");
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows->ReadNext(&batch));
    if (!batch) break;
    const arrow::Array& cells = *batch->column(0);
    counts.rows_without_frame += cells.null_count();
    rows_read += batch->num_rows() - cells.null_count();
    ARROW_RETURN_NOT_OK(files.Prepare(*batch, cells));
    const auto& row_ids = static_cast<const arrow::Int64Array&>(*batch->column(1));
    ARROW_RETURN_NOT_OK(
        ReadFittedFrames(reader, cells, row_ids, request, box, [&](int64_t row, const DecodedFrame& frame) -> Status {
          ARROW_RETURN_NOT_OK(files.Write(row, frame, &counts));
          if (bar) bar->Show(counts.frames, rows_read);
          return Status::OK();
        }));
  }
  if (counts.frames == 0) return NothingFound(invocation);
  nlohmann::ordered_json json;
  json["folder"] = options.folder;
  json["frames"] = counts.frames.load();
  json["rows_without_frame"] = counts.rows_without_frame;
  json["bytes"] = counts.bytes.load();
  ARROW_RETURN_NOT_OK(invocation.PrintDone(
      json, fmt::format("{}, {} in {}", Counted(counts.frames, "frame"), FormatBytes(counts.bytes), options.folder)));
  return ExitCode::kOk;
}

/// The rows of a sheet: their cells and row ids, rows without a frame left out.
struct SheetRows {
  std::shared_ptr<arrow::Array> cells;
  std::shared_ptr<arrow::Array> row_ids;
  bool has_more = false;
};

Result<SheetRows> ReadSheetRows(Query query, const std::string& column, int64_t most_tiles) {
  ARROW_RETURN_NOT_OK(query.Select({column, std::string(kRowIdColumn)}));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> rows, query.ToReader());
  arrow::LargeBinaryBuilder cells;
  arrow::Int64Builder row_ids;
  SheetRows sheet;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (!sheet.has_more) {
    ARROW_RETURN_NOT_OK(rows->ReadNext(&batch));
    if (!batch) break;
    const auto& batch_cells = static_cast<const arrow::LargeBinaryArray&>(*batch->column(0));
    for (int64_t row = 0; row < batch->num_rows() && !sheet.has_more; ++row) {
      if (batch_cells.IsNull(row)) continue;
      sheet.has_more = cells.length() == most_tiles;
      if (sheet.has_more) break;
      ARROW_RETURN_NOT_OK(cells.Append(batch_cells.GetView(row)));
      ARROW_RETURN_NOT_OK(row_ids.Append(static_cast<const arrow::Int64Array&>(*batch->column(1)).Value(row)));
    }
  }
  ARROW_ASSIGN_OR_RAISE(sheet.cells, cells.Finish());
  ARROW_ASSIGN_OR_RAISE(sheet.row_ids, row_ids.Finish());
  return sheet;
}

Result<ExitCode> ExportSheet(Invocation& invocation, const Table& table, const Query& query, const std::string& column,
                             const FramesOptions& options) {
  PictureFormat format;
  const std::string suffix = SuffixOf(options.sheet);
  format.is_jpeg = suffix == "jpg" || suffix == "jpeg";
  if (!format.is_jpeg && suffix != "png") {
    return Status::Invalid("--sheet: expected a name that ends with .png or .jpg, found ",
                           QuoteForError(options.sheet));
  }
  if (options.columns && *options.columns < 1) return Status::Invalid("--columns must be 1 or more");
  PictureSize box = kTileBox;
  if (!options.size.empty()) {
    ARROW_ASSIGN_OR_RAISE(box, ParsePictureSize(options.size));
  }
  ARROW_ASSIGN_OR_RAISE(const SheetRows rows, ReadSheetRows(query, column, options.limit.value_or(kMostTiles)));
  const int64_t tiles = rows.cells->length();
  if (tiles == 0) return NothingFound(invocation);

  FrameReader reader(table.context()->files, table.context()->roots);
  FrameRequest request;
  ARROW_ASSIGN_OR_RAISE(request.max_pixels, MostPixelsOfFrames(table));
  request.format.scaler = FrameFormat::Scaler::kArea;
  request.cancelled = InterruptionCheck();
  ARROW_ASSIGN_OR_RAISE(const std::optional<PictureSize> first, SizeOfFirstFrame(reader, *rows.cells, request));
  // Without a wish the tiles have the shape of the first picture; others are centred.
  const PictureSize tile = options.size.empty() && first ? FitInto(*first, box) : box;
  const int columns = options.columns.value_or(ContactSheet::ColumnsFor(tiles, tile));
  ARROW_ASSIGN_OR_RAISE(ContactSheet sheet, ContactSheet::Make(tiles, columns, tile));
  const std::unique_ptr<ProgressBar> bar = invocation.MakeProgressBar("frames");
  std::atomic<int64_t> done{0};
  ARROW_RETURN_NOT_OK(ReadFittedFrames(reader, *rows.cells, static_cast<const arrow::Int64Array&>(*rows.row_ids),
                                       request, tile, [&](int64_t row, const DecodedFrame& frame) -> Status {
                                         ARROW_RETURN_NOT_OK(sheet.Place(row, frame));
                                         if (bar) bar->Show(++done, tiles);
                                         return Status::OK();
                                       }));
  const PictureSize size = sheet.size();
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bytes, format.Encode(std::move(sheet).TakePicture()));
  ARROW_RETURN_NOT_OK(WriteWholeFile(options.sheet, std::string_view(*bytes)));
  nlohmann::ordered_json json;
  json["file"] = options.sheet;
  json["frames"] = tiles;
  json["has_more"] = rows.has_more;
  json["width"] = size.width;
  json["height"] = size.height;
  json["bytes"] = bytes->size();
  const std::string more = rows.has_more && !options.limit ? " (more rows fit: --limit N)" : "";
  ARROW_RETURN_NOT_OK(
      invocation.PrintDone(json, fmt::format("{}{}, {}x{} pixels, {} in {}", Counted(tiles, "frame"), more, size.width,
                                             size.height, FormatBytes(bytes->size()), options.sheet)));
  return ExitCode::kOk;
}

Result<ExitCode> Frames(Invocation& invocation, const FramesOptions& options) {
  if (options.folder.empty() == options.sheet.empty()) {
    return Status::Invalid("give either -o FOLDER for one file a frame, or --sheet FILE.png for one picture of all");
  }
  ARROW_ASSIGN_OR_RAISE(const Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const Query query, QueryOf(table, options));
  ARROW_ASSIGN_OR_RAISE(const std::string column, VideoColumnOf(query, options.column));
  if (!options.sheet.empty()) return ExportSheet(invocation, table, query, column, options);
  return ExportFiles(invocation, table, query, column, options);
}

}  // namespace

void DeclareFrames(CLI::App& program, CommandBody* chosen) {
  CLI::App* command =
      program.add_subcommand("frames", "Write the frames of rows as PNG or JPEG files, or as one sheet");
  auto options = std::make_shared<FramesOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  AddRepeated(*command, "--where,-w", &options->where, "Filter; several are ANDed")->type_name("FILTER");
  command->add_option("--row-ids", options->row_ids, "Rows by id, as in 1,2,5-9")->type_name("LIST");
  command->add_option("--column", options->column, "Video column; needed where the table has several")
      ->type_name("COLUMN");
  command->add_option("--limit,-n", options->limit, "At most this many rows (a sheet without it: 200)")->type_name("N");
  options->version.Declare(*command);
  command->add_option("--output,-o", options->folder, "Folder for one file a frame; made if it is not there")
      ->type_name("FOLDER");
  command->add_option("--format,-f", options->format, "png or jpeg")->capture_default_str()->type_name("FORMAT");
  command->add_option("--quality", options->quality, "Of JPEG, 1 to 100")->capture_default_str()->type_name("N");
  command
      ->add_option("--pixels", options->pixels,
                   "stored (depth as 16-bit grey, grey as grey, else RGB), rgb24, gray8 or gray16")
      ->capture_default_str()
      ->type_name("FORMAT");
  command
      ->add_option("--name-by", options->name_by,
                   "Name of a file, with columns as {column} or with zeros in front {column:08}; / makes folders")
      ->capture_default_str()
      ->type_name("PATTERN");
  command->add_option("--sheet", options->sheet, "One PNG or JPEG picture of all frames, side by side")
      ->type_name("FILE");
  command->add_option("--columns", options->columns, "Tiles in a row of the sheet")->type_name("N");
  command
      ->add_option("--size", options->size, "Largest size of a frame, its shape is kept (a sheet without it: 320x320)")
      ->type_name("HEIGHTxWIDTH");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return Frames(invocation, *options); }; });
}

}  // namespace reelhouse::cli
