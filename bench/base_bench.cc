#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "reelhouse/base/delta_varint.h"

namespace reelhouse {
namespace {

std::vector<int64_t> PayloadLengths(int64_t count) {
  std::vector<int64_t> lengths(count);
  for (int64_t i = 0; i < count; ++i) lengths[i] = 500'000 + (i * 7919) % 100'000;
  return lengths;
}

void DecodesLengths(benchmark::State& state) {
  const std::string bytes = EncodeDeltaVarints(PayloadLengths(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(DecodeDeltaVarints(bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DecodesLengths)->Arg(1'000)->Arg(1'000'000);

void EncodesLengths(benchmark::State& state) {
  const std::vector<int64_t> lengths = PayloadLengths(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(EncodeDeltaVarints(lengths));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(EncodesLengths)->Arg(1'000)->Arg(1'000'000);

}  // namespace
}  // namespace reelhouse
