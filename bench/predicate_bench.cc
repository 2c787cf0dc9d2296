#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <benchmark/benchmark.h>

#include "reelhouse/predicate/predicate.h"

namespace reelhouse {
namespace {

constexpr int64_t kRows = 1'000'000;

std::vector<DataField> Fields() {
  return {{0, "episode", DataType(TypeRoot::kBigInt)}, {1, "task", DataType(TypeRoot::kVarChar)}};
}

std::shared_ptr<arrow::RecordBatch> Rows() {
  arrow::Int64Builder episodes;
  arrow::StringBuilder tasks;
  for (int64_t i = 0; i < kRows; ++i) {
    if (!episodes.Append(i / 1000).ok() || !tasks.Append("task-" + std::to_string(i / 50'000)).ok()) return nullptr;
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("episode", arrow::int64()), arrow::field("task", arrow::utf8())}), kRows,
      {episodes.Finish().ValueOrDie(), tasks.Finish().ValueOrDie()});
}

void EvaluatesFilter(benchmark::State& state, const char* text) {
  const Predicate filter = ParsePredicate(text, Fields()).ValueOrDie();
  const std::shared_ptr<arrow::RecordBatch> rows = Rows();
  for (auto _ : state) benchmark::DoNotOptimize(EvaluatePredicate(filter, *rows));
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK_CAPTURE(EvaluatesFilter, one_episode, "episode = 500");
BENCHMARK_CAPTURE(EvaluatesFilter, task_prefix, "task LIKE 'task-1%'");
BENCHMARK_CAPTURE(EvaluatesFilter, both, "episode BETWEEN 100 AND 200 AND task <> 'task-3'");

}  // namespace
}  // namespace reelhouse
