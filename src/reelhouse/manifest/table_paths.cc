#include "reelhouse/manifest/table_paths.h"

#include <utility>

#include <arrow/scalar.h>

#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/binary_row.h"

namespace reelhouse {
namespace {

constexpr char kPathDirectory[] = "data-file.path-directory";
constexpr char kIndexFileInDataFileDir[] = "index-file-in-data-file-dir";
constexpr int32_t kPostponeBucket = -2;

}  // namespace

TablePaths::TablePaths(std::string table_path, std::shared_ptr<const TableSchema> schema)
    : table_path_(std::move(table_path)), schema_(std::move(schema)) {}

Result<std::string> TablePaths::BucketFolder(std::string_view partition, int32_t bucket) const {
  std::string folder = table_path_;
  const std::string path_directory = schema_->options.GetText(kPathDirectory, "");
  if (("/" + path_directory + "/").find("/../") != std::string::npos) {
    return Status::Invalid(table_path_, ": option `", kPathDirectory,
                           "`: expected a folder inside of the table, found ", QuoteForError(path_directory));
  }
  if (!path_directory.empty()) folder = JoinLocation(folder, path_directory);

  const std::vector<DataField> keys = schema_->PartitionFields();
  std::vector<DataType> types;
  types.reserve(keys.size());
  for (const DataField& key : keys) types.push_back(key.type);
  auto values = DecodeBinaryRow(partition, types);
  if (!values.ok()) return Prefixed(table_path_ + ": partition", values.status());
  for (size_t i = 0; i < keys.size(); ++i) {
    auto text = PartitionText(*(*values)[i], keys[i].type, schema_->options);
    if (!text.ok()) return Prefixed(table_path_ + ": partition column " + keys[i].name, text.status());
    folder = JoinLocation(folder, EscapePartitionText(keys[i].name) + "=" + EscapePartitionText(*text));
  }
  return JoinLocation(folder,
                      "bucket-" + (bucket == kPostponeBucket ? std::string("postpone") : std::to_string(bucket)));
}

Result<std::string> TablePaths::DataFilePath(const ManifestEntry& entry) const {
  if (entry.file.external_path) return *entry.file.external_path;
  ARROW_ASSIGN_OR_RAISE(std::string folder, BucketFolder(entry.partition, entry.bucket));
  return JoinLocation(folder, entry.file.file_name);
}

std::string TablePaths::IndexFilePath(std::string_view file_name) const {
  return JoinLocation(JoinLocation(table_path_, "index"), file_name);
}

Result<std::string> TablePaths::IndexFilePath(const IndexFile& file) const {
  if (file.external_path) return *file.external_path;
  ARROW_ASSIGN_OR_RAISE(std::string folder, IndexFolder(file.partition, file.bucket));
  return JoinLocation(folder, file.file_name);
}

Result<std::string> TablePaths::IndexFolder(std::string_view partition, int32_t bucket) const {
  ARROW_ASSIGN_OR_RAISE(bool beside_data, schema_->options.GetBool(kIndexFileInDataFileDir, false));
  if (beside_data) return BucketFolder(partition, bucket);
  return JoinLocation(table_path_, "index");
}

}  // namespace reelhouse
