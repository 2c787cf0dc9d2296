#include "cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace reelhouse::cli {

namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};
constexpr int64_t kBarWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::string unit) : unit_(std::move(unit)), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (!is_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void ProgressBar::Show(int64_t done, int64_t total) {
  const auto now = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex_);
  if (now - last_ < kBetweenLines) return;
  last_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r\033[K" + Text(done, total, seconds, unit_)).c_str(), stderr);
  std::fflush(stderr);
}

std::string ProgressBar::Text(int64_t done, int64_t total, double seconds, const std::string& unit) {
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
  if (total <= 0) return fmt::format("{} {}, {:.0f}/s", done, unit, rate);
  const int64_t filled = std::min(kBarWidth, kBarWidth * done / total);
  std::string left;
  if (done > 0 && done < total && seconds > 1) {
    left = fmt::format(", {:.0f} s left", static_cast<double>(total - done) / rate);
  }
  return fmt::format("[{}{}] {}/{} {}, {:.0f}/s{}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'),
                     done, total, unit, rate, left);
}

}  // namespace reelhouse::cli
