#include "reelhouse/manifest/unpacked_manifest.h"

#include <utility>

#include "reelhouse/manifest/manifest_layout.h"

namespace reelhouse {

UnpackedManifest::UnpackedManifest(AvroUnpackedRecords records, std::shared_ptr<const ManifestDecoder> decoder)
    : records_(std::move(records)),
      decoder_(std::move(decoder)),
      parts_(std::make_unique<Part[]>(records_.blocks.size())) {}

int64_t UnpackedManifest::size_bytes() const {
  int64_t bytes = static_cast<int64_t>(records_.bytes.size());
  for (const AvroUnpackedRecords::Block& block : records_.blocks) {
    bytes += block.record_count * static_cast<int64_t>(sizeof(EntryOutline));
  }
  return bytes;
}

Result<std::span<const EntryOutline>> UnpackedManifest::Outlines(size_t part) const {
  Part& made = parts_[part];
  std::call_once(made.once, [&] { made.status = MakeOutlines(part, &made.outlines); });
  ARROW_RETURN_NOT_OK(made.status);
  return std::span<const EntryOutline>(made.outlines);
}

Status UnpackedManifest::MakeOutlines(size_t part, std::vector<EntryOutline>* outlines) const {
  const AvroUnpackedRecords::Block& block = records_.blocks[part];
  const std::string_view bytes = records_.BytesOf(block);
  // A record has dozens of bytes, so that the count is bounded by what was unpacked.
  outlines->reserve(static_cast<size_t>(block.record_count));
  EntryOutline outline;
  return DecodeAvroBlock(records_, block, *decoder_->outlines, &outline, [&](const char* begin) {
    outline.encoded = bytes.substr(static_cast<size_t>(begin - bytes.data()));
    outlines->push_back(outline);
    return Status::OK();
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
