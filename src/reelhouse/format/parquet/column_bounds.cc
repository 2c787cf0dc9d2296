#include "reelhouse/format/parquet/column_bounds.h"

#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>

namespace reelhouse {
namespace {

ParquetColumnBounds BoundsOf(const parquet::Statistics& statistics, const arrow::DataType& type) {
  ParquetColumnBounds bounds;
  if (statistics.HasNullCount()) bounds.null_count = statistics.null_count();
  std::shared_ptr<arrow::Scalar> min, max;
  if (!statistics.HasMinMax() || !parquet::arrow::StatisticsAsScalars(statistics, &min, &max).ok()) return bounds;
  if (min == nullptr || max == nullptr || !min->type->Equals(type) || !max->type->Equals(type)) return bounds;
  bounds.min = std::move(min);
  bounds.max = std::move(max);
  return bounds;
}

// Bounds of the pages of a column chunk of `rows` rows from `first_row` on; nothing without a page index, or with one
// that contradicts itself: it is only there to save work.
std::vector<ParquetColumnBounds> BoundsOfPages(parquet::RowGroupPageIndexReader& indexes,
                                               const parquet::ColumnDescriptor& column, int leaf, int64_t first_row,
                                               int64_t rows, const arrow::DataType& type) {
  const std::shared_ptr<parquet::OffsetIndex> places = indexes.GetOffsetIndex(leaf);
  const std::shared_ptr<parquet::ColumnIndex> index = indexes.GetColumnIndex(leaf);
  if (places == nullptr || index == nullptr) return {};
  const std::vector<parquet::PageLocation>& pages = places->page_locations();
  const size_t count = pages.size();
  if (count == 0 || pages[0].first_row_index != 0 || index->null_pages().size() != count ||
      index->encoded_min_values().size() != count || index->encoded_max_values().size() != count ||
      (index->has_null_counts() && index->null_counts().size() != count)) {
    return {};
  }
  std::vector<ParquetColumnBounds> bounds;
  for (size_t i = 0; i < count; ++i) {
    const int64_t end = i + 1 < count ? pages[i + 1].first_row_index : rows;
    if (end <= pages[i].first_row_index || end > rows) return {};
    const int64_t page_rows = end - pages[i].first_row_index;
    const bool is_null = index->null_pages()[i];
    const int64_t nulls = index->has_null_counts() ? index->null_counts()[i] : is_null ? page_rows : 0;
    if (nulls < 0 || nulls > page_rows) return {};
    const auto statistics = parquet::Statistics::Make(
        &column, index->encoded_min_values()[i], index->encoded_max_values()[i], page_rows - nulls, nulls,
        /*distinct_count=*/0, /*has_min_max=*/!is_null, /*has_null_count=*/index->has_null_counts() || is_null,
        /*has_distinct_count=*/false);
    bounds.push_back(BoundsOf(*statistics, type));
    bounds.back().first_row = first_row + pages[i].first_row_index;
    bounds.back().row_count = page_rows;
  }
  return bounds;
}

}  // namespace

Result<std::vector<ParquetColumnBounds>> ReadColumnBounds(parquet::ParquetFileReader& file,
                                                          const std::vector<int64_t>& group_rows, int leaf,
                                                          const arrow::DataType& type) {
  const std::shared_ptr<parquet::FileMetaData> metadata = file.metadata();
  const parquet::ColumnDescriptor& column = *metadata->schema()->Column(leaf);
  const bool has_order = column.sort_order() != parquet::SortOrder::UNKNOWN;
  std::shared_ptr<parquet::PageIndexReader> page_indexes = file.GetPageIndexReader();
  std::vector<ParquetColumnBounds> bounds;
  int64_t first_row = 0;
  for (size_t group = 0; group < group_rows.size(); ++group) {
    const int64_t rows = group_rows[group];
    const auto number = static_cast<int>(group);
    std::vector<ParquetColumnBounds> of_group;
    if (has_order && page_indexes != nullptr) {
      const auto indexes = page_indexes->RowGroup(number);
      if (indexes != nullptr) of_group = BoundsOfPages(*indexes, column, leaf, first_row, rows, type);
    }
    if (of_group.empty()) {
      const std::shared_ptr<parquet::Statistics> statistics =
          has_order ? metadata->RowGroup(number)->ColumnChunk(leaf)->statistics() : nullptr;
      of_group.push_back(statistics != nullptr ? BoundsOf(*statistics, type) : ParquetColumnBounds());
      of_group.back().first_row = first_row;
      of_group.back().row_count = rows;
    }
    for (ParquetColumnBounds& part : of_group) bounds.push_back(std::move(part));
    first_row += rows;
  }
  return bounds;
}

}  // namespace reelhouse
