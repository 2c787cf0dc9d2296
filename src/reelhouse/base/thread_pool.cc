#include "reelhouse/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace reelhouse {
namespace {

constexpr int kMostThreads = 1024;
constexpr std::chrono::milliseconds kCheckInterval{50};

// Signals belong to the threads of the program: a new thread inherits a mask in which all are blocked.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// The pool of this process. Leaked on purpose: its threads may still sleep in it when the process ends. A forked child
// has the memory but not the threads, and its locks are in any state, so the child forgets it. Kept as "abandoned" for
// leak checkers.
std::atomic<ThreadPool*> pool_of_process{nullptr};
std::atomic<ThreadPool*> abandoned_pool{nullptr};

void ForgetPoolInChild() {
  ThreadPool* pool = pool_of_process.exchange(nullptr);
  if (pool != nullptr) abandoned_pool.store(pool);
}

// The work of one ParallelFor, shared by its threads. Lives as long as a task in the pool points to it, which may be
// after the call has returned; `body` is used only by those who joined in time.
class SharedLoop {
 public:
  SharedLoop(int64_t n, const std::function<Status(int64_t)>& body) : body_(body), end_(n) {}

  // As a thread of the pool: takes part unless the loop is over.
  void JoinAndRun() {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      ++running_;
    }
    while (RunNext()) {
    }
    {
      std::lock_guard lock(mutex_);
      --running_;
    }
    left_.notify_one();
  }

  // As the calling thread: takes part, then waits for the others.
  Status RunAndWait(const CancellationCheck& check) {
    Status cancelled;
    do {
      if (check) cancelled = check();
    } while (cancelled.ok() && RunNext());
    if (!cancelled.ok()) StopBefore(0);

    std::unique_lock lock(mutex_);
    closed_ = true;
    while (running_ > 0) {
      if (!check || !cancelled.ok()) {
        left_.wait(lock);
        continue;
      }
      left_.wait_for(lock, kCheckInterval);
      lock.unlock();
      cancelled = check();
      if (!cancelled.ok()) StopBefore(0);
      lock.lock();
    }
    return cancelled.ok() ? failure_ : cancelled;
  }

 private:
  bool RunNext() {
    const int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= end_.load(std::memory_order_relaxed)) return false;
    Status status = RunBody(index);
    if (!status.ok()) {
      // Every lower index was given out before and is run to its end, so the lowest failure is always found.
      std::lock_guard lock(mutex_);
      if (index < failed_index_) {
        failed_index_ = index;
        failure_ = std::move(status);
      }
      StopBefore(index);
    }
    return true;
  }

  Status RunBody(int64_t index) const {
    try {
      return body_(index);
    } catch (const std::bad_alloc&) {
      return Status::OutOfMemory("item ", index, ": out of memory");
    } catch (const std::exception& error) {
      return Status::UnknownError("item ", index, ": ", error.what());
    } catch (...) {
      return Status::UnknownError("item ", index, ": unknown exception");
    }
  }

  void StopBefore(int64_t index) {
    int64_t end = end_.load(std::memory_order_relaxed);
    while (index < end && !end_.compare_exchange_weak(end, index, std::memory_order_relaxed)) {
    }
  }

  const std::function<Status(int64_t)>& body_;
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> end_;

  std::mutex mutex_;
  std::condition_variable left_;
  bool closed_ = false;
  int running_ = 0;
  int64_t failed_index_ = std::numeric_limits<int64_t>::max();
  Status failure_;
};

}  // namespace

int ThreadsOfProcess() {
  if (const char* text = std::getenv("REELHOUSE_THREADS")) {
    const std::string_view wanted(text);
    int number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 1 && number <= kMostThreads) {
      return number;
    }
  }
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::clamp(CPU_COUNT(&cores), 1, kMostThreads);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
}

ThreadPool& ThreadPool::OfProcess() {
  ThreadPool* pool = pool_of_process.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, ForgetPoolInChild);
  (void)registered;
  // No lock, which a fork in another thread could leave held in the child: the first to store a pool wins.
  auto made = std::make_unique<ThreadPool>(ThreadsOfProcess());
  if (pool_of_process.compare_exchange_strong(pool, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *pool;
}

bool ThreadPool::Submit(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  tasks_.push_back(std::move(task));
  if (static_cast<int>(tasks_.size()) > idle_threads_ && threads_ < most_threads_) {
    try {
      BlockedSignals blocked;
      std::thread([this] { RunTasks(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      if (threads_ == 0) {
        tasks_.pop_back();
        return false;
      }
    }
  }
  lock.unlock();
  task_added_.notify_one();
  return true;
}

void ThreadPool::RunTasks() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_threads_;
    task_added_.wait(lock, [this] { return !tasks_.empty(); });
    --idle_threads_;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

Status ParallelFor(int64_t n, const std::function<Status(int64_t)>& body, int max_threads,
                   const CancellationCheck& check) {
  if (n <= 0) return Status::OK();
  auto loop = std::make_shared<SharedLoop>(n, body);
  const int64_t threads = std::min<int64_t>(n, max_threads > 0 ? max_threads : ThreadsOfProcess());
  for (int64_t i = 1; i < threads; ++i) {
    if (!ThreadPool::OfProcess().Submit([loop] { loop->JoinAndRun(); })) break;
  }
  return loop->RunAndWait(check);
}

}  // namespace reelhouse
