#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "reelhouse/base/status.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/schema/table_schema.h"

namespace reelhouse {

/// Where the files of one table lie, spelled as the warehouse was given (format notes, 1.1 and 1.6). A value.
class TablePaths {
 public:
  TablePaths(std::string table_path, std::shared_ptr<const TableSchema> schema);

  const std::string& table_path() const { return table_path_; }
  /// `<table>/[<data-file.path-directory>/]<key>=<value>/.../bucket-<n>`.
  Result<std::string> BucketFolder(std::string_view partition, int32_t bucket) const;
  /// The file's `_EXTERNAL_PATH`, else its place in the bucket folder.
  Result<std::string> DataFilePath(const ManifestEntry& entry) const;
  /// In the folder `index/`, for files that lie there whatever the options say.
  std::string IndexFilePath(std::string_view file_name) const;
  /// The file's `_EXTERNAL_PATH`, else its place: `index/`, or the bucket folder with `index-file-in-data-file-dir`.
  Result<std::string> IndexFilePath(const IndexFile& file) const;
  /// Where a new index file of this bucket goes.
  Result<std::string> IndexFolder(std::string_view partition, int32_t bucket) const;

 private:
  std::string table_path_;
  std::shared_ptr<const TableSchema> schema_;
};

/// The text of a partition value in a directory name, before escaping (format notes, 1.6).
Result<std::string> PartitionText(const arrow::Scalar& value, const DataType& type, const Options& options);
std::string EscapePartitionText(std::string_view text);

}  // namespace reelhouse
