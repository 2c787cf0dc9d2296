#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/io/interfaces.h>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// A stream of results: standard output, or a file that appears under its name when it is complete.
/// Finish exactly once; an unfinished file leaves nothing behind and keeps what had that name before.
/// Not thread safe.
class ResultStream final : public arrow::io::OutputStream {
 public:
  static std::shared_ptr<ResultStream> ToStandardOutput();
  /// `-` is standard output. Devices and pipes are written in place.
  static Result<std::shared_ptr<ResultStream>> ToFile(const std::string& path);
  ~ResultStream() override;

  using Writable::Write;
  Status Write(const void* data, int64_t size_bytes) override;
  Status Flush() override;
  /// Flushes; a file gets its name.
  Status Finish();
  /// Removes an unfinished file.
  Status Close() override;
  bool closed() const override { return fd_ < 0; }
  Result<int64_t> Tell() const override { return position_; }

  bool is_terminal() const;
  bool is_file() const { return !target_path_.empty(); }
  /// True once a write failed because the reader went away.
  bool is_broken_pipe() const { return is_broken_pipe_; }

 private:
  ResultStream(int fd, std::string staged_path, std::string target_path);
  Status WriteOut(std::string_view bytes);

  int fd_;
  std::string staged_path_;  // empty where nothing is renamed
  std::string target_path_;  // empty for standard output
  std::string buffer_;
  int64_t position_ = 0;
  bool is_broken_pipe_ = false;
};

/// Writes a whole file that appears when it is complete.
Status WriteWholeFile(const std::string& path, std::string_view bytes);

}  // namespace reelhouse::cli
