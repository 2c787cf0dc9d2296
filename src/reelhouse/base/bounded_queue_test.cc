#include "reelhouse/base/bounded_queue.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(BoundedQueue, KeepsTheOrder) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
}

TEST(BoundedQueue, GivesOutWhatIsLeftAfterClosing) {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  EXPECT_TRUE(queue.Push(std::make_unique<int>(5)));
  queue.Close();
  EXPECT_FALSE(queue.Push(std::make_unique<int>(6)));
  EXPECT_EQ(**queue.Pop(), 5);
  EXPECT_EQ(queue.Pop(), std::nullopt);
  EXPECT_TRUE(queue.closed());
}

TEST(BoundedQueue, DropsWhatIsLeftWhenCleared) {
  BoundedQueue<int> queue(2);
  queue.Push(5);
  queue.CloseAndClear();
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, ClosingWakesThoseWhoWait) {
  BoundedQueue<int> full(1);
  full.Push(1);
  std::thread pusher([&] { EXPECT_FALSE(full.Push(2)); });
  BoundedQueue<int> empty(1);
  std::thread popper([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  full.Close();
  empty.Close();
  pusher.join();
  popper.join();
}

TEST(BoundedQueue, NeverHoldsMoreThanItsCapacity) {
  BoundedQueue<int> queue(4);
  constexpr int kItems = 3000;
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (std::optional<int> item = queue.Pop()) sum += *item;
    });
  }
  std::vector<std::thread> pushers;
  for (int t = 0; t < 3; ++t) {
    pushers.emplace_back([&, t] {
      for (int i = t; i < kItems; i += 3) {
        EXPECT_TRUE(queue.Push(i));
        EXPECT_LE(queue.size(), 4u);
      }
    });
  }
  for (std::thread& pusher : pushers) pusher.join();
  queue.Close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), int64_t{kItems} * (kItems - 1) / 2);
}

}  // namespace
}  // namespace reelhouse
