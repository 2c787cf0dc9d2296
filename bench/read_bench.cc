#include <cstdint>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <benchmark/benchmark.h>

#include "reelhouse/format/video/video_frame_descriptor.h"
#include "reelhouse/read/blob_cell.h"
#include "reelhouse/read/row_selection.h"

namespace reelhouse {
namespace {

const char* const kUri = "/data/warehouse/robots.db/frames/bucket-0/data-b2dc2af4-f3eb-421d-825b-03b3d0d978b9-0.video";

void MakesDescriptorsInBulk(benchmark::State& state) {
  const std::vector<BlobCellFile> files = {{kUri, true}};
  std::vector<BlobCell> cells(state.range(0));
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto video = static_cast<int64_t>(i) / 1000;
    cells[i] = {0, video * 50'000, 49'000, static_cast<int64_t>(i) % 1000, video * 50'000 + 49'000, 700};
  }
  for (auto _ : state) benchmark::DoNotOptimize(MakeDescriptors(files, cells));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MakesDescriptorsInBulk)->Arg(1'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void ParsesDescriptor(benchmark::State& state) {
  const std::string bytes = VideoFrameDescriptor{kUri, 50'000, 49'000, 17, 99'000, 700}.Serialize();
  for (auto _ : state) benchmark::DoNotOptimize(VideoFrameDescriptor::Deserialize(bytes));
}
BENCHMARK(ParsesDescriptor);

/// Every `range`-th row is dead; 0 = none is.
void ChoosesLiveRows(benchmark::State& state) {
  constexpr int64_t kRows = 1'000'000;
  std::vector<uint32_t> dead;
  if (state.range(0) > 0) {
    for (int64_t i = 0; i < kRows; i += state.range(0)) dead.push_back(static_cast<uint32_t>(i));
  }
  RowChoice choice;
  choice.dead = DeletionVector(dead);
  for (auto _ : state) benchmark::DoNotOptimize(choice.PositionsIn({0, kRows}));
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(ChoosesLiveRows)->Arg(0)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void ChoosesRowsByIds(benchmark::State& state) {
  RowChoice choice;
  choice.row_ids.emplace();
  for (int64_t i = 0; i < state.range(0); ++i) choice.row_ids->push_back({i * 900, i * 900});
  for (auto _ : state) benchmark::DoNotOptimize(choice.PositionsIn({0, 1'000'000}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ChoosesRowsByIds)->Arg(1)->Arg(1'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace reelhouse
