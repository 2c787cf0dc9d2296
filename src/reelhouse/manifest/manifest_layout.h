#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/avro/container_writer.h"
#include "reelhouse/base/status.h"
#include "reelhouse/io/file_store.h"
#include "reelhouse/manifest/index_manifest.h"
#include "reelhouse/manifest/manifest_entry.h"
#include "reelhouse/manifest/manifest_list.h"

namespace reelhouse {

/// The bytes of the three kinds of manifest files (format notes, 3.2 and 3.6). Readers match fields by name, take them
/// in any order and do without the ones that newer engines added; `path` is for errors.

Result<std::vector<ManifestFile>> DecodeManifestList(std::string_view file, std::string_view path);
Result<std::vector<ManifestEntry>> DecodeManifest(std::string_view file, std::string_view path);
Result<std::vector<IndexFile>> DecodeIndexManifest(std::string_view file, std::string_view path);

/// What decoding checks of an entry besides its types: the name and the numbers of its file.
Status CheckEntry(const ManifestEntry& entry, std::string_view path);

/// Schemas as pypaimon writes them.
extern const std::string_view kManifestListSchema;
extern const std::string_view kManifestSchema;
extern const std::string_view kIndexManifestSchema;

/// A new file with this content, durable as the store is.
Status WriteWholeFile(FileStore& files, const std::string& path, std::string_view content);

/// Append one record.
Status PutRecord(AvroContainerWriter& writer, const ManifestFile& manifest);
Status PutRecord(AvroContainerWriter& writer, const ManifestEntry& entry);
Status PutRecord(AvroContainerWriter& writer, const IndexFile& index_file);

}  // namespace reelhouse
