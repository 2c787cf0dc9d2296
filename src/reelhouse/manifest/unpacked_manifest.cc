#include "reelhouse/manifest/unpacked_manifest.h"

#include <utility>

#include "reelhouse/manifest/manifest_layout.h"

namespace reelhouse {

Status UnpackedManifest::ForEachOutline(size_t part, const std::function<Status(const EntryOutline&)>& visit) const {
  const AvroUnpackedRecords::Block& block = records_.blocks[part];
  const std::string_view bytes = records_.BytesOf(block);
  EntryOutline outline;
  return DecodeAvroBlock(records_, block, *decoder_->outlines, &outline, [&](const char* begin) {
    outline.encoded = bytes.substr(static_cast<size_t>(begin - bytes.data()));
    return visit(outline);
  });
}

Result<ManifestEntry> UnpackedManifest::Entry(const EntryOutline& outline) const {
  AvroCursor cursor(outline.encoded);
  ManifestEntry entry;
  if (!decoder_->entries->Read(cursor, &entry)) return AvroFileError(records_.path, -1, "", cursor.failure());
  ARROW_RETURN_NOT_OK(CheckEntry(entry, records_.path));
  return entry;
}

Status UnpackedManifest::AppendEntries(size_t part, std::vector<ManifestEntry>* entries) const {
  const AvroUnpackedRecords::Block& block = records_.blocks[part];
  // A record has dozens of bytes, so that the count is bounded by what was unpacked.
  entries->reserve(entries->size() + static_cast<size_t>(block.record_count));
  ManifestEntry entry;
  return DecodeAvroBlock(records_, block, *decoder_->entries, &entry, [&](const char*) {
    ARROW_RETURN_NOT_OK(CheckEntry(entry, records_.path));
    entries->push_back(std::exchange(entry, {}));
    return Status::OK();
  });
}

}  // namespace reelhouse
