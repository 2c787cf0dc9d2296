#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace reelhouse {

/// A first-in first-out line of at most `capacity` items between threads. Thread safe, any number on both sides.
/// Either side may close it: afterwards a push is refused at once and pops give out what is left, then nothing.
template <typename T>
class BoundedQueue {
 public:
  /// `capacity` 0 is taken as 1.
  explicit BoundedQueue(size_t capacity) : capacity_(capacity == 0 ? 1 : capacity) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Waits for room. False, and `item` is dropped, if the queue is closed.
  bool Push(T item) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    filled_.notify_one();
    return true;
  }

  /// Waits for an item. Nothing if the queue is closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    room_.notify_one();
    return item;
  }

  /// Wakes everybody who waits. May be called more than once.
  void Close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    room_.notify_all();
    filled_.notify_all();
  }

  /// Closes and drops what is left, so that pops end at once.
  void CloseAndClear() {
    std::deque<T> dropped;  // destroyed outside the lock: items may be large or take locks of their own
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      dropped.swap(items_);
    }
    room_.notify_all();
    filled_.notify_all();
  }

  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace reelhouse
