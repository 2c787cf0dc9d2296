#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reelhouse/base/status.h"
#include "reelhouse/media/av.h"
#include "reelhouse/media/isobmff.h"
#include "reelhouse/media/video_inspection.h"

namespace reelhouse {

/// Work done on the file of a video.
struct ReadCounts {
  int64_t reads = 0;
  int64_t bytes_read = 0;
};

/// The bytes of one video with positions from 0, bounded, counted; metadata may be kept in memory. Not thread safe;
/// several demuxers of one video share it.
class VideoSource {
 public:
  /// Invalid where the range does not lie in its file: `name: expected n bytes, found m`.
  static Result<std::shared_ptr<VideoSource>> Open(VideoBytes video);

  int64_t length_bytes() const { return video_.length_bytes; }
  const std::string& name() const { return video_.name; }
  int64_t max_pixels() const { return video_.max_pixels; }
  const ReadCounts& counts() const { return counts_; }

  /// Up to `size_bytes` bytes; fewer only at the end.
  Result<int64_t> ReadAt(int64_t offset_bytes, int64_t size_bytes, uint8_t* to);

  /// A `ByteSource` of this source.
  ByteSource bytes();

  /// Reads ranges of container metadata once and serves them from memory, up to a limit.
  Status KeepInMemory(const std::vector<KeyframeIndex::Range>& ranges);

 private:
  struct Kept {
    int64_t offset_bytes;
    std::vector<uint8_t> bytes;
  };

  explicit VideoSource(VideoBytes video) : video_(std::move(video)) {}

  VideoBytes video_;
  ReadCounts counts_;
  std::vector<Kept> kept_;
};

/// Demuxer of the first real video stream of a source: packets in the order of the file. Not thread safe.
///
/// Opens containers of an allowed list only (no playlists, which could name other files), and nothing but the source.
class VideoReader {
 public:
  struct Options {
    /// Lets FFmpeg read and decode some packets to learn what the headers do not say.
    bool is_probing = true;
    /// Lets FFmpeg look into packets for their key flags. Without it they are flagged as the container says, in half
    /// the time: for who looks into them anyway.
    bool is_parsing = true;
    /// FFmpeg's name of the container where it is known; otherwise the first bytes are asked.
    const char* container = nullptr;
    /// ISO BMFF only: bytes of these ranges (media bodies) are not read; packets hold zeros. For sample tables alone.
    const std::vector<KeyframeIndex::Range>* blank = nullptr;
  };

  /// Failures of content are Invalid and start with the name of the source.
  static Result<std::unique_ptr<VideoReader>> Open(std::shared_ptr<VideoSource> source, const Options& options);
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;

  /// The next packet of the stream; false at the end (also where the demuxer cannot go on: the rest is missing).
  Result<bool> Read(AVPacket* packet);

  enum class SeekBy { kTimestamp, kByte };
  /// Moves to a packet at or before the timestamp (stream time base) or at the byte. Where it really landed is seen
  /// by the next packet. False where the container cannot.
  bool Seek(SeekBy by, int64_t target);

  const AVStream& stream() const { return *stream_; }
  const AVCodecParameters& parameters() const { return *stream_->codecpar; }
  const AVCodec& codec() const { return *codec_; }
  bool is_isobmff() const;
  bool is_matroska() const;
  bool is_transport_stream() const;
  /// True where the stream is the first of all video streams, pictures included: what pypaimon opens.
  bool is_first_video_stream() const { return is_first_video_stream_; }
  const VideoSource& source() const { return *source_; }
  bool is_parsing() const { return is_parsing_; }

 private:
  struct Io;

  VideoReader() = default;
  Status ChooseStream();

  std::shared_ptr<VideoSource> source_;
  std::unique_ptr<Io> io_state_;
  AvIo io_;
  AvInput input_;
  AVStream* stream_ = nullptr;
  const AVCodec* codec_ = nullptr;
  bool is_first_video_stream_ = true;
  bool is_parsing_ = true;
};

}  // namespace reelhouse
