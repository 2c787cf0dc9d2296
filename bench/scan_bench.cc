#include <cstdint>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <benchmark/benchmark.h>

#include "reelhouse/scan/plan.h"
#include "tests/support/manifest_table.h"

namespace reelhouse {
namespace {

/// `manifests` manifests of `files` files of 100 rows, whose episode is their ordinal in the table.
std::unique_ptr<ManifestTable> TableOf(int64_t manifests, int64_t files) {
  auto table = std::make_unique<ManifestTable>(
      *arrow::schema({arrow::field("episode", arrow::int64()), arrow::field("score", arrow::float64())}));
  int64_t ordinal = 0;
  for (int64_t m = 0; m < manifests; ++m) {
    std::vector<ManifestEntry> entries;
    for (int64_t f = 0; f < files; ++f, ++ordinal) {
      const std::string episode = "[" + std::to_string(ordinal) + "]";
      entries.push_back(table->Entry("data-" + std::to_string(ordinal) + ".parquet", ordinal * 100, 100));
      const auto batch = BatchOf({{"episode", arrow::int64(), episode}, {"score", arrow::float64(), "[0.5]"}});
      ManifestTable::SetStatistics(&entries.back(), table->schema()->fields, *batch);
    }
    table->Commit(entries);
  }
  return table;
}

void Plans(benchmark::State& state, const char* where) {
  const auto table = TableOf(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(table->PlanOf(where));
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}
BENCHMARK_CAPTURE(Plans, everything, "")->Args({1, 20'000})->Args({300, 2})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plans, one_episode, "episode = 150")
    ->Args({1, 20'000})
    ->Args({300, 2})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Plans, one_row_id, "_ROW_ID = 15000")
    ->Args({1, 20'000})
    ->Args({300, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace reelhouse
