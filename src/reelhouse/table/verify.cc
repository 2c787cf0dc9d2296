#include "reelhouse/table/verify.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "reelhouse/base/memory_size.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/format/video/video_file_reader.h"
#include "reelhouse/manifest/table_paths.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/read/table_reader.h"
#include "reelhouse/scan/plan.h"

namespace reelhouse {

std::string VerifyReport::ToText() const {
  std::string text = fmt::format("{} snapshot(s), {} file(s), {} video(s), {} row(s), {}: ", snapshots_checked,
                                 files_checked, videos_checked, rows_checked, FormatBytes(bytes_checked));
  if (ok()) return text + "all right\n";
  text += fmt::format("{} problem(s)\n", problems.size());
  for (const Problem& problem : problems) {
    text += fmt::format("snapshot {}: {}: {}\n", problem.snapshot_id, problem.path, problem.text);
  }
  return text;
}

namespace {

/// A walk over all snapshots of a table that looks at each file once.
class TableCheck {
 public:
  TableCheck(const TableContext& table, const VerifyOptions& options) : table_(table), options_(options) {}

  Result<VerifyReport> Run() {
    ARROW_ASSIGN_OR_RAISE(latest_schema_, table_.LatestSchema());
    ARROW_ASSIGN_OR_RAISE(std::vector<int64_t> ids, table_.snapshots->ListIds());
    ARROW_ASSIGN_OR_RAISE(std::optional<int64_t> latest, table_.snapshots->LatestId());
    for (size_t i = 0; i < ids.size(); ++i) {
      if (options_.cancelled) ARROW_RETURN_NOT_OK(options_.cancelled());
      snapshot_id_ = ids[i];
      if (Status status = CheckSnapshot(ids[i] == latest); !status.ok()) {
        if (status.IsCancelled()) return status;
        Report(table_.snapshots->PathOf(ids[i]), status.message());
      }
      ++report_.snapshots_checked;
      if (options_.progress) options_.progress(static_cast<int64_t>(i + 1), static_cast<int64_t>(ids.size()));
    }
    return std::move(report_);
  }

 private:
  void Report(std::string path, std::string text) {
    if (reported_.insert(path + text).second) {
      report_.problems.push_back({snapshot_id_, std::move(path), std::move(text)});
    }
  }

  Status CheckSnapshot(bool is_latest) {
    ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, table_.snapshots->Load(snapshot_id_));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const TableSchema> schema, table_.schemas->Load(snapshot.schema_id));
    PlanRequest request;
    request.snapshot = snapshot;
    request.schema = is_latest ? latest_schema_ : schema;
    ARROW_ASSIGN_OR_RAISE(Plan plan, MakePlan(table_.files, table_.path, *table_.schemas, std::move(request)));
    const TablePaths paths(table_.path, plan.schema);
    for (const Split& split : plan.splits) {
      if (options_.cancelled) ARROW_RETURN_NOT_OK(options_.cancelled());
      for (const auto* files : {&split.normal_files, &split.sidecars}) {
        for (const ManifestEntry& entry : *files) ARROW_RETURN_NOT_OK(CheckFile(paths, entry));
      }
      CheckCoverage(paths, split);
    }
    report_.rows_checked = std::max(report_.rows_checked, CountRows(plan));
    if (options_.deep && is_latest) return ReadEverything(std::move(plan));
    return Status::OK();
  }

  /// A problem of the file is reported; only a cancellation is returned.
  Status CheckFile(const TablePaths& paths, const ManifestEntry& entry) {
    ARROW_ASSIGN_OR_RAISE(std::string path, paths.DataFilePath(entry));
    if (!checked_.insert(path).second) return Status::OK();
    ++report_.files_checked;
    Status status = CheckFileContent(path, entry.file);
    if (status.IsCancelled()) return status;
    if (!status.ok()) Report(path, status.message());
    return Status::OK();
  }

  Status CheckFileContent(const std::string& path, const DataFile& file) {
    ARROW_ASSIGN_OR_RAISE(std::optional<FileEntry> found, table_.files->Stat(path));
    if (!found) return Status::Invalid("the file is missing");
    report_.bytes_checked += found->size_bytes;
    if (found->size_bytes != file.file_size) {
      return Status::Invalid("expected ", file.file_size, " bytes, found ", found->size_bytes);
    }
    int64_t rows = 0;
    switch (file.kind()) {
      case DataFileKind::kVideo: {
        ARROW_ASSIGN_OR_RAISE(VideoFileIndex index, ReadVideoFileIndex(*table_.files, path, file.file_size));
        rows = index.row_count;
        ARROW_RETURN_NOT_OK(CheckVideos(path, index));
        break;
      }
      case DataFileKind::kBlob: {
        ARROW_ASSIGN_OR_RAISE(BlobFileIndex index, ReadBlobFileIndex(*table_.files, path, file.file_size));
        rows = index.row_count();
        break;
      }
      case DataFileKind::kNormal:
      case DataFileKind::kVector: {
        ARROW_ASSIGN_OR_RAISE(auto reader, ParquetFileReader::Open(*table_.files, path, file.file_size));
        rows = reader->row_count();
        break;
      }
    }
    if (rows != file.row_count) {
      return Status::Invalid("the manifest says ", file.row_count, " rows, the file holds ", rows);
    }
    return Status::OK();
  }

  /// Every video opens and has the frames that its rows need; its stored keyframe index is whole.
  Status CheckVideos(const std::string& path, const VideoFileIndex& index) {
    std::vector<int64_t> needed(index.payloads.size(), 0);
    for (const VideoFileIndex::Run& run : index.runs) {
      if (run.payload >= 0) needed[run.payload] = std::max(needed[run.payload], run.first_frame_index + run.row_count);
    }
    ARROW_ASSIGN_OR_RAISE(auto file, table_.files->OpenInput(path));
    for (size_t i = 0; i < index.payloads.size(); ++i) {
      if (options_.cancelled) ARROW_RETURN_NOT_OK(options_.cancelled());
      const VideoFileIndex::Payload& payload = index.payloads[i];
      ++report_.videos_checked;
      VideoBytes video{file, payload.offset_bytes, payload.length_bytes, path};
      ARROW_ASSIGN_OR_RAISE(video.max_pixels, latest_schema_->options.GetInt(kVideoMaxPixelsOption, kDefaultMaxPixels));
      Result<VideoInspection> inspected =
          InspectVideo(video, options_.deep ? VideoValidation::kDecode : VideoValidation::kFrames);
      if (!inspected.ok()) {
        Report(path, fmt::format("video {} at byte {}: {}", i, payload.offset_bytes, inspected.status().message()));
        continue;
      }
      if (inspected->frame_count < needed[i]) {
        Report(path, fmt::format("video {} at byte {} has {} frames, its rows need {}", i, payload.offset_bytes,
                                 inspected->frame_count, needed[i]));
      }
      if (payload.keyframe_index_length_bytes > 0) ARROW_RETURN_NOT_OK(CheckKeyframeIndex(*file, path, payload));
    }
    return Status::OK();
  }

  Status CheckKeyframeIndex(arrow::io::RandomAccessFile& file, const std::string& path,
                            const VideoFileIndex::Payload& payload) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                          file.ReadAt(payload.keyframe_index_offset_bytes, payload.keyframe_index_length_bytes));
    Result<KeyframeIndex> index = KeyframeIndex::Deserialize(bytes->ToString(), payload.length_bytes);
    if (!index.ok()) {
      Report(path, fmt::format("keyframe index at byte {}: {}", payload.keyframe_index_offset_bytes,
                               index.status().message()));
    }
    return Status::OK();
  }

  /// The sidecars of each blob column, and the vector files together, cover all rows of the group.
  void CheckCoverage(const TablePaths& paths, const Split& split) {
    std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> ranges;  // by column or kind
    for (const ManifestEntry& entry : split.sidecars) {
      if (!entry.file.first_row_id) continue;
      std::string key = ".vector";
      if (entry.file.kind() != DataFileKind::kVector) {
        if (!entry.file.write_cols || entry.file.write_cols->empty()) continue;
        key = entry.file.write_cols->front();
      }
      ranges[key].emplace_back(*entry.file.first_row_id, *entry.file.first_row_id + entry.file.row_count);
    }
    for (auto& [column, parts] : ranges) {
      std::sort(parts.begin(), parts.end());
      int64_t covered = split.first_row_id;
      for (const auto& [first, end] : parts) {
        if (first > covered) break;
        covered = std::max(covered, end);
      }
      if (covered < split.first_row_id + split.row_count) {
        Result<std::string> folder = paths.BucketFolder(split.partition, split.bucket);
        Report(folder.ok() ? *folder : table_.path,
               fmt::format("column {}: no file covers row {} of the group {} to {}", column, covered,
                           split.first_row_id, split.first_row_id + split.row_count - 1));
      }
    }
  }

  Status ReadEverything(Plan plan) {
    ReadContext context{
        .files = table_.files, .table_path = table_.path, .schemas = table_.schemas, .roots = table_.roots};
    ReadRequest request;
    request.columns = plan.schema->FieldNames();
    request.cancelled = options_.cancelled;
    const int64_t expected = CountRows(plan);
    TableReader reader(std::move(context), std::move(plan), std::move(request));
    int64_t rows = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, reader.Next());
      if (!batch) break;
      rows += batch->num_rows();
    }
    if (rows != expected) return Status::Invalid("manifests promise ", expected, " rows, a read gave ", rows);
    return Status::OK();
  }

  const TableContext& table_;
  const VerifyOptions& options_;
  std::shared_ptr<const TableSchema> latest_schema_;
  int64_t snapshot_id_ = 0;
  std::set<std::string> checked_;
  std::set<std::string> reported_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> VerifyTable(const TableContext& table, const VerifyOptions& options) {
  return TableCheck(table, options).Run();
}

}  // namespace reelhouse
