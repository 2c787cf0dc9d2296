#include "reelhouse/manifest/index_manifest.h"

#include <utility>

#include "reelhouse/avro/block_codec.h"
#include "reelhouse/avro/container_writer.h"
#include "reelhouse/io/location.h"
#include "reelhouse/manifest/manifest_layout.h"

namespace reelhouse {

IndexManifestStore::IndexManifestStore(std::shared_ptr<FileStore> files, std::string table_path,
                                       std::string compression)
    : files_(std::move(files)), folder_(JoinLocation(table_path, "manifest")), compression_(std::move(compression)) {}

Result<std::vector<IndexFile>> IndexManifestStore::Read(const std::string& file_name) {
  const std::string path = JoinLocation(folder_, file_name);
  ARROW_ASSIGN_OR_RAISE(std::string bytes, files_->ReadAll(path));
  return DecodeIndexManifest(bytes, path);
}

Result<WrittenFile> IndexManifestStore::Write(const std::string& uuid, const std::vector<IndexFile>& files) {
  ARROW_ASSIGN_OR_RAISE(std::string codec, AvroCodecName(compression_));
  ARROW_ASSIGN_OR_RAISE(AvroContainerWriter writer, AvroContainerWriter::Make(kIndexManifestSchema, codec));
  for (const IndexFile& file : files) ARROW_RETURN_NOT_OK(PutRecord(writer, file));
  ARROW_ASSIGN_OR_RAISE(std::string bytes, writer.Finish());
  const std::string file_name = "index-manifest-" + uuid;
  ARROW_RETURN_NOT_OK(WriteWholeFile(*files_, JoinLocation(folder_, file_name), bytes));
  return WrittenFile{file_name, static_cast<int64_t>(bytes.size())};
}

}  // namespace reelhouse
