#include "reelhouse/avro/block_codec.h"

#include <algorithm>
#include <utility>

#include <arrow/util/compression.h>
#include <zlib.h>
#include <zstd.h>

#include "reelhouse/base/crc32.h"
#include "reelhouse/base/endian.h"
#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

// Output grows by steps from here, so that a lie about the size costs no memory.
constexpr int64_t kFirstOutputBytes = 64 << 10;

Status TooLong(int64_t most_bytes) {
  return Status::Invalid("unpacks to more than ", most_bytes, " bytes, the most that is accepted");
}

// Makes room behind `used` bytes; false if `most_bytes` are used up.
bool Grow(std::string* raw, int64_t used, int64_t most_bytes) {
  if (used >= most_bytes) return false;
  raw->resize(static_cast<size_t>(std::min(most_bytes, std::max(kFirstOutputBytes, used * 2))));
  return true;
}

const uint8_t* Bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }
uint8_t* Bytes(std::string& text) { return reinterpret_cast<uint8_t*>(text.data()); }

class NullCodec final : public BlockCodec {
 public:
  Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) override {
    if (static_cast<int64_t>(packed.size()) > most_bytes) return TooLong(most_bytes);
    raw->assign(packed);
    return Status::OK();
  }
  Status Pack(std::string_view raw, std::string* packed) override {
    packed->assign(raw);
    return Status::OK();
  }
};

/// Raw deflate, without the zlib header.
class DeflateCodec final : public BlockCodec {
 public:
  ~DeflateCodec() override {
    if (inflating_) inflateEnd(&inflate_);
  }

  Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) override {
    if (!inflating_) {
      if (inflateInit2(&inflate_, -MAX_WBITS) != Z_OK) return Status::OutOfMemory("no memory for zlib");
      inflating_ = true;
    } else {
      inflateReset(&inflate_);
    }
    if (packed.size() > UINT32_MAX) return Status::Invalid("a deflate block of ", packed.size(), " bytes");
    inflate_.next_in = const_cast<Bytef*>(Bytes(packed));
    inflate_.avail_in = static_cast<uInt>(packed.size());
    int64_t used = 0;
    int code = Z_OK;
    while (code != Z_STREAM_END) {
      if (used == static_cast<int64_t>(raw->size()) || used == 0) {
        if (!Grow(raw, used, most_bytes)) {
          // A stream may still have its end mark to be read.
          uint8_t probe = 0;
          inflate_.next_out = &probe;
          inflate_.avail_out = 1;
          code = inflate(&inflate_, Z_NO_FLUSH);
          if (code == Z_STREAM_END && inflate_.avail_out == 1) break;
          return TooLong(most_bytes);
        }
      }
      const int64_t room = std::min<int64_t>(static_cast<int64_t>(raw->size()) - used, UINT32_MAX);
      inflate_.next_out = Bytes(*raw) + used;
      inflate_.avail_out = static_cast<uInt>(room);
      code = inflate(&inflate_, Z_NO_FLUSH);
      used += room - inflate_.avail_out;
      if (code == Z_STREAM_END) break;
      if (code != Z_OK || (inflate_.avail_in == 0 && inflate_.avail_out != 0)) {
        return Status::Invalid("broken deflate data",
                               inflate_.msg != nullptr ? std::string(": ") + inflate_.msg : std::string());
      }
    }
    // Bytes behind the stream are left alone: fastavro leaves most of a zlib checksum there.
    raw->resize(static_cast<size_t>(used));
    return Status::OK();
  }

  Status Pack(std::string_view raw, std::string* packed) override {
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      return Status::OutOfMemory("no memory for zlib");
    }
    packed->resize(deflateBound(&stream, raw.size()));
    stream.next_in = const_cast<Bytef*>(Bytes(raw));
    stream.avail_in = static_cast<uInt>(raw.size());
    stream.next_out = Bytes(*packed);
    stream.avail_out = static_cast<uInt>(packed->size());
    const int code = deflate(&stream, Z_FINISH);
    packed->resize(packed->size() - stream.avail_out);
    deflateEnd(&stream);
    return code == Z_STREAM_END ? Status::OK() : Status::Invalid("deflate failed with code ", code);
  }

 private:
  z_stream inflate_{};
  bool inflating_ = false;
};

/// Frames need not say how long their content is, so they are unpacked as a stream.
class ZstandardCodec final : public BlockCodec {
 public:
  Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) override {
    // Of the thread, not of the file: to make one costs as much as a small file does.
    static thread_local std::unique_ptr<ZSTD_DCtx, Free> context;
    if (context == nullptr) context.reset(ZSTD_createDCtx());
    if (context == nullptr) return Status::OutOfMemory("no memory for zstd");
    ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    int64_t used = 0;
    size_t hint = 1;
    while (true) {
      if (used == static_cast<int64_t>(raw->size()) || used == 0) {
        if (!Grow(raw, used, most_bytes)) return TooLong(most_bytes);
      }
      ZSTD_outBuffer out{raw->data(), raw->size(), static_cast<size_t>(used)};
      const size_t in_before = in.pos;
      hint = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(hint)) return Status::Invalid("broken zstandard data: ", ZSTD_getErrorName(hint));
      const bool moved = in.pos != in_before || static_cast<int64_t>(out.pos) != used;
      used = static_cast<int64_t>(out.pos);
      // Several frames in a row are one stream; a block is done at the end of a frame and of the input.
      if (hint == 0 && in.pos == in.size) break;
      if (!moved && used < static_cast<int64_t>(raw->size())) {
        return Status::Invalid("broken zstandard data: it ends too early");
      }
    }
    raw->resize(static_cast<size_t>(used));
    return Status::OK();
  }

  Status Pack(std::string_view raw, std::string* packed) override {
    if (writing_ == nullptr) writing_.reset(ZSTD_createCCtx());
    if (writing_ == nullptr) return Status::OutOfMemory("no memory for zstd");
    packed->resize(ZSTD_compressBound(raw.size()));
    const size_t size =
        ZSTD_compressCCtx(writing_.get(), packed->data(), packed->size(), raw.data(), raw.size(), ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size)) return Status::Invalid("zstandard failed: ", ZSTD_getErrorName(size));
    packed->resize(size);
    return Status::OK();
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> writing_;
};

/// A snappy block, then the CRC-32 of the unpacked bytes, big-endian. Arrow brings snappy along.
class SnappyCodec final : public BlockCodec {
 public:
  explicit SnappyCodec(std::unique_ptr<arrow::util::Codec> codec) : codec_(std::move(codec)) {}

  Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) override {
    if (packed.size() < 4) return Status::Invalid("a snappy block of ", packed.size(), " bytes");
    const std::string_view block = packed.substr(0, packed.size() - 4);
    ARROW_ASSIGN_OR_RAISE(int64_t size, UnpackedSize(block));
    if (size > most_bytes) return TooLong(most_bytes);
    // The densest snappy element gives 64 bytes for 3.
    if (size > static_cast<int64_t>(block.size()) * 22) {
      return Status::Invalid("broken snappy data: ", block.size(), " bytes cannot hold ", size);
    }
    raw->resize(static_cast<size_t>(size));
    ARROW_ASSIGN_OR_RAISE(int64_t got,
                          codec_->Decompress(static_cast<int64_t>(block.size()), Bytes(block), size, Bytes(*raw)));
    if (got != size) return Status::Invalid("broken snappy data: expected ", size, " bytes, found ", got);
    const uint32_t expected = LoadBe32(packed.data() + block.size());
    if (Crc32(*raw) != expected) return Status::Invalid("CRC mismatch of a snappy block");
    return Status::OK();
  }

  Status Pack(std::string_view raw, std::string* packed) override {
    const int64_t size = static_cast<int64_t>(raw.size());
    packed->resize(static_cast<size_t>(codec_->MaxCompressedLen(size, Bytes(raw))));
    ARROW_ASSIGN_OR_RAISE(int64_t got,
                          codec_->Compress(size, Bytes(raw), static_cast<int64_t>(packed->size()), Bytes(*packed)));
    packed->resize(static_cast<size_t>(got));
    AppendBe32(*packed, Crc32(raw));
    return Status::OK();
  }

 private:
  static Result<int64_t> UnpackedSize(std::string_view block) {
    uint64_t size = 0;
    for (size_t i = 0; i < 5 && i < block.size(); ++i) {
      const uint8_t byte = Bytes(block)[i];
      size |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
      if (byte < 0x80) {
        if (size <= UINT32_MAX) return static_cast<int64_t>(size);
        break;
      }
    }
    return Status::Invalid("broken snappy data: no size in front");
  }

  std::unique_ptr<arrow::util::Codec> codec_;
};

class Bzip2Codec final : public BlockCodec {
 public:
  explicit Bzip2Codec(std::unique_ptr<arrow::util::Codec> codec) : codec_(std::move(codec)) {}

  Status Unpack(std::string_view packed, int64_t most_bytes, std::string* raw) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, codec_->MakeDecompressor());
    int64_t used = 0;
    size_t at = 0;
    while (!stream->IsFinished()) {
      if (used == static_cast<int64_t>(raw->size()) || used == 0) {
        if (!Grow(raw, used, most_bytes)) return TooLong(most_bytes);
      }
      ARROW_ASSIGN_OR_RAISE(auto step,
                            stream->Decompress(static_cast<int64_t>(packed.size() - at), Bytes(packed) + at,
                                               static_cast<int64_t>(raw->size()) - used, Bytes(*raw) + used));
      at += static_cast<size_t>(step.bytes_read);
      used += step.bytes_written;
      if (step.bytes_read == 0 && step.bytes_written == 0 && !stream->IsFinished()) {
        return Status::Invalid("broken bzip2 data: it ends too early");
      }
    }
    if (at != packed.size()) return Status::Invalid(packed.size() - at, " bytes behind the bzip2 data");
    raw->resize(static_cast<size_t>(used));
    return Status::OK();
  }

  Status Pack(std::string_view raw, std::string* packed) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, codec_->MakeCompressor());
    packed->resize(raw.size() + raw.size() / 64 + 1024);
    int64_t used = 0;
    size_t at = 0;
    const auto room = [&] { return static_cast<int64_t>(packed->size()) - used; };
    while (at < raw.size()) {
      ARROW_ASSIGN_OR_RAISE(auto step, stream->Compress(static_cast<int64_t>(raw.size() - at), Bytes(raw) + at, room(),
                                                        Bytes(*packed) + used));
      at += static_cast<size_t>(step.bytes_read);
      used += step.bytes_written;
      if (step.bytes_read == 0) packed->resize(packed->size() * 2);
    }
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto end, stream->End(room(), Bytes(*packed) + used));
      used += end.bytes_written;
      if (!end.should_retry) break;
      packed->resize(packed->size() * 2);
    }
    packed->resize(static_cast<size_t>(used));
    return Status::OK();
  }

 private:
  std::unique_ptr<arrow::util::Codec> codec_;
};

}  // namespace

Result<std::unique_ptr<BlockCodec>> BlockCodec::Make(std::string_view name) {
  if (name.empty() || name == "null") return std::make_unique<NullCodec>();
  if (name == "deflate") return std::make_unique<DeflateCodec>();
  if (name == "zstandard") return std::make_unique<ZstandardCodec>();
  if (name == "snappy" || name == "bzip2") {
    const auto type = name == "snappy" ? arrow::Compression::SNAPPY : arrow::Compression::BZ2;
    auto codec = arrow::util::Codec::Create(type);
    if (!codec.ok()) {
      return Status::NotImplemented("Avro codec `", name, "` is not in this build of Arrow (", codec.status().message(),
                                    "); set the option manifest.compression of the table to zstd");
    }
    if (name == "snappy") return std::make_unique<SnappyCodec>(std::move(*codec));
    return std::make_unique<Bzip2Codec>(std::move(*codec));
  }
  return Status::NotImplemented("Avro codec ", QuoteForError(name),
                                " is not supported; known are null, deflate, snappy, zstandard and bzip2. Set the "
                                "option manifest.compression of the table to zstd");
}

Result<std::string> AvroCodecName(std::string_view compression) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"zstd", "zstandard"},  {"zstandard", "zstandard"}, {"null", "null"},   {"none", "null"},
      {"deflate", "deflate"}, {"snappy", "snappy"},       {"bzip2", "bzip2"},
  };
  for (const auto& [option, name] : kNames) {
    if (EqualsIgnoreCase(option, compression)) return std::string(name);
  }
  return Status::NotImplemented("manifest.compression ", QuoteForError(compression),
                                " is not supported; expected zstd, deflate, snappy, bzip2 or null");
}

}  // namespace reelhouse
