#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "reelhouse/base/cancellation.h"

namespace reelhouse::cli {

/// A line on standard error that shows how far long work is; wiped when the work ends. Thread safe.
class ProgressBar {
 public:
  /// `unit`: what is counted, e.g. `frames`.
  explicit ProgressBar(std::string unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Show(int64_t done, int64_t total);

  /// The text of the line.
  static std::string Text(int64_t done, int64_t total, double seconds, const std::string& unit);

 private:
  const std::string unit_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_;
  bool is_shown_ = false;
};

}  // namespace reelhouse::cli
