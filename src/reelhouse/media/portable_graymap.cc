#include "reelhouse/media/portable_graymap.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace reelhouse {
namespace {

constexpr int kMostOfSample = 65535;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Words of a header, comments left out.
class HeaderWords {
 public:
  explicit HeaderWords(std::string_view text) : text_(text) {}

  std::string_view Next() {
    while (at_ < text_.size() && (IsSpace(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// The next word as a number that fits a picture's header, or -1.
  int NextNumber() {
    const std::string_view word = Next();
    if (word.empty() || word.size() > 9 || !std::all_of(word.begin(), word.end(), IsDigit)) return -1;
    int number = 0;
    for (const char digit : word) number = number * 10 + (digit - '0');
    return number;
  }

  size_t position() const { return at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct Header {
  int width = -1;
  int height = -1;
  int most = -1;  ///< the largest number that the file may hold
  int channels = 1;
  bool is_text = false;
  size_t body = 0;  ///< where the numbers begin
};

std::optional<Header> ReadHeader(std::string_view text) {
  Header header;
  HeaderWords words(text);
  const std::string_view magic = words.Next();
  if (magic == "P2" || magic == "P5") {
    header.is_text = magic == "P2";
    header.width = words.NextNumber();
    header.height = words.NextNumber();
    header.most = words.NextNumber();
  } else if (magic == "P7") {
    for (int lines = 0; lines < 64; ++lines) {
      const std::string_view key = words.Next();
      if (key.empty() || key == "ENDHDR") break;
      if (key == "WIDTH") header.width = words.NextNumber();
      if (key == "HEIGHT") header.height = words.NextNumber();
      if (key == "MAXVAL") header.most = words.NextNumber();
      if (key == "DEPTH") header.channels = words.NextNumber();
      if (key == "TUPLTYPE") words.Next();
    }
  }
  if (header.width < 0 || header.height < 0 || header.most < 0) return std::nullopt;
  header.body = words.position() + 1;  // one space ends the header
  return header;
}

std::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status Cut(int64_t wanted, int64_t found) {
  return Status::Invalid("damaged or cut graymap: ", wanted, " numbers are expected, found ", found);
}

Status TooLarge(int number, int most) {
  return Status::Invalid("damaged graymap: the number ", number, " is above ", most, ", the largest by its header");
}

}  // namespace

bool IsDeepGraymap(std::span<const uint8_t> bytes) {
  const std::string_view text = TextOf(bytes);
  if (!text.starts_with("P2") && !text.starts_with("P5") && !text.starts_with("P7")) return false;
  const std::optional<Header> header = ReadHeader(text);
  return header && header->most > 255 && header->channels == 1;
}

Result<AvFrame> DecodeDeepGraymap(std::span<const uint8_t> bytes, FramePool& pool, int64_t max_pixels) {
  const std::string_view text = TextOf(bytes);
  const std::optional<Header> header = ReadHeader(text);
  if (!header || header->most > kMostOfSample) return Status::Invalid("damaged or cut graymap: its header is broken");
  ARROW_RETURN_NOT_OK(CheckPixelCount(header->width, header->height, max_pixels, kImageMaxPixelsOption));
  ARROW_RETURN_NOT_OK(CheckPictureSize(header->width, header->height));
  const int64_t count = int64_t{header->width} * header->height;
  const int64_t body_bytes = std::max<int64_t>(0, static_cast<int64_t>(bytes.size() - header->body));
  // A number takes two bytes in either form, the last one of a text but one.
  if (bytes.size() < header->body || body_bytes < count * 2 - (header->is_text ? 1 : 0))
    return Cut(count, body_bytes / 2);
  ARROW_ASSIGN_OR_RAISE(AvFrame frame, pool.Get(AV_PIX_FMT_GRAY16, header->width, header->height));
  HeaderWords words(text.substr(header->body));
  const uint8_t* in = bytes.data() + header->body;
  for (int y = 0; y < header->height; ++y) {
    uint8_t* out = frame->data[0] + static_cast<ptrdiff_t>(frame->linesize[0]) * y;
    for (int x = 0; x < header->width; ++x, in += 2, out += 2) {
      const int number = header->is_text ? words.NextNumber() : in[0] << 8 | in[1];
      if (number < 0) return Cut(count, int64_t{y} * header->width + x);
      if (number > header->most) return TooLarge(number, header->most);
      const auto stored = static_cast<uint16_t>(number);
      std::memcpy(out, &stored, 2);
    }
  }
  return frame;
}

}  // namespace reelhouse
