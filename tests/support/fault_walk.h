#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "reelhouse/io/fault_injection.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {

/// Where in a storage call a fault strikes: the call is not made, or it is made and its answer gets lost.
enum class FaultMoment { kBefore, kAfter };

/// Decides that the storage call with one ordinal fails, once, and remembers whether it came to that. Copies share what
/// they remember, so that one can be given to a store and another asked.
class FaultAt {
 public:
  explicit FaultAt(int64_t ordinal, FaultMoment moment = FaultMoment::kBefore,
                   Status failure = Status::IOError("injected fault"))
      : ordinal_(ordinal), moment_(moment), failure_(std::move(failure)), seen_(std::make_shared<Seen>()) {}

  Fault operator()(const StorageCall& call) const {
    ++seen_->calls;
    if (call.ordinal != ordinal_) return {};
    seen_->struck = call;
    return moment_ == FaultMoment::kBefore ? Fault{failure_, {}} : Fault{{}, failure_};
  }

  /// The call that failed, if it came to that.
  const std::optional<StorageCall>& struck() const { return seen_->struck; }

  /// The changing calls seen so far, faulted or not.
  int64_t calls() const { return seen_->calls; }

 private:
  struct Seen {
    std::optional<StorageCall> struck;
    int64_t calls = 0;
  };

  int64_t ordinal_;
  FaultMoment moment_;
  Status failure_;
  std::shared_ptr<Seen> seen_;
};

/// The number of changing storage calls of `action`, run once without a fault on the local store.
inline int64_t CountStorageCalls(const std::function<Status(const std::shared_ptr<FileStore>&)>& action) {
  FaultAt never(-1);
  Status status = action(MakeFaultInjectingFileStore(MakeLocalFileStore({.fsync = false}), never));
  EXPECT_TRUE(status.ok()) << status;
  return never.calls();
}

/// Runs `action` with a fault at its storage call 0, then anew with one at call 1, ... until it finishes without
/// meeting the fault, which must be OK. After every faulted run `check` gets the outcome of the action and the call
/// that failed; an action may survive a fault (of a hint, say). The action must start from a fresh state (a folder of
/// its own) every time, and must do its calls in one order. Returns the number of fault points.
inline int64_t WalkFaults(FaultMoment moment, const std::function<Status(const std::shared_ptr<FileStore>&)>& action,
                          const std::function<void(const Status& outcome, const StorageCall& failed)>& check) {
  constexpr int64_t kMostFaultPoints = 100000;
  for (int64_t ordinal = 0; ordinal < kMostFaultPoints; ++ordinal) {
    FaultAt fault(ordinal, moment);
    Status outcome = action(MakeFaultInjectingFileStore(MakeLocalFileStore({.fsync = false}), fault));
    if (!fault.struck().has_value()) {
      EXPECT_TRUE(outcome.ok()) << "without a fault: " << outcome;
      return ordinal;
    }
    SCOPED_TRACE(testing::Message() << "fault " << (moment == FaultMoment::kBefore ? "before" : "after") << " call "
                                    << ordinal << ": " << fault.struck()->operation << " " << fault.struck()->path);
    check(outcome, *fault.struck());
    if (testing::Test::HasFatalFailure()) return ordinal;
  }
  ADD_FAILURE() << "still meets a fault after " << kMostFaultPoints << " runs: does the action end?";
  return kMostFaultPoints;
}

}  // namespace reelhouse
