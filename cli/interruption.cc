#include "cli/interruption.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace reelhouse::cli {

namespace {

constexpr int kSignalsUntilAbort = 3;

// A signal handler can reach nothing but globals.
std::atomic<int> caught_signal{0};
std::atomic<int> signal_count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void Remember(int signal) {
  caught_signal = signal;
  if (++signal_count >= kSignalsUntilAbort) _exit(128 + signal);
}

}  // namespace

void CatchSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = Remember;  // no SA_RESTART: a write to a pipe that nobody reads must wake up
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

int CaughtSignal() { return caught_signal; }

CancellationCheck InterruptionCheck() {
  return [] { return caught_signal == 0 ? arrow::Status::OK() : arrow::Status::Cancelled("interrupted"); };
}

}  // namespace reelhouse::cli
