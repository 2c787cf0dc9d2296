#include "reelhouse/media/coded_picture.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "reelhouse/media/bit_reader.h"

namespace reelhouse {
namespace {

using Bytes = std::span<const uint8_t>;

/// NAL units, OBUs, start codes: what a bound on work per packet is for. No sane packet has more.
constexpr size_t kMaxUnits = 100'000;

/// The NAL units of a packet, with lengths in front or start codes between. Nothing where the packet is broken.
std::optional<std::vector<Bytes>> NalUnits(Bytes packet, int length_bytes) {
  std::vector<Bytes> units;
  if (length_bytes > 0) {
    size_t at = 0;
    while (at < packet.size()) {
      if (packet.size() - at < static_cast<size_t>(length_bytes)) return std::nullopt;
      size_t size = 0;
      for (int i = 0; i < length_bytes; ++i) size = size << 8 | packet[at + i];
      at += length_bytes;
      if (size > packet.size() - at || units.size() >= kMaxUnits) return std::nullopt;
      units.push_back(packet.subspan(at, size));
      at += size;
    }
    return units;
  }
  std::optional<size_t> start;
  for (size_t at = 0; at + 3 <= packet.size();) {
    if (packet[at + 2] > 1) {
      at += 3;
    } else if (packet[at] == 0 && packet[at + 1] == 0 && packet[at + 2] == 1) {
      if (start) units.push_back(packet.subspan(*start, at - *start));
      if (units.size() >= kMaxUnits) return std::nullopt;
      start = at + 3;
      at += 3;
    } else {
      ++at;
    }
  }
  if (!start) return std::nullopt;
  units.push_back(packet.subspan(*start));
  return units;
}

/// A NAL unit without its emulation prevention bytes; at most `limit` bytes of it.
std::vector<uint8_t> Unescaped(Bytes unit, size_t limit) {
  std::vector<uint8_t> plain;
  plain.reserve(std::min(limit, unit.size()));
  int zeros = 0;
  for (const uint8_t byte : unit) {
    if (plain.size() >= limit) break;
    if (zeros >= 2 && byte == 3) {
      zeros = 0;
      continue;
    }
    zeros = byte == 0 ? zeros + 1 : 0;
    plain.push_back(byte);
  }
  return plain;
}

// H.264 -----------------------------------------------------------------------------------------------------------

enum H264Unit {
  kSlice = 1,
  kPartitionA = 2,
  kPartitionC = 4,
  kIdr = 5,
  kSei = 6,
  kSps = 7,
  kEndOfSequence = 10,
  kEndOfStream = 11
};

void SkipScalingList(BitReader& bits, int size) {
  int last = 8;
  int next = 8;
  for (int i = 0; i < size && !bits.is_past_end(); ++i) {
    if (next != 0) next = (last + bits.SignedGolomb() + 256) % 256;
    last = next == 0 ? last : next;
  }
}

/// What the sequence parameter set of H.264 says of all pictures.
struct SequenceOutline {
  uint32_t columns = 0;          // in macroblocks; 0 where the SPS cannot be read
  uint32_t rows = 0;             // in macroblocks, of frames
  bool has_frames_only = false;  // no picture is interlaced
};

SequenceOutline OutlineOf(Bytes sps) {
  const std::vector<uint8_t> plain = Unescaped(sps, 1024);
  BitReader bits(plain);
  bits.Bits(8);
  const uint32_t profile = bits.Bits(8);
  bits.Bits(16);
  bits.Golomb();
  constexpr uint32_t kHighProfiles[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};
  if (std::find(std::begin(kHighProfiles), std::end(kHighProfiles), profile) != std::end(kHighProfiles)) {
    const uint32_t chroma = bits.Golomb();
    if (chroma == 3) bits.Bit();
    bits.Golomb();
    bits.Golomb();
    bits.Bit();
    if (bits.Bit()) {
      for (int i = 0; i < (chroma == 3 ? 12 : 8); ++i) {
        if (bits.Bit()) SkipScalingList(bits, i < 6 ? 16 : 64);
      }
    }
  }
  bits.Golomb();
  const uint32_t order_type = bits.Golomb();
  if (order_type == 0) {
    bits.Golomb();
  } else if (order_type == 1) {
    bits.Bit();
    bits.SignedGolomb();
    bits.SignedGolomb();
    const uint32_t count = bits.Golomb();
    for (uint32_t i = 0; i < count && !bits.is_past_end(); ++i) bits.SignedGolomb();
  }
  bits.Golomb();
  bits.Bit();
  SequenceOutline outline;
  outline.columns = bits.Golomb() + 1;
  outline.rows = bits.Golomb() + 1;
  outline.has_frames_only = bits.Bit() == 1;
  if (!outline.has_frames_only) outline.rows *= 2;
  return bits.is_past_end() ? SequenceOutline{} : outline;
}

/// True where `size` is that of so many macroblocks, cut by less than one of them.
bool IsSizeOf(uint32_t macroblocks, int size) {
  constexpr int kSide = 16;
  return size > 0 && macroblocks == (static_cast<uint32_t>(size) + kSide - 1) / kSide;
}

/// What a recovery point message promises for pictures from this one on; kNone where the unit has no such message or
/// the promise is for later pictures (gradual refresh).
DecodeStart RecoveryPoint(Bytes sei) {
  const std::vector<uint8_t> plain = Unescaped(sei, 4096);
  size_t at = 1;
  while (at + 2 <= plain.size() && plain[at] != 0x80) {
    uint32_t type = 0;
    uint32_t size = 0;
    while (at < plain.size() && plain[at] == 0xff) type += 255, ++at;
    if (at < plain.size()) type += plain[at++];
    while (at < plain.size() && plain[at] == 0xff) size += 255, ++at;
    if (at < plain.size()) size += plain[at++];
    if (at > plain.size()) break;
    if (type == 6) {
      BitReader bits(Bytes(plain).subspan(at));
      const uint32_t distance = bits.Golomb();
      const bool is_exact = bits.Bit() == 1;
      const bool is_broken = bits.Bit() == 1;
      if (bits.is_past_end() || distance != 0) return DecodeStart::kNone;
      return is_exact && !is_broken ? DecodeStart::kOpen : DecodeStart::kLoose;
    }
    if (size > plain.size() - at) break;
    at += size;
  }
  return DecodeStart::kNone;
}

// HEVC ------------------------------------------------------------------------------------------------------------

enum HevcUnit {
  kRaslN = 8,
  kRaslR = 9,
  kBlaFirst = 16,
  kBlaLast = 18,
  kIdrFirst = 19,
  kIdrLast = 20,
  kCra = 21,
  kIrapLast = 23,
  kVclLast = 31,
  kHevcSps = 33,
  kHevcPps = 34,
  kEos = 36,
  kEob = 37
};

int HevcType(Bytes unit) { return unit[0] >> 1 & 0x3f; }

/// output_flag_present_flag: slices say whether their picture is for output.
bool HasOutputFlags(Bytes pps) {
  const std::vector<uint8_t> plain = Unescaped(pps, 64);
  BitReader bits(plain);
  bits.Bits(16);
  bits.Golomb();
  bits.Golomb();
  bits.Bit();
  return bits.Bit() == 1 || bits.is_past_end();
}

// VP8, VP9 --------------------------------------------------------------------------------------------------------

CodedPicture LookAtVp8(Bytes packet) {
  CodedPicture picture;
  if (packet.size() < 3) return picture;
  const bool is_key = (packet[0] & 1) == 0;
  picture.shown_count = packet[0] >> 4 & 1;
  picture.start = is_key && picture.shown_count == 1 ? DecodeStart::kClean : DecodeStart::kNone;
  return picture;
}

/// Adds what one frame of a VP9 packet shows; false where the header is not understood.
bool LookAtVp9Frame(Bytes frame, bool is_first, CodedPicture& picture) {
  BitReader bits(frame);
  if (bits.Bits(2) != 2) return false;
  const uint32_t profile = bits.Bit() | bits.Bit() << 1;
  if (profile == 3) bits.Bit();
  if (bits.Bit()) {
    ++picture.shown_count;
    return !bits.is_past_end();
  }
  const bool is_key = bits.Bit() == 0;
  const bool is_shown = bits.Bit() == 1;
  picture.shown_count += is_shown;
  if (is_first && is_key && is_shown) picture.start = DecodeStart::kClean;
  return !bits.is_past_end();
}

CodedPicture LookAtVp9(Bytes packet) {
  CodedPicture unknown;
  CodedPicture picture;
  picture.shown_count = 0;
  if (packet.empty()) return unknown;
  const uint8_t marker = packet.back();
  if ((marker & 0xe0) != 0xc0) return LookAtVp9Frame(packet, true, picture) ? picture : unknown;
  const size_t frames = (marker & 7) + 1;
  const size_t size_bytes = (marker >> 3 & 3) + 1;
  const size_t index_bytes = 2 + frames * size_bytes;
  if (packet.size() < index_bytes || packet[packet.size() - index_bytes] != marker) {
    return LookAtVp9Frame(packet, true, picture) ? picture : unknown;
  }
  size_t at = 0;
  const size_t index_at = packet.size() - index_bytes;
  for (size_t i = 0; i < frames; ++i) {
    size_t size = 0;
    for (size_t j = 0; j < size_bytes; ++j)
      size |= static_cast<size_t>(packet[index_at + 1 + i * size_bytes + j]) << 8 * j;
    if (size == 0 || size > index_at - at) return unknown;
    if (!LookAtVp9Frame(packet.subspan(at, size), i == 0, picture)) return unknown;
    at += size;
  }
  return picture;
}

// MPEG-1, MPEG-2, MPEG-4 part 2 -----------------------------------------------------------------------------------

/// The bytes that follow each start code 00 00 01.
std::vector<Bytes> StartCodes(Bytes packet) {
  std::vector<Bytes> codes;
  for (size_t at = 0; at + 4 <= packet.size() && codes.size() < kMaxUnits;) {
    if (packet[at + 2] > 1) {
      at += 3;
    } else if (packet[at] == 0 && packet[at + 1] == 0 && packet[at + 2] == 1) {
      codes.push_back(packet.subspan(at + 3));
      at += 4;
    } else {
      ++at;
    }
  }
  return codes;
}

CodedPicture LookAtMpeg4(Bytes packet, bool is_packed) {
  // Decoders take tiny packets for pictures that repeat the last one.
  constexpr size_t kMaxRepeatBytes = 20;
  CodedPicture picture;
  int pictures = 0;
  bool is_intra = false;
  for (const Bytes code : StartCodes(packet)) {
    if (code[0] != 0xb6 || code.size() < 2) continue;
    if (++pictures == 1) is_intra = code[1] >> 6 == 0;
  }
  if (pictures == 1 && packet.size() > kMaxRepeatBytes && !is_packed) picture.shown_count = 1;
  if (pictures == 1 && is_intra) picture.start = DecodeStart::kOpen;
  return picture;
}

CodedPicture LookAtMpeg2(Bytes packet) {
  CodedPicture picture;
  bool has_sequence = false;
  for (const Bytes code : StartCodes(packet)) {
    if (code[0] == 0xb3) has_sequence = true;
    if (code[0] != 0x00 || code.size() < 3) continue;
    const bool is_intra = (code[2] >> 3 & 7) == 1;
    // Without a sequence header quantiser matrices of earlier pictures may still hold.
    if (has_sequence && is_intra) picture.start = DecodeStart::kOpen;
    break;
  }
  return picture;
}

bool IsWholePictureCodec(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_MJPEG:
    case AV_CODEC_ID_PNG:
    case AV_CODEC_ID_FFV1:
    case AV_CODEC_ID_HUFFYUV:
    case AV_CODEC_ID_FFVHUFF:
    case AV_CODEC_ID_UTVIDEO:
    case AV_CODEC_ID_MAGICYUV:
    case AV_CODEC_ID_PRORES:
    case AV_CODEC_ID_DNXHD:
    case AV_CODEC_ID_JPEG2000:
    case AV_CODEC_ID_RAWVIDEO:
    case AV_CODEC_ID_V210:
    case AV_CODEC_ID_DVVIDEO:
      return true;
    default:
      return false;
  }
}

}  // namespace

CodedPictureReader::CodedPictureReader(const AVCodecParameters& parameters)
    : codec_(parameters.codec_id), width_(parameters.width), height_(parameters.height) {
  if (!parameters.extradata || parameters.extradata_size <= 0) return;
  const Bytes extradata(parameters.extradata, static_cast<size_t>(parameters.extradata_size));
  if (codec_ == AV_CODEC_ID_H264) {
    LearnAvcConfiguration(extradata);
  } else if (codec_ == AV_CODEC_ID_HEVC) {
    LearnHevcConfiguration(extradata);
  } else if (codec_ == AV_CODEC_ID_MPEG4) {
    // User data `DivX503b1393p`: the p says that two pictures share a packet.
    const std::string_view text(reinterpret_cast<const char*>(extradata.data()), extradata.size());
    const size_t divx = text.find("DivX");
    is_packed_ = divx != text.npos && text.find('p', divx) != text.npos;
  }
}

CodedPicture CodedPictureReader::Look(Bytes packet, bool is_flagged_key) {
  switch (codec_) {
    case AV_CODEC_ID_H264:
      return LookAtH264(packet);
    case AV_CODEC_ID_HEVC:
      return LookAtHevc(packet);
    case AV_CODEC_ID_VP8:
      return LookAtVp8(packet);
    case AV_CODEC_ID_VP9:
      return LookAtVp9(packet);
    case AV_CODEC_ID_AV1:
      return LookAtAv1(packet);
    case AV_CODEC_ID_MPEG4:
      return LookAtMpeg4(packet, is_packed_);
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
      return LookAtMpeg2(packet);
    default:
      break;
  }
  CodedPicture picture;
  if (IsWholePictureCodec(codec_) && !packet.empty()) {
    picture.shown_count = 1;
    picture.start = is_flagged_key ? DecodeStart::kClean : DecodeStart::kNone;
  }
  return picture;
}

bool CodedPictureReader::IsLateParameterSet(Bytes unit) {
  while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
  const bool is_new = parameter_sets_.emplace(reinterpret_cast<const char*>(unit.data()), unit.size()).second;
  return is_new && has_seen_picture_;
}

void CodedPictureReader::LearnAvcConfiguration(Bytes extradata) {
  std::vector<Bytes> units;
  if (extradata[0] == 1 && extradata.size() >= 7) {
    nal_length_bytes_ = (extradata[4] & 3) + 1;
    size_t at = 6;
    for (int left = extradata[5] & 0x1f; left > 0 && at + 2 <= extradata.size(); --left) {
      const size_t size = extradata[at] << 8 | extradata[at + 1];
      at += 2;
      if (size > extradata.size() - at) break;
      units.push_back(extradata.subspan(at, size));
      at += size;
    }
  } else {
    units = NalUnits(extradata, 0).value_or(std::vector<Bytes>());
  }
  for (const Bytes unit : units) {
    if (unit.empty() || (unit[0] & 0x1f) != kSps) continue;
    IsLateParameterSet(unit);
    const SequenceOutline outline = OutlineOf(unit);
    has_fields_ |= !outline.has_frames_only;
    const bool is_right = IsSizeOf(outline.columns, width_) && IsSizeOf(outline.rows, height_);
    (is_right ? has_right_size_ : has_wrong_size_) = true;
  }
}

CodedPicture CodedPictureReader::LookAtH264(Bytes packet) {
  CodedPicture picture;
  const auto units = NalUnits(packet, nal_length_bytes_);
  if (!units) return picture;
  int first_slices = 0;
  bool is_idr = false;
  bool is_intra = true;
  DecodeStart recovery = DecodeStart::kNone;
  for (const Bytes unit : *units) {
    if (unit.empty()) continue;
    const int type = unit[0] & 0x1f;
    if (type == kSps) {
      picture.is_surprising |= IsLateParameterSet(unit);
      has_fields_ |= !OutlineOf(unit).has_frames_only;
    } else if (type == kSei) {
      recovery = std::max(recovery, RecoveryPoint(unit));
    } else if (type == kSlice || type == kIdr) {
      BitReader bits(unit.subspan(1));
      first_slices += bits.Golomb() == 0;
      const uint32_t slice = bits.Golomb() % 5;
      is_intra &= slice == 2 || slice == 4;
      is_idr |= type == kIdr;
    } else if (type >= kPartitionA && type <= kPartitionC) {
      picture.is_surprising = true;
    } else if (type == kEndOfSequence || type == kEndOfStream) {
      picture.is_surprising = true;
    }
  }
  if (first_slices > 0) {
    picture.shown_count = has_fields_ ? -1 : first_slices;
    picture.start = is_idr ? DecodeStart::kClean : is_intra ? recovery : DecodeStart::kNone;
    has_seen_picture_ = true;
  }
  return picture;
}

void CodedPictureReader::LearnHevcConfiguration(Bytes extradata) {
  std::vector<Bytes> units;
  if (extradata[0] == 1 && extradata.size() >= 23) {
    nal_length_bytes_ = (extradata[21] & 3) + 1;
    size_t at = 23;
    for (int arrays = extradata[22]; arrays > 0 && at + 3 <= extradata.size(); --arrays) {
      int left = extradata[at + 1] << 8 | extradata[at + 2];
      at += 3;
      for (; left > 0 && at + 2 <= extradata.size(); --left) {
        const size_t size = extradata[at] << 8 | extradata[at + 1];
        at += 2;
        if (size > extradata.size() - at) return;
        units.push_back(extradata.subspan(at, size));
        at += size;
      }
    }
  } else {
    units = NalUnits(extradata, 0).value_or(std::vector<Bytes>());
  }
  for (const Bytes unit : units) {
    if (unit.size() < 3) continue;
    if (HevcType(unit) == kHevcSps) IsLateParameterSet(unit);
    if (HevcType(unit) == kHevcPps) has_hidden_ |= HasOutputFlags(unit);
  }
}

CodedPicture CodedPictureReader::LookAtHevc(Bytes packet) {
  CodedPicture picture;
  const auto units = NalUnits(packet, nal_length_bytes_);
  if (!units) return picture;
  int first_slices = 0;
  for (const Bytes unit : *units) {
    if (unit.size() < 3) continue;
    const int type = HevcType(unit);
    const int layer = (unit[0] & 1) << 5 | unit[1] >> 3;
    if (layer != 0) continue;
    if (type == kHevcSps) {
      picture.is_surprising |= IsLateParameterSet(unit);
    } else if (type == kHevcPps) {
      has_hidden_ |= HasOutputFlags(unit);
    } else if (type == kEos || type == kEob) {
      picture.is_surprising = true;
    } else if (type <= kVclLast) {
      const bool is_first_slice = unit[2] >> 7 == 1;
      if (!is_first_slice) continue;
      ++first_slices;
      picture.is_skipped_leading = type == kRaslN || type == kRaslR;
      if (type >= kBlaFirst && type <= kIrapLast) {
        const bool is_dropping_earlier = unit[2] >> 6 & 1;
        const bool is_bla = type <= kBlaLast;
        picture.is_surprising |= has_seen_picture_ && (is_dropping_earlier || is_bla);
        picture.start = type == kIdrFirst || type == kIdrLast ? DecodeStart::kClean : DecodeStart::kOpen;
      }
    }
  }
  if (first_slices > 0) {
    picture.shown_count = has_hidden_ ? -1 : first_slices;
    has_seen_picture_ = true;
  }
  return picture;
}

CodedPicture CodedPictureReader::LookAtAv1(Bytes packet) {
  constexpr int kSequence = 1, kFrameHeader = 3, kFrame = 6;
  CodedPicture unknown;
  CodedPicture picture;
  picture.shown_count = 0;
  bool is_first = true;
  size_t units = 0;
  for (size_t at = 0; at < packet.size();) {
    if (++units > kMaxUnits) return unknown;
    const int type = packet[at] >> 3 & 0xf;
    const bool has_extension = packet[at] >> 2 & 1;
    const bool has_size = packet[at] >> 1 & 1;
    at += has_extension ? 2 : 1;
    uint64_t size = 0;
    if (has_size) {
      for (int shift = 0; shift < 56; shift += 7) {
        if (at >= packet.size()) return unknown;
        const uint8_t byte = packet[at++];
        size |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
    } else {
      if (at > packet.size()) return unknown;
      size = packet.size() - at;
    }
    if (at > packet.size() || size > packet.size() - at) return unknown;
    const Bytes unit = packet.subspan(at, size);
    at += size;
    if (type == kSequence) {
      picture.is_surprising |= IsLateParameterSet(unit);
      if (unit.empty() || (unit[0] >> 3 & 1)) return unknown;  // reduced still picture headers have other fields
    } else if (type == kFrameHeader || type == kFrame) {
      BitReader bits(unit);
      const bool is_repeat = bits.Bit() == 1;
      const bool is_key = !is_repeat && bits.Bits(2) == 0;
      const bool is_shown = is_repeat || bits.Bit() == 1;
      if (bits.is_past_end()) return unknown;
      picture.shown_count += is_shown;
      if (is_first && is_key && is_shown) picture.start = DecodeStart::kClean;
      is_first = false;
      has_seen_picture_ = true;
    }
  }
  return picture;
}

}  // namespace reelhouse
