#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/media/av.h"

namespace reelhouse {

/// What the pictures of a video are to its encoder.
enum class PictureKind {
  kEightBit,  ///< colour or grey of 8 bits a channel
  kDepth,     ///< one channel of 16 bits: depth, ids; numbers that are stored as they are
};

/// Names as a list in a sentence.
std::string JoinedNames(const std::vector<std::string>& names);
/// ` (did you mean x?)` or nothing.
std::string NameSuggestion(std::string_view name, const std::vector<std::string>& names);

/// Pixel formats that the encoder takes; empty where it does not say.
std::vector<AVPixelFormat> FormatsOf(const ::AVCodec& encoder);

/// The format that `name` stands for, or that pictures of this kind get without one: 8-bit pictures yuv420p, else the
/// codec's first 8-bit RGB format; depth the deepest grey format of the codec. Refusals say what would work.
Result<AVPixelFormat> ChooseFormat(const ::AVCodec& encoder, const std::optional<std::string>& name, PictureKind kind);

/// Bits of the deepest channel.
int DepthOf(AVPixelFormat format);
/// One channel of whole numbers.
bool IsGrayFormat(AVPixelFormat format);

/// Codecs at hand, with a grey format of each, that hold numbers up to `value`, as a part of a sentence.
std::string CodecsThatHold(int value);

}  // namespace reelhouse
