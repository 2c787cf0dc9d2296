#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"

namespace reelhouse {

/// The threads that this process may keep busy: `REELHOUSE_THREADS` if that is a number from 1 to 1024, else the cores
/// that it may run on. Codecs with threads of their own take their number from here too.
int ThreadsOfProcess();

/// The threads of this process that work is shared among. Threads start when they are needed first and sleep while
/// there is nothing to do; they are never joined. Thread safe. A forked child gets a pool of its own.
class ThreadPool {
 public:
  /// The one pool, made on the first call.
  static ThreadPool& OfProcess();

  explicit ThreadPool(int most_threads) : most_threads_(most_threads) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Lets a thread of the pool run `task`, which must not throw and must not wait for another task of the pool. False,
  /// and the task is dropped, if no thread is there and none can be started.
  bool Submit(std::function<void()> task);

  int most_threads() const { return most_threads_; }

 private:
  void RunTasks();

  const int most_threads_;
  std::mutex mutex_;
  std::condition_variable task_added_;
  std::deque<std::function<void()>> tasks_;
  int threads_ = 0;
  int idle_threads_ = 0;
};

/// Calls `body(0)` to `body(n - 1)` on the calling thread and on threads of the pool, `max_threads` in all (0 = as many
/// as the process may keep busy, 1 = the calling thread alone). Indexes are given out in rising order. The failure of
/// the lowest failing index is returned; once one has failed, higher indexes are no longer started. May be called from
/// within a body. Returns after every started body has returned; an exception out of a body becomes a failure.
///
/// `check` is asked on the calling thread before each of its bodies and while it waits; its failure comes first.
Status ParallelFor(int64_t n, const std::function<Status(int64_t)>& body, int max_threads = 0,
                   const CancellationCheck& check = {});

}  // namespace reelhouse
