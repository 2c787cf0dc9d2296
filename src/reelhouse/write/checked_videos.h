#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/media/video_inspection.h"
#include "reelhouse/write/row_batch.h"

namespace reelhouse {

class VideoFileWriter;

/// What a writer must know of a video before it stores it. Immutable.
struct CheckedVideo {
  std::shared_ptr<const VideoPayload> payload;
  /// What decides whether rows share a stored copy. Unlike an address in memory it never comes again.
  std::string identity;
  int64_t length_bytes = 0;
  int64_t frame_count = -1;    ///< -1 where nobody asked
  std::string keyframe_index;  ///< as it will be stored, may be empty
};

/// Rows that show consecutive frames of one checked video, or NULLs (null video).
struct CheckedRun {
  std::shared_ptr<const CheckedVideo> video;
  int64_t first_frame_index = 0;
  int64_t row_count = 0;
};

/// The videos that rows of one append refer to, each looked at once while it is in use. Not thread safe.
class CheckedVideos {
 public:
  CheckedVideos(std::shared_ptr<FileStore> files, VideoValidation validation, int64_t max_pixels = kDefaultMaxPixels);

  /// Opens and inspects the video unless that was done. A source that is missing, shorter than its range, empty, or no
  /// video is refused, naming it.
  Result<std::shared_ptr<const CheckedVideo>> Check(const std::shared_ptr<const VideoPayload>& payload);
  /// The runs of one column with checked videos, all of which have the frames that rows need.
  Result<std::vector<CheckedRun>> CheckRuns(const std::vector<VideoRun>& runs);
  /// A video that the caller knows already, e.g. because it encoded it.
  void Remember(std::shared_ptr<const CheckedVideo> video);

  /// Files that are still written to; what they hold is made readable before videos are copied out of them.
  void AddOpenFile(VideoFileWriter* file) { open_files_.insert(file); }
  void RemoveOpenFile(VideoFileWriter* file) { open_files_.erase(file); }
  Status MakeReadable(const std::string& location);

 private:
  Result<std::shared_ptr<const CheckedVideo>> Inspect(const std::shared_ptr<const VideoPayload>& payload);
  void ForgetOldest();

  struct Entry {
    std::shared_ptr<const CheckedVideo> video;
    std::list<std::string>::iterator use;
  };

  std::shared_ptr<FileStore> files_;
  VideoValidation validation_;
  int64_t max_pixels_;
  std::unordered_map<std::string, Entry> videos_;
  std::list<std::string> uses_;   // most recent first
  int64_t held_bytes_ = 0;        // of videos in memory
  int64_t videos_in_memory_ = 0;  // ever seen
  std::set<VideoFileWriter*> open_files_;
};

}  // namespace reelhouse
