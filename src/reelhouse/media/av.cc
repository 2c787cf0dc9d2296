#include "reelhouse/media/av.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

extern "C" {
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
}

namespace reelhouse {
namespace {

constexpr size_t kMaxCapturedBytes = 1000;

thread_local AvLogCapture* innermost_capture = nullptr;

/// FFmpeg's level for the value of REELHOUSE_LOG; quiet where it is not set or not known.
int WantedStderrLevel() {
  const char* value = std::getenv("REELHOUSE_LOG");
  const std::string_view level = value ? value : "";
  if (level == "error") return AV_LOG_ERROR;
  if (level == "warning" || level == "warn") return AV_LOG_WARNING;
  if (level == "info") return AV_LOG_INFO;
  if (level == "debug" || level == "trace") return AV_LOG_VERBOSE;
  return AV_LOG_QUIET;
}

}  // namespace

void AvFree::operator()(AVIOContext* io) const {
  av_freep(&io->buffer);
  avio_context_free(&io);
}

std::string AvErrorText(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  if (av_strerror(code, text, sizeof(text)) < 0) return "FFmpeg error " + std::to_string(code);
  return text;
}

Status AvFailure(std::string_view where, int code, std::string_view lines) {
  std::string text(where);
  text += text.empty() ? "" : ": ";
  text += AvErrorText(code);
  if (!lines.empty()) text.append(" (").append(lines).append(")");
  if (code == AVERROR(ENOMEM)) return Status::OutOfMemory(text);
  return Status::Invalid(text);
}

void CatchAvLogLine(void* context, int level, const char* format, va_list arguments) {
  static const int stderr_level = WantedStderrLevel();
  // Levels above a byte carry a tint.
  const int plain_level = level & 0xff;
  AvLogCapture* capture = innermost_capture;
  const bool is_captured = capture && plain_level <= AV_LOG_WARNING;
  const bool is_printed = stderr_level != AV_LOG_QUIET && plain_level <= stderr_level;
  if (!is_captured && !is_printed) return;
  char text[512];
  va_list copy;
  va_copy(copy, arguments);
  int starts_line = 1;
  if (is_printed) {
    av_log_format_line2(context, level, format, copy, text, sizeof(text), &starts_line);
    std::fputs(text, stderr);
  }
  va_end(copy);
  if (!is_captured) return;
  // A null context leaves out FFmpeg's prefix with its address, which says nothing to a reader.
  starts_line = 1;
  av_log_format_line2(nullptr, level, format, arguments, text, sizeof(text), &starts_line);
  capture->unfinished_ += text;
  capture->is_unfinished_error_ |= plain_level <= AV_LOG_ERROR;
  if (!capture->unfinished_.ends_with('\n')) return;
  capture->unfinished_.pop_back();
  const bool is_error = std::exchange(capture->is_unfinished_error_, false);
  const bool is_ignored = !capture->ignored_.empty() && capture->unfinished_.starts_with(capture->ignored_);
  if (is_ignored) return capture->unfinished_.clear();
  capture->saw_error_ |= is_error;
  const std::string separator = capture->lines_.empty() ? "" : "; ";
  const bool is_repeated = capture->lines_.ends_with(capture->unfinished_);
  if (!is_repeated && capture->lines_.size() + capture->unfinished_.size() < kMaxCapturedBytes) {
    capture->lines_ += separator + capture->unfinished_;
  }
  capture->unfinished_.clear();
}

AvLogCapture::AvLogCapture(std::string_view ignored) : outer_(innermost_capture), ignored_(ignored) {
  static std::once_flag installed;
  std::call_once(installed, [] { av_log_set_callback(CatchAvLogLine); });
  innermost_capture = this;
}

AvLogCapture::~AvLogCapture() { innermost_capture = outer_; }

std::string AvLogCapture::Take() {
  std::string taken;
  taken.swap(lines_);
  return taken;
}

}  // namespace reelhouse
