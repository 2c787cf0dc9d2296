#include "reelhouse/base/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#if defined(__SANITIZE_THREAD__)
#define REELHOUSE_HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REELHOUSE_HAS_THREAD_SANITIZER 1
#endif
#endif

namespace reelhouse {
namespace {

TEST(ParallelFor, CallsTheBodyOnceForEveryIndex) {
  std::vector<int> calls(10000, 0);
  ASSERT_TRUE(ParallelFor(10000, [&](int64_t i) {
                ++calls[i];
                return Status::OK();
              }).ok());
  EXPECT_EQ(calls, std::vector<int>(10000, 1));
}

TEST(ParallelFor, DoesNothingForNoItems) {
  auto body = [](int64_t) { return Status::Invalid("called"); };
  EXPECT_TRUE(ParallelFor(0, body).ok());
  EXPECT_TRUE(ParallelFor(-3, body).ok());
}

TEST(ParallelFor, ReturnsTheFailureOfTheLowestIndex) {
  for (int round = 0; round < 50; ++round) {
    Status status = ParallelFor(
        1000,
        [](int64_t i) {
          // The lowest failure is the slowest one.
          if (i == 17) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return i >= 17 ? Status::Invalid(i) : Status::OK();
        },
        4);
    ASSERT_EQ(status.message(), "17");
  }
}

TEST(ParallelFor, StartsNoHigherIndexOnceOneHasFailed) {
  std::atomic<int64_t> calls{0};
  ASSERT_FALSE(ParallelFor(1000000, [&](int64_t) {
                 ++calls;
                 return Status::Invalid("no");
               }).ok());
  EXPECT_LE(calls.load(), ThreadsOfProcess());
}

TEST(ParallelFor, StaysOnTheCallingThreadWithOneThread) {
  const std::thread::id self = std::this_thread::get_id();
  std::vector<int64_t> order;
  ASSERT_TRUE(ParallelFor(
                  100,
                  [&](int64_t i) {
                    order.push_back(i);
                    return std::this_thread::get_id() == self ? Status::OK() : Status::Invalid("another thread");
                  },
                  1)
                  .ok());
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ParallelFor, UsesNoMoreThreadsThanAsked) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  ASSERT_TRUE(ParallelFor(
                  200,
                  [&](int64_t) {
                    std::lock_guard lock(mutex);
                    threads.insert(std::this_thread::get_id());
                    return Status::OK();
                  },
                  2)
                  .ok());
  EXPECT_LE(threads.size(), 2u);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int64_t> sum{0};
  ASSERT_TRUE(ParallelFor(20, [&](int64_t i) {
                return ParallelFor(20, [&, i](int64_t j) {
                  return ParallelFor(3, [&, i, j](int64_t k) {
                    sum += i * 100 + j * 10 + k;
                    return Status::OK();
                  });
                });
              }).ok());
  EXPECT_EQ(sum.load(), 20 * 20 * 3 * 1 + 190 * 100 * 60 + 190 * 10 * 60);
}

TEST(ParallelFor, ServesManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        Status status = ParallelFor(50, [&](int64_t i) {
          sum += i;
          return Status::OK();
        });
        EXPECT_TRUE(status.ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 8 * 20 * 1225);
}

TEST(ParallelFor, TurnsExceptionsIntoFailures) {
  Status status = ParallelFor(3, [](int64_t i) -> Status {
    if (i == 1) throw std::runtime_error("boom");
    return Status::OK();
  });
  EXPECT_EQ(status.message(), "item 1: boom");
}

TEST(ParallelFor, StopsWhenTheCheckSaysSo) {
  const std::thread::id self = std::this_thread::get_id();
  std::atomic<int64_t> calls{0};
  int checks = 0;
  Status status = ParallelFor(
      1000000,
      [&](int64_t) {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return Status::OK();
      },
      2,
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), self);
        return ++checks < 5 ? Status::OK() : Status::Cancelled("stop");
      });
  EXPECT_TRUE(status.IsCancelled());
  EXPECT_LT(calls.load(), 1000000);
}

TEST(ParallelFor, WorksInAForkedChild) {
#ifdef REELHOUSE_HAS_THREAD_SANITIZER
  GTEST_SKIP() << "the thread sanitizer allows no new threads after a fork";
#endif
  auto count = [] {
    std::atomic<int64_t> calls{0};
    Status status = ParallelFor(
        100,
        [&](int64_t) {
          ++calls;
          return Status::OK();
        },
        4);
    return status.ok() ? calls.load() : -1;
  };
  ASSERT_EQ(count(), 100);
  const ThreadPool* parents = &ThreadPool::OfProcess();
  const pid_t child = fork();
  if (child == 0) {
    const bool fresh = &ThreadPool::OfProcess() != parents;
    std::atomic<bool> ran{false};
    const bool submitted = ThreadPool::OfProcess().Submit([&] { ran = true; });
    while (submitted && !ran) std::this_thread::yield();
    _exit(fresh && submitted && count() == 100 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(count(), 100);
}

TEST(ThreadsOfProcess, FollowsTheEnvironment) {
  setenv("REELHOUSE_THREADS", "7", 1);
  EXPECT_EQ(ThreadsOfProcess(), 7);
  for (const char* nonsense : {"0", "-1", "many", "3 ", "", "100000"}) {
    setenv("REELHOUSE_THREADS", nonsense, 1);
    const int threads = ThreadsOfProcess();
    EXPECT_GE(threads, 1);
    EXPECT_LE(threads, 1024);
  }
  unsetenv("REELHOUSE_THREADS");
}

}  // namespace
}  // namespace reelhouse
