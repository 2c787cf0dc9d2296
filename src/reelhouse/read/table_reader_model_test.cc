// Tables of random histories, read in random ways, against a plain model of what each row holds.
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reelhouse/format/blob/blob_descriptor.h"
#include "reelhouse/read/table_reader.h"
#include "tests/support/data_table.h"

namespace reelhouse {
namespace {

using Cell = std::optional<std::string>;

// What a row holds, as text.
struct ModelRow {
  int64_t row_id = 0;
  Cell id, note, img;
  bool is_dead = false;
};

class RandomTable {
 public:
  explicit RandomTable(uint32_t seed)
      : random_(seed),
        table_(*arrow::schema({arrow::field("id", arrow::int64()), arrow::field("note", arrow::utf8()),
                               arrow::field("img", arrow::large_binary())})) {
    const int64_t groups = Below(4) + 1;
    int64_t first = 0;
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t rows = Below(30) + 1;
      AddGroup(first, rows);
      first += rows;
    }
  }

  int64_t Below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
  bool OneIn(int64_t n) { return Below(n) == 0; }

  DataTable& table() { return table_; }
  const std::vector<ModelRow>& rows() const { return rows_; }

 private:
  std::string Name(const char* ending) { return fmt::format("f{}{}", ++files_, ending); }

  void AddGroup(int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) rows_.push_back({first + i, {}, {}, {}, false});
    std::vector<ManifestEntry> entries;
    const std::string anchor = Name(".parquet");
    entries.push_back(NormalFile(anchor, first, count, {"id", "note"}));
    AddBlobs(first, count, /*is_first=*/true, &entries);
    table_.Commit(entries);
    for (int64_t updates = Below(4); updates > 0; --updates) {
      ++sequence_;
      entries.clear();
      const int64_t what = Below(4);
      if (what == 0) entries.push_back(NormalFile(Name(".parquet"), first, count, {"id"}));
      if (what == 1) entries.push_back(NormalFile(Name(".parquet"), first, count, {"note"}));
      if (what >= 2) AddBlobs(first, count, /*is_first=*/false, &entries);
      table_.Commit(entries);
    }
    if (OneIn(2)) return;
    std::vector<uint32_t> dead;
    for (int64_t i = 0; i < count; ++i) {
      if (!OneIn(3)) continue;
      dead.push_back(static_cast<uint32_t>(i));
      rows_[first + i].is_dead = true;
    }
    if (!dead.empty()) table_.Delete({{anchor, dead}});
  }

  ManifestEntry NormalFile(const std::string& name, int64_t first, int64_t count,
                           const std::vector<std::string>& columns) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const std::string& column : columns) {
      arrow::Int64Builder ids;
      arrow::StringBuilder notes;
      for (int64_t i = 0; i < count; ++i) {
        const bool is_null = OneIn(5);
        const int64_t number = Below(50);
        const std::string text = fmt::format("n{}", number);
        const bool is_id = column == "id";
        (is_id ? rows_[first + i].id : rows_[first + i].note) =
            is_null ? Cell() : Cell(is_id ? std::to_string(number) : text);
        const Status appended = is_id ? (is_null ? ids.AppendNull() : ids.Append(number))
                                      : (is_null ? notes.AppendNull() : notes.Append(text));
        EXPECT_TRUE(appended.ok());
      }
      fields.push_back(arrow::field(column, column == "id" ? arrow::int64() : arrow::utf8()));
      arrays.push_back(column == "id" ? ids.Finish().ValueOrDie() : notes.Finish().ValueOrDie());
    }
    auto batch = arrow::RecordBatch::Make(arrow::schema(fields), count, arrays);
    return table_.Parquet(name, first, *batch, sequence_, Below(10) + 1);
  }

  // The first files cover the group, cut anywhere; an update covers its beginning.
  void AddBlobs(int64_t first, int64_t count, bool is_first, std::vector<ManifestEntry>* entries) {
    const int64_t end = is_first ? count : Below(count) + 1;
    for (int64_t at = 0; at < end;) {
      const int64_t rows = is_first ? Below(end - at) + 1 : end;
      std::vector<std::string> values;
      for (int64_t i = at; i < at + rows; ++i) {
        const int64_t what = Below(4);
        values.push_back(what == 0 ? "NULL" : what == 1 ? "SAME" : fmt::format("b{}-{}", sequence_, Below(100)));
        if (what == 1) continue;
        rows_[first + i].img = what == 0 ? Cell() : Cell(values.back());
      }
      entries->push_back(table_.Blob(Name(".blob"), "img", first + at, values, sequence_));
      at += rows;
    }
  }

  std::mt19937 random_;
  DataTable table_;
  std::vector<ModelRow> rows_;
  int64_t files_ = 0;
  int64_t sequence_ = 1;
};

// One way of reading, and which rows of the model it gives.
struct RandomRead {
  ReadRequest request;
  std::string where;
  std::optional<int64_t> least_id;
  std::string notes_not;

  RandomRead(RandomTable& table) {
    std::vector<std::string> columns = {"id", "note", "img", "_ROW_ID"};
    std::vector<std::string> wanted;
    for (const std::string& column : columns) {
      if (!table.OneIn(3)) wanted.push_back(column);
    }
    if (wanted.empty()) wanted = columns;
    request.columns = wanted;
    request.max_batch_rows = table.Below(12) + 1;
    request.blob_as_descriptor = table.OneIn(2);
    if (table.OneIn(2)) {
      least_id = table.Below(50);
      where = fmt::format("id >= {}", *least_id);
    }
    if (table.OneIn(4)) {
      notes_not = fmt::format("n{}", table.Below(50));
      where += fmt::format("{}note <> '{}'", where.empty() ? "" : " AND ", notes_not);
    }
    if (table.OneIn(3)) {
      const int64_t first = table.Below(40);
      request.row_ids = std::vector<RowIdRange>{{first + 20, first + 25}, {first, first + table.Below(10)}};
    }
    if (table.OneIn(3)) request.limit = table.Below(20);
  }

  bool Takes(const ModelRow& row) const {
    if (row.is_dead) return false;
    if (least_id && (!row.id || std::stoll(*row.id) < *least_id)) return false;
    if (!notes_not.empty() && (!row.note || *row.note == notes_not)) return false;
    if (!request.row_ids) return true;
    return std::any_of(request.row_ids->begin(), request.row_ids->end(),
                       [&](const RowIdRange& range) { return range.first <= row.row_id && row.row_id <= range.last; });
  }
};

std::string Text(const Cell& cell) { return cell.value_or("NULL"); }

std::string ExpectedText(const ModelRow& row, const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) {
    text += column == "id"     ? Text(row.id)
            : column == "note" ? Text(row.note)
            : column == "img"  ? Text(row.img)
                               : std::to_string(row.row_id);
    text += "|";
  }
  return text;
}

std::string CellText(FileStore& files, const arrow::Array& array, int64_t i, bool is_descriptor) {
  if (array.IsNull(i)) return "NULL";
  switch (array.type_id()) {
    case arrow::Type::INT64:
      return std::to_string(static_cast<const arrow::Int64Array&>(array).Value(i));
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetString(i);
    default: {
      const auto bytes = static_cast<const arrow::LargeBinaryArray&>(array).GetView(i);
      if (!is_descriptor) return std::string(bytes);
      const BlobDescriptor descriptor = BlobDescriptor::Deserialize(bytes).ValueOrDie();
      return files.ReadAll(descriptor.uri).ValueOrDie().substr(descriptor.offset_bytes, descriptor.length_bytes);
    }
  }
}

TEST(TableReaderModel, GivesWhatEachRowHoldsWhateverTheHistoryAndTheRead) {
  for (uint32_t seed = 0; seed < 15; ++seed) {
    RandomTable random(seed);
    DataTable& table = random.table();
    for (int k = 0; k < 6; ++k) {
      RandomRead read(random);
      SCOPED_TRACE(fmt::format("seed {}, read {}, where {}", seed, k, read.where));
      std::vector<std::string> expected;
      for (const ModelRow& row : random.rows()) {
        if (read.request.limit && static_cast<int64_t>(expected.size()) == *read.request.limit) break;
        if (read.Takes(row)) expected.push_back(ExpectedText(row, read.request.columns));
      }
      read.request.predicate = ParsePredicate(read.where, table.schema()->fields).ValueOrDie();
      Plan plan = table.PlanOf(read.where, read.request.row_ids).ValueOrDie();
      TableReader reader({table.files(), table.path(), table.schemas(), {}}, plan, read.request);
      std::vector<std::string> found;
      while (auto batch = reader.Next().ValueOrDie()) {
        ASSERT_TRUE(batch->ValidateFull().ok());
        ASSERT_LE(batch->num_rows(), read.request.max_batch_rows);
        ASSERT_GT(batch->num_rows(), 0);
        for (int64_t i = 0; i < batch->num_rows(); ++i) {
          std::string text;
          for (int c = 0; c < batch->num_columns(); ++c) {
            text += CellText(*table.files(), *batch->column(c), i, read.request.blob_as_descriptor) + "|";
          }
          found.push_back(text);
        }
      }
      ASSERT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace reelhouse
