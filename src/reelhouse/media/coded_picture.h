#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "reelhouse/media/av.h"

namespace reelhouse {

/// Whether decoding may start at a packet, as its own bytes say: containers flag more than decoders can use.
enum class DecodeStart : uint8_t {
  kUnknown,  ///< not looked at
  kNone,
  kLoose,  ///< a key picture, but pictures after it may be only nearly right (recovery point that is not exact)
  kOpen,   ///< pictures that follow in the file but are shown before it need an earlier start
  kClean,  ///< nothing after it needs anything before it
};

/// What the headers inside of one packet say.
struct CodedPicture {
  DecodeStart start = DecodeStart::kNone;
  /// Pictures that a decoder gives out for the packet; -1 where it cannot be told.
  int shown_count = -1;
  /// Leading picture that is not decodable when decoding starts at the open key picture before it (HEVC RASL).
  bool is_skipped_leading = false;
  /// Something that changes which pictures come out later, such as an end of sequence inside of the stream.
  bool is_surprising = false;
};

/// Looks at the packets of one stream in file order, without decoding. Knows H.264, HEVC, VP8, VP9, AV1, MPEG-4 part 2,
/// MPEG-1/2 (starts only) and the codecs where every packet is a whole picture. Other codecs: nothing is known.
class CodedPictureReader {
 public:
  explicit CodedPictureReader(const AVCodecParameters& parameters);

  CodedPicture Look(std::span<const uint8_t> packet, bool is_flagged_key);

  /// True where the parameters given hold H.264 parameter sets that say what the other parameters say: then no packet
  /// must be decoded to learn more. False also where it is not known.
  bool headers_agree() const { return has_right_size_ && !has_wrong_size_ && !has_fields_; }

 private:
  CodedPicture LookAtH264(std::span<const uint8_t> packet);
  CodedPicture LookAtHevc(std::span<const uint8_t> packet);
  CodedPicture LookAtAv1(std::span<const uint8_t> packet);
  void LearnAvcConfiguration(std::span<const uint8_t> extradata);
  void LearnHevcConfiguration(std::span<const uint8_t> extradata);
  /// True where the parameter set is new after pictures were seen.
  bool IsLateParameterSet(std::span<const uint8_t> unit);

  AVCodecID codec_;
  int width_ = 0;
  int height_ = 0;
  bool has_right_size_ = false;  ///< H.264: of a parameter set of the header
  bool has_wrong_size_ = false;
  int nal_length_bytes_ = 0;  ///< 0 = start codes
  bool has_fields_ = false;   ///< H.264: pictures may be coded as fields
  bool has_hidden_ = false;   ///< HEVC: pictures may be marked as not for output
  bool has_seen_picture_ = false;
  bool is_packed_ = false;  ///< MPEG-4: said to be packed
  std::set<std::string> parameter_sets_;
};

}  // namespace reelhouse
