#include "reelhouse/format/blob/blob_file_writer.h"

#include <algorithm>
#include <limits>

#include <arrow/buffer.h>
#include <fmt/format.h>

#include "reelhouse/base/crc32.h"
#include "reelhouse/base/delta_varint.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/format/blob/blob_file_reader.h"
#include "reelhouse/format/blob/blob_layout.h"

namespace reelhouse {

struct BlobFileWriter::State {
  std::unique_ptr<OutputFile> file;
  std::vector<int64_t> record_bytes;
  int64_t position_bytes = 0;
  // A record that broke in the middle cannot be taken back: nothing may follow it.
  Status failure;

  Status Write(std::string_view bytes) {
    Status written = file->Write(bytes.data(), static_cast<int64_t>(bytes.size()));
    if (!written.ok()) return failure = std::move(written);
    position_bytes += static_cast<int64_t>(bytes.size());
    return Status::OK();
  }

  Status BeginRecord(uint32_t* crc) {
    ARROW_RETURN_NOT_OK(failure);
    std::string header;
    AppendLe32(header, blob_layout::kRecordMagic);
    *crc = Crc32(header);
    return Write(header);
  }

  Status EndRecord(int64_t payload_bytes, uint32_t crc) {
    const int64_t length = payload_bytes + blob_layout::kRecordFrameBytes;
    std::string trailer;
    AppendLe64(trailer, static_cast<uint64_t>(length));
    AppendLe32(trailer, Crc32(trailer, crc));
    ARROW_RETURN_NOT_OK(Write(trailer));
    record_bytes.push_back(length);
    return Status::OK();
  }
};

BlobFileWriter::BlobFileWriter(std::unique_ptr<OutputFile> file) : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
}

BlobFileWriter::~BlobFileWriter() = default;

Status BlobFileWriter::AppendValue(std::string_view payload) {
  uint32_t crc = 0;
  ARROW_RETURN_NOT_OK(state_->BeginRecord(&crc));
  ARROW_RETURN_NOT_OK(state_->Write(payload));
  return state_->EndRecord(static_cast<int64_t>(payload.size()), Crc32(payload, crc));
}

Status BlobFileWriter::AppendValueFrom(arrow::io::RandomAccessFile& source, int64_t offset_bytes, int64_t size_bytes) {
  // The checksum needs every byte here, so the system cannot copy the range for us.
  constexpr int64_t kChunkBytes = 1 << 20;
  uint32_t crc = 0;
  ARROW_RETURN_NOT_OK(state_->BeginRecord(&crc));
  for (int64_t done = 0; done < size_bytes;) {
    const int64_t wanted = std::min(kChunkBytes, size_bytes - done);
    auto chunk = source.ReadAt(offset_bytes + done, wanted);
    if (!chunk.ok()) return state_->failure = chunk.status();
    const int64_t found = (*chunk)->size();
    if (found == 0) {
      return state_->failure = Status::IOError(fmt::format("expected {} bytes, found {}", size_bytes, done));
    }
    const std::string_view view(reinterpret_cast<const char*>((*chunk)->data()), static_cast<size_t>(found));
    ARROW_RETURN_NOT_OK(state_->Write(view));
    crc = Crc32(view, crc);
    done += found;
  }
  return state_->EndRecord(size_bytes, crc);
}

Status BlobFileWriter::AppendNull() {
  ARROW_RETURN_NOT_OK(state_->failure);
  state_->record_bytes.push_back(BlobFileIndex::kNull);
  return Status::OK();
}

Status BlobFileWriter::AppendPlaceholder() {
  ARROW_RETURN_NOT_OK(state_->failure);
  state_->record_bytes.push_back(BlobFileIndex::kPlaceholder);
  return Status::OK();
}

int64_t BlobFileWriter::position_bytes() const { return state_->position_bytes; }
int64_t BlobFileWriter::row_count() const { return static_cast<int64_t>(state_->record_bytes.size()); }
const std::string& BlobFileWriter::path() const { return state_->file->path(); }

Result<int64_t> BlobFileWriter::Finish() {
  ARROW_RETURN_NOT_OK(state_->failure);
  std::string end = EncodeDeltaVarints(state_->record_bytes);
  if (end.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return Status::Invalid(path(), ": the index of ", row_count(), " rows exceeds 2 GiB; roll the file earlier");
  }
  AppendLe32(end, static_cast<uint32_t>(end.size()));
  end.push_back(static_cast<char>(blob_layout::kVersion));
  ARROW_RETURN_NOT_OK(state_->Write(end));
  ARROW_RETURN_NOT_OK(state_->file->Finish());
  return state_->position_bytes;
}

Status BlobFileWriter::Discard() { return state_->file->Discard(); }

}  // namespace reelhouse
