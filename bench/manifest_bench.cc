#include "reelhouse/manifest/manifest_layout.h"

#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "reelhouse/avro/container_writer.h"
#include "reelhouse/manifest/binary_row.h"
#include "reelhouse/manifest/statistics.h"

namespace reelhouse {
namespace {

ManifestEntry Entry(int64_t ordinal) {
  ManifestEntry entry;
  entry.partition = EmptyBinaryRow();
  entry.file.file_name = "data-0f0e8e3c-0b5b-4d5f-8d35-" + std::to_string(100'000'000'000 + ordinal) + "-0.parquet";
  entry.file.file_size = 10'000 + ordinal;
  entry.file.row_count = 100;
  entry.file.first_row_id = ordinal * 100;
  entry.file.min_sequence_number = entry.file.max_sequence_number = ordinal;
  entry.file.min_key = entry.file.max_key = EmptyBinaryRow();
  entry.file.key_stats = NoStatistics();
  // Bounds of six columns take about this much.
  entry.file.value_stats = {std::string(64, '\1'), std::string(64, '\2'), std::vector<std::optional<int64_t>>(6, 0)};
  entry.file.write_cols = {"episode_id", "frame_index", "task", "speed", "reward"};
  return entry;
}

std::string ManifestOf(int64_t entries) {
  AvroContainerWriter writer = AvroContainerWriter::Make(kManifestSchema, "zstandard").ValueOrDie();
  for (int64_t i = 0; i < entries; ++i) {
    if (!PutRecord(writer, Entry(i)).ok()) return {};
  }
  return writer.Finish().ValueOrDie();
}

void DecodesManifest(benchmark::State& state) {
  const std::string file = ManifestOf(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(DecodeManifest(file, "manifest-1"));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DecodesManifest)->Arg(2)->Arg(20'000)->Unit(benchmark::kMicrosecond);

void EncodesManifest(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ManifestOf(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(EncodesManifest)->Arg(2)->Arg(20'000)->Unit(benchmark::kMicrosecond);

void DecodesManifestList(benchmark::State& state) {
  AvroContainerWriter writer = AvroContainerWriter::Make(kManifestListSchema, "zstandard").ValueOrDie();
  for (int64_t i = 0; i < state.range(0); ++i) {
    ManifestFile manifest;
    manifest.file_name = "manifest-0f0e8e3c-0b5b-4d5f-8d35-" + std::to_string(100'000'000'000 + i) + "-0";
    manifest.file_size = 2000;
    manifest.num_added_files = 2;
    manifest.partition_stats = NoStatistics();
    manifest.min_row_id = i * 100;
    manifest.max_row_id = i * 100 + 99;
    if (!PutRecord(writer, manifest).ok()) return state.SkipWithError("no list");
  }
  const std::string file = writer.Finish().ValueOrDie();
  for (auto _ : state) benchmark::DoNotOptimize(DecodeManifestList(file, "manifest-list-1"));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DecodesManifestList)->Arg(1)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace reelhouse
