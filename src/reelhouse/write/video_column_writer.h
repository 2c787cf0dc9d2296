#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/format/video/video_file_writer.h"
#include "reelhouse/media/keyframe_index.h"
#include "reelhouse/write/append_context.h"

namespace reelhouse {

/// The `.video` files of one column of one file group after another: each holds one copy of every video that its rows
/// show (format notes, 4.4 and 6). Not thread safe.
class VideoColumnWriter {
 public:
  VideoColumnWriter(AppendContext& context, std::string folder, DataField column);
  ~VideoColumnWriter();

  Status Write(const std::vector<CheckedRun>& runs);

  /// True if the next new video should go into another file.
  bool IsFull() const;

  /// A video that comes in pieces, straight into its file. The rows that show it are written next.
  Status BeginStaged();
  Status AppendStaged(const void* data, int64_t size_bytes);
  Status OverwriteStaged(int64_t offset_bytes, const void* data, int64_t size_bytes);
  Result<std::shared_ptr<const CheckedVideo>> EndStaged(const KeyframeIndex& index, int64_t frame_count);

  /// Closes the open file. The files of the group, in row order; the next rows start a new group.
  Result<std::vector<DataFile>> Finish();
  Status Discard();

 private:
  Status EnsureFile();
  Status CloseFile();
  Status WriteRun(const CheckedRun& run);
  Result<int64_t> CopyVideo(const CheckedVideo& video);
  void ForgetFile();

  AppendContext& context_;
  std::string folder_;
  DataField column_;
  std::string uuid_;
  int64_t next_ordinal_ = 0;
  std::unique_ptr<VideoFileWriter> file_;
  std::unordered_map<std::string, int64_t> ordinals_;  // of the videos in the open file, by identity
  std::vector<DataFile> finished_;
  std::vector<std::string> finished_paths_;
};

}  // namespace reelhouse
