#include "reelhouse/format/parquet/flat_column_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "reelhouse/base/endian.h"
#include "reelhouse/format/parquet/page_values.h"
#include "reelhouse/format/parquet/run_or_packed_reader.h"

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr int64_t kBlockRows = PageValues::kMostValues;

Bytes BytesOf(const parquet::Page& page) { return {page.data(), static_cast<size_t>(std::max(page.size(), 0))}; }

// Which rows of a page are NULL, from front to back: levels of 0 and 1.
class NullLevels {
 public:
  void BeginWithoutNulls() { has_levels_ = false; }

  void Begin(Bytes runs) {
    has_levels_ = true;
    reader_ = RunOrPackedReader(runs, 1);
  }

  // Reads `count` rows, at most kBlockRows. Gives how many have a value, or -1 if the levels end early; unless that is
  // all or none, `levels()` says which.
  int64_t Read(int64_t count) {
    if (!has_levels_) return count;
    RunOrPackedReader::Stretch stretch = reader_.Next(count);
    if (stretch.is_run && stretch.count == count) return stretch.value != 0 ? count : 0;
    int64_t done = 0;
    while (true) {
      if (stretch.count == 0) return -1;
      if (stretch.is_run) {
        std::fill_n(levels_.data() + done, stretch.count, static_cast<uint8_t>(stretch.value != 0));
      } else {
        reader_.Unpack(stretch.count, levels_.data() + done);
      }
      done += stretch.count;
      if (done == count) break;
      stretch = reader_.Next(count - done);
    }
    int64_t values = 0;
    for (int64_t i = 0; i < count; ++i) values += levels_[i];
    return values;
  }

  const uint8_t* levels() const { return levels_.data(); }

 private:
  bool has_levels_ = false;
  RunOrPackedReader reader_;
  std::array<uint8_t, kBlockRows> levels_;
};

}  // namespace

struct FlatColumnReader::State {
  parquet::ParquetFileReader& file;
  const std::vector<int64_t>& group_rows;
  const int leaf;
  const std::shared_ptr<arrow::DataType> type;
  const bool is_nullable;
  std::unique_ptr<PageValues> values;

  // Where the reader stands: rows of the file.
  size_t group = 0;
  int64_t group_begin = 0;
  int64_t group_end = 0;
  std::unique_ptr<parquet::PageReader> pages;
  std::shared_ptr<parquet::Page> page;
  int64_t row = 0;
  int64_t page_end = 0;
  int64_t next_wanted = 0;
  NullLevels levels;

  // The array being made.
  std::shared_ptr<arrow::Buffer> validity;
  int64_t rows_made = 0;
  int64_t null_count = 0;
  int64_t rows_in_all = 0;
  std::array<int32_t, kBlockRows> picks;
  std::array<int32_t, kBlockRows> values_of_rows;

  void Rewind();
  Status OpenGroup(ParquetReadStatistics* statistics);
  Status NextPage(ParquetReadStatistics* statistics);
  Status BeginDataPage(const parquet::DataPage& data_page);
  Status SkipRows(int64_t count);
  Status ReadBlock(int64_t count, std::span<const int64_t> rows);
  Status AppendNulls(std::span<const int32_t> picked);
};

FlatColumnReader::FlatColumnReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
FlatColumnReader::~FlatColumnReader() = default;

std::unique_ptr<FlatColumnReader> FlatColumnReader::Make(parquet::ParquetFileReader& file,
                                                         const std::vector<int64_t>& group_rows, int leaf,
                                                         const std::shared_ptr<arrow::DataType>& type) {
  const parquet::ColumnDescriptor* column = file.metadata()->schema()->Column(leaf);
  if (column->max_repetition_level() > 0 || column->max_definition_level() > 1 ||
      column->path()->ToDotVector().size() != 1) {
    return nullptr;
  }
  std::unique_ptr<PageValues> values = PageValues::Make(column->physical_type(), type);
  if (values == nullptr) return nullptr;
  return std::unique_ptr<FlatColumnReader>(new FlatColumnReader(std::unique_ptr<State>(
      new State{file, group_rows, leaf, type, column->max_definition_level() == 1, std::move(values)})));
}

void FlatColumnReader::State::Rewind() {
  group = 0;
  group_begin = 0;
  group_end = group_rows.empty() ? 0 : group_rows.front();
  pages.reset();
  page.reset();
  row = page_end = 0;
}

Result<std::shared_ptr<arrow::Array>> FlatColumnReader::Read(std::span<const int64_t> rows) {
  State& state = *state_;
  if (rows.front() < state.row || state.group_end == 0) state.Rewind();
  state.validity.reset();
  state.rows_made = state.null_count = 0;
  state.rows_in_all = static_cast<int64_t>(rows.size());
  ARROW_RETURN_NOT_OK(state.values->BeginArray(state.rows_in_all));
  while (!rows.empty()) {
    state.next_wanted = rows.front();
    if (state.next_wanted >= state.page_end) {
      ARROW_RETURN_NOT_OK(state.NextPage(&statistics_));
      continue;
    }
    ARROW_RETURN_NOT_OK(state.SkipRows(state.next_wanted - state.row));
    int64_t end = std::min(std::min(state.page_end, state.row + kBlockRows), rows.back() + 1);
    // Rows without gaps are the common case, where none has to be looked for.
    const auto most = static_cast<size_t>(end - state.row);
    const bool are_all = rows.size() >= most && rows[most - 1] == end - 1;
    const size_t count = are_all ? most : std::lower_bound(rows.begin(), rows.end(), end) - rows.begin();
    end = rows[count - 1] + 1;
    ARROW_RETURN_NOT_OK(state.ReadBlock(end - state.row, rows.first(count)));
    statistics_.values_decoded += end - state.row;
    state.row = end;
    rows = rows.subspan(count);
  }
  ARROW_ASSIGN_OR_RAISE(auto buffers, state.values->FinishArray());
  buffers.insert(buffers.begin(), std::move(state.validity));
  return arrow::MakeArray(arrow::ArrayData::Make(state.type, state.rows_in_all, std::move(buffers), state.null_count));
}

Status FlatColumnReader::State::OpenGroup(ParquetReadStatistics* statistics) {
  while (next_wanted >= group_end) {
    if (group + 1 >= group_rows.size()) return Status::Invalid("row ", next_wanted, " lies behind the row groups");
    group_begin = group_end;
    group_end += group_rows[++group];
    pages.reset();
  }
  if (pages != nullptr) return Status::OK();
  page.reset();
  row = page_end = group_begin;
  pages = file.RowGroup(static_cast<int>(group))->GetColumnPageReader(leaf);
  pages->set_data_page_filter([this, statistics](const parquet::DataPageStats& stats) {
    const int64_t end = page_end + std::max(stats.num_values, 0);
    if (end > next_wanted) return false;
    row = page_end = end;
    ++statistics->pages_skipped;
    return true;
  });
  ++statistics->column_chunks_read;
  return Status::OK();
}

Status FlatColumnReader::State::NextPage(ParquetReadStatistics* statistics) {
  ARROW_RETURN_NOT_OK(OpenGroup(statistics));
  row = page_end;
  page = pages->NextPage();
  if (page == nullptr) {
    return Status::Invalid("row group ", group, ": expected ", group_end - group_begin, " rows, but they end after ",
                           page_end - group_begin);
  }
  if (page->type() == parquet::PageType::DICTIONARY_PAGE) {
    const auto& dictionary = static_cast<const parquet::DictionaryPage&>(*page);
    return values->SetDictionary(BytesOf(dictionary), dictionary.num_values());
  }
  if (page->type() != parquet::PageType::DATA_PAGE && page->type() != parquet::PageType::DATA_PAGE_V2) {
    return Status::OK();
  }
  const auto& data_page = static_cast<const parquet::DataPage&>(*page);
  if (data_page.num_values() < 0 || data_page.num_values() > group_end - page_end) {
    return Status::Invalid("page: expected at most ", group_end - page_end, " values, found ", data_page.num_values());
  }
  ARROW_RETURN_NOT_OK(BeginDataPage(data_page));
  ++statistics->pages_read;
  page_end += data_page.num_values();
  return Status::OK();
}

Status FlatColumnReader::State::BeginDataPage(const parquet::DataPage& data_page) {
  Bytes bytes = BytesOf(data_page);
  levels.BeginWithoutNulls();
  const auto take_levels = [&](size_t size) -> Status {
    if (size > bytes.size()) {
      return Status::Invalid("page: expected levels of at most ", bytes.size(), " bytes, found ", size);
    }
    if (is_nullable) levels.Begin(bytes.first(size));
    bytes = bytes.subspan(size);
    return Status::OK();
  };
  if (data_page.type() == parquet::PageType::DATA_PAGE_V2) {
    const auto& page_v2 = static_cast<const parquet::DataPageV2&>(data_page);
    if (page_v2.repetition_levels_byte_length() != 0) return Status::Invalid("a flat column has repetition levels");
    ARROW_RETURN_NOT_OK(take_levels(static_cast<size_t>(std::max(page_v2.definition_levels_byte_length(), 0))));
  } else if (is_nullable) {
    const auto& page_v1 = static_cast<const parquet::DataPageV1&>(data_page);
    if (page_v1.definition_level_encoding() != parquet::Encoding::RLE) {
      return Status::NotImplemented("bit-packed levels");
    }
    if (bytes.size() < 4) return Status::Invalid("page: the levels end early");
    const size_t size = LoadLe32(bytes.data());
    bytes = bytes.subspan(4);
    ARROW_RETURN_NOT_OK(take_levels(size));
  }
  return values->BeginPage(data_page.encoding(), bytes);
}

Status FlatColumnReader::State::SkipRows(int64_t count) {
  row += count;
  while (count > 0) {
    const int64_t block = std::min(count, kBlockRows);
    const int64_t with_value = levels.Read(block);
    if (with_value < 0) return Status::Invalid("the levels of a page end early");
    ARROW_RETURN_NOT_OK(values->Skip(with_value));
    count -= block;
  }
  return Status::OK();
}

// Reads the next `count` rows of the page, of which `rows` are wanted.
Status FlatColumnReader::State::ReadBlock(int64_t count, std::span<const int64_t> rows) {
  const int64_t with_value = levels.Read(count);
  if (with_value < 0) return Status::Invalid("the levels of a page end early");
  const auto wanted = static_cast<int64_t>(rows.size());
  if (with_value == count && wanted == count) {
    if (validity != nullptr) arrow::bit_util::SetBitsTo(validity->mutable_data(), rows_made, wanted, true);
    rows_made += wanted;
    return values->AppendAll(count);
  }
  const std::span<int32_t> picked(picks.data(), rows.size());
  if (with_value == count) {
    for (size_t i = 0; i < rows.size(); ++i) picked[i] = static_cast<int32_t>(rows[i] - row);
  } else if (with_value == 0) {
    std::fill(picked.begin(), picked.end(), PageValues::kNull);
  } else {
    const uint8_t* has_value = levels.levels();
    int32_t next = 0;
    for (int64_t i = 0; i < count; ++i) values_of_rows[i] = has_value[i] != 0 ? next++ : PageValues::kNull;
    for (size_t i = 0; i < rows.size(); ++i) picked[i] = values_of_rows[rows[i] - row];
  }
  if (with_value < count || validity != nullptr) {
    ARROW_RETURN_NOT_OK(AppendNulls(picked));
  }
  rows_made += wanted;
  return values->AppendPicked(with_value, picked);
}

Status FlatColumnReader::State::AppendNulls(std::span<const int32_t> picked) {
  if (validity == nullptr) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(rows_in_all));
    arrow::bit_util::SetBitsTo(validity->mutable_data(), 0, rows_made, true);
  }
  uint8_t* bits = validity->mutable_data();
  for (size_t i = 0; i < picked.size(); ++i) {
    const bool has_value = picked[i] != PageValues::kNull;
    arrow::bit_util::SetBitTo(bits, rows_made + static_cast<int64_t>(i), has_value);
    null_count += has_value ? 0 : 1;
  }
  return Status::OK();
}

}  // namespace reelhouse
