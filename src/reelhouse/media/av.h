#pragma once

#include <cstdarg>
#include <memory>
#include <string>
#include <string_view>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include "reelhouse/base/status.h"

namespace reelhouse {

// The C handles of FFmpeg with their owners. Nothing outside of the room `media` includes this file.

struct AvFree {
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
  /// FFmpeg may replace the buffer of a context, so that what is freed is what the context holds now.
  void operator()(AVIOContext* io) const;
};

/// An output context is not opened by FFmpeg when it has an AVIOContext of ours: it is only freed.
struct AvFreeOutput {
  void operator()(AVFormatContext* output) const { avformat_free_context(output); }
};

using AvInput = std::unique_ptr<AVFormatContext, AvFree>;
using AvOutput = std::unique_ptr<AVFormatContext, AvFreeOutput>;
using AvCodec = std::unique_ptr<AVCodecContext, AvFree>;
using AvFrame = std::unique_ptr<AVFrame, AvFree>;
using AvPacket = std::unique_ptr<AVPacket, AvFree>;
using AvScaler = std::unique_ptr<SwsContext, AvFree>;
using AvParameters = std::unique_ptr<AVCodecParameters, AvFree>;
using AvIo = std::unique_ptr<AVIOContext, AvFree>;

/// FFmpeg's words for one of its error codes.
std::string AvErrorText(int code);

/// The failure of an FFmpeg call: `where: text of the code`, and in brackets what FFmpeg logged, if `lines` has any.
/// Out of memory keeps its status code; everything else is Invalid, since it is about bytes or arguments.
Status AvFailure(std::string_view where, int code, std::string_view lines = {});

/// Catches what FFmpeg logs on this thread while it lives; the innermost one gets the lines. Without any (and on
/// FFmpeg's own threads) lines are dropped. They are written to stderr as well only where REELHOUSE_LOG
/// (`error`, `warning`, `info`, `debug`) asks for their level.
///
/// Every piece of code that calls FFmpeg has one around it; making the first one installs the callback.
class AvLogCapture {
 public:
  /// Lines that start with `ignored` (text that outlives this) are dropped, and are no errors.
  explicit AvLogCapture(std::string_view ignored = {});
  ~AvLogCapture();
  AvLogCapture(const AvLogCapture&) = delete;
  AvLogCapture& operator=(const AvLogCapture&) = delete;

  /// Warnings and errors since the start or the last `Take`, joined by `; `, cut at a sensible length.
  std::string Take();
  const std::string& lines() const { return lines_; }

  /// True if FFmpeg logged an error, and not only warnings.
  bool saw_error() const { return saw_error_; }

 private:
  friend void CatchAvLogLine(void* context, int level, const char* format, va_list arguments);
  AvLogCapture* outer_;
  std::string_view ignored_;
  std::string lines_;
  std::string unfinished_;
  bool saw_error_ = false;
  bool is_unfinished_error_ = false;
};

}  // namespace reelhouse
