#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <benchmark/benchmark.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/format/parquet/parquet_file_reader.h"
#include "reelhouse/format/parquet/parquet_file_writer.h"

namespace reelhouse {
namespace {

constexpr int64_t kRows = 1'000'000;

std::vector<DataField> Fields() {
  return {{0, "episode", DataType(TypeRoot::kBigInt)},
          {1, "task", DataType(TypeRoot::kVarChar)},
          {2, "speed", DataType(TypeRoot::kDouble)}};
}

std::shared_ptr<arrow::RecordBatch> Rows() {
  arrow::Int64Builder episodes;
  arrow::StringBuilder tasks;
  arrow::DoubleBuilder speeds;
  for (int64_t i = 0; i < kRows; ++i) {
    const std::string task = "task " + std::to_string(i / 1000 % 20);
    if (!episodes.Append(i / 1000).ok() || !tasks.Append(task).ok()) return nullptr;
    if (!speeds.Append(static_cast<double>(i * 7919 % 1'000'003)).ok()) return nullptr;
  }
  arrow::FieldVector fields;
  for (const DataField& field : Fields()) fields.push_back(arrow::field(field.name, field.type.ToArrow()));
  return arrow::RecordBatch::Make(
      arrow::schema(fields), kRows,
      {episodes.Finish().ValueOrDie(), tasks.Finish().ValueOrDie(), speeds.Finish().ValueOrDie()});
}

/// A file of these rows in a folder of its own.
struct StoredFile {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  std::shared_ptr<FileStore> files = MakeLocalFileStore({.fsync = false});
  std::string path = folder.PathOf("data.parquet");
  int64_t size = 0;

  Status Write(const arrow::RecordBatch& rows) {
    ARROW_ASSIGN_OR_RAISE(auto file, files->Create(path));
    ARROW_ASSIGN_OR_RAISE(auto writer, ParquetFileWriter::Make(std::move(file), Fields(), {}));
    ARROW_RETURN_NOT_OK(writer->Write(rows));
    return writer->Finish().Value(&size);
  }
};

void WritesRows(benchmark::State& state) {
  const auto rows = Rows();
  for (auto _ : state) {
    if (!StoredFile().Write(*rows).ok()) return state.SkipWithError("not written");
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(WritesRows)->Unit(benchmark::kMillisecond);

void ReadsRows(benchmark::State& state, const char* column) {
  StoredFile stored;
  if (!stored.Write(*Rows()).ok()) return state.SkipWithError("not written");
  std::vector<std::string> names;
  std::vector<DataField> targets;
  for (const DataField& field : Fields()) {
    if (*column != '\0' && field.name != column) continue;
    names.push_back(field.name);
    targets.push_back(field);
  }
  for (auto _ : state) {
    auto reader = ParquetFileReader::Open(*stored.files, stored.path, stored.size).ValueOrDie();
    benchmark::DoNotOptimize(reader->ReadRows(names, targets, (kRows - state.range(0)) / 2, state.range(0)));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(ReadsRows, all_columns, "")->Arg(1'000)->Arg(kRows)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReadsRows, numbers, "episode")->Arg(1'000)->Arg(kRows)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReadsRows, text, "task")->Arg(1'000)->Arg(kRows)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace reelhouse
