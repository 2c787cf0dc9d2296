#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "reelhouse/base/log.h"
#include "reelhouse/base/thread_pool.h"
#include "reelhouse/table/add.h"
#include "reelhouse/table/append.h"
#include "reelhouse/table/episode_encoding.h"

namespace reelhouse {

Result<std::optional<Snapshot>> AddEpisode(const TableContext& table, EpisodeInput episode,
                                           const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Append append, Append::Begin(table, options));
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<TableWriter> writer, append.MakeWriter());
  ARROW_RETURN_NOT_OK(
      WriteEpisode(append, *writer, std::move(episode), options.video_column, options.progress, options.cancelled)
          .status());
  ARROW_ASSIGN_OR_RAISE(FileChanges changes, writer->Finish());
  return append.Commit(std::move(changes));
}

namespace {

constexpr int64_t kRunOfUnknownInput = 4;  ///< items a worker takes at once where their number is not known
constexpr std::chrono::milliseconds kWatchInterval{50};

/// Episodes on their way into one commit: workers take runs of consecutive items, each run goes into files of its own,
/// and the runs are committed in the order of the items.
class EpisodeRuns {
 public:
  EpisodeRuns(const TableContext& table, const Append& append, const EpisodeInputs& inputs, const WriteOptions& options,
              int workers)
      : table_(table), append_(append), inputs_(inputs), options_(options), workers_(workers) {
    run_length_ = inputs.size_hint > 0 ? (inputs.size_hint + workers - 1) / workers : kRunOfUnknownInput;
  }

  /// Writes all episodes; callbacks are called on the calling thread only.
  Result<FileChanges> Write() {
    std::vector<std::thread> threads;
    for (int i = 0; i < workers_; ++i) threads.emplace_back([this] { Work(); });
    Watch();
    for (std::thread& thread : threads) thread.join();
    ARROW_RETURN_NOT_OK(interrupted_);
    ARROW_RETURN_NOT_OK(failure_);
    return FinishParts();
  }

 private:
  void Work() {
    bool more = true;
    Status status;
    while (more && status.ok() && !stop_) status = WriteRun().Value(&more);
    std::lock_guard lock(mutex_);
    // The first failure is the cause; cancellations that it brought about come later.
    if (failure_.ok()) failure_ = status;
    if (!status.ok()) stop_ = true;
    ++finished_workers_;
    changed_.notify_all();
  }

  /// Takes the next run of items and writes it; false if none was left.
  Result<bool> WriteRun() {
    std::vector<EpisodeInput> items;
    int64_t ordinal = 0;
    ARROW_RETURN_NOT_OK(TakeRun(&items, &ordinal));
    if (items.empty()) return false;
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<TableWriter> writer, append_.MakeWriter());
    for (EpisodeInput& item : items) {
      ARROW_ASSIGN_OR_RAISE(
          int64_t frames,
          WriteEpisode(append_, *writer, std::move(item), options_.video_column, {}, [this]() -> Status {
            return stop_ ? Status::Cancelled("another episode failed") : Status::OK();
          }));
      std::lock_guard lock(mutex_);
      frames_ += frames;
      changed_.notify_all();
    }
    std::lock_guard lock(mutex_);
    parts_[ordinal] = std::move(writer);
    return true;
  }

  Status TakeRun(std::vector<EpisodeInput>* items, int64_t* ordinal) {
    std::lock_guard lock(input_mutex_);
    *ordinal = next_run_++;
    while (!at_end_ && static_cast<int64_t>(items->size()) < run_length_) {
      ARROW_ASSIGN_OR_RAISE(std::optional<EpisodeInput> item, inputs_.next());
      at_end_ = !item;
      if (item) items->push_back(std::move(*item));
    }
    return Status::OK();
  }

  void Watch() {
    std::unique_lock lock(mutex_);
    while (finished_workers_ < workers_) {
      changed_.wait_for(lock, kWatchInterval);
      const int64_t frames = frames_;
      lock.unlock();  // callbacks may be slow, or wait for a lock that an image source holds
      if (options_.progress) options_.progress(frames, -1);
      Status interrupted = options_.cancelled ? options_.cancelled() : Status::OK();
      lock.lock();
      if (!interrupted.ok() && interrupted_.ok()) {
        interrupted_ = interrupted;
        stop_ = true;
      }
    }
  }

  Result<FileChanges> FinishParts() {
    FileChanges changes;
    for (auto& [ordinal, writer] : parts_) {
      Result<FileChanges> part = writer->Finish();
      if (!part.ok()) {
        // The failure of Finish is what matters; a file that cannot be removed is an orphan that no reader sees.
        for (const std::string& path : changes.staged_paths) LogFailure(table_.files->Delete(path));
        return part.status();
      }
      AppendChanges(std::move(part).ValueUnsafe(), changes);
    }
    return changes;
  }

  const TableContext& table_;
  const Append& append_;
  const EpisodeInputs& inputs_;
  const WriteOptions& options_;
  const int workers_;
  int64_t run_length_ = 1;

  std::mutex input_mutex_;
  bool at_end_ = false;
  int64_t next_run_ = 0;

  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  int finished_workers_ = 0;
  int64_t frames_ = 0;
  Status failure_;
  Status interrupted_;
  std::map<int64_t, std::unique_ptr<TableWriter>> parts_;  // by run, complete ones only
};

/// An encoder keeps about two cores busy together with the decoding of its pictures.
int EpisodeWorkers(const EpisodeInputs& inputs) {
  const int cores = ThreadsOfProcess();
  int workers = cores < 2 ? 1 : std::max(2, cores / 2);
  if (inputs.size_hint > 0) workers = static_cast<int>(std::min<int64_t>(workers, inputs.size_hint));
  return workers;
}

}  // namespace

Result<std::optional<Snapshot>> AddEpisodes(const TableContext& table, const EpisodeInputs& episodes,
                                            const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(Append append, Append::Begin(table, options));
  EpisodeRuns runs(table, append, episodes, options, EpisodeWorkers(episodes));
  ARROW_ASSIGN_OR_RAISE(FileChanges changes, runs.Write());
  return append.Commit(std::move(changes));
}

}  // namespace reelhouse
