#include "reelhouse/predicate/like_pattern.h"

#include <cstring>

namespace reelhouse {

namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Bytes of the first character: one, and the continuation bytes that follow (also where the text is no UTF-8).
size_t CharacterSize(std::string_view text) {
  size_t size = 1;
  while (size < 4 && size < text.size() && IsContinuation(text[size])) ++size;
  return size;
}

}  // namespace

std::optional<LikePattern> LikePattern::Compile(std::string_view pattern, std::string_view escape) {
  LikePattern compiled;
  const auto add_bytes = [&](std::string_view bytes) {
    Segment& segment = compiled.segments_.back();
    if (segment.empty()) segment.emplace_back();
    segment.back().bytes += bytes;
  };
  while (!pattern.empty()) {
    if (!escape.empty() && pattern.substr(0, escape.size()) == escape) {
      pattern.remove_prefix(escape.size());
      if (pattern.empty()) return std::nullopt;
      const size_t size = CharacterSize(pattern);
      add_bytes(pattern.substr(0, size));
      pattern.remove_prefix(size);
    } else if (pattern[0] == '%') {
      // Two `%` in a row are one.
      if (compiled.segments_.size() == 1 || !compiled.segments_.back().empty()) compiled.segments_.emplace_back();
      pattern.remove_prefix(1);
    } else if (pattern[0] == '_') {
      Segment& segment = compiled.segments_.back();
      if (segment.empty() || !segment.back().bytes.empty()) segment.emplace_back();
      ++segment.back().skip_before;
      pattern.remove_prefix(1);
    } else {
      const size_t size = CharacterSize(pattern);
      add_bytes(pattern.substr(0, size));
      pattern.remove_prefix(size);
    }
  }
  const Segment& first = compiled.segments_.front();
  if (!first.empty() && first.front().skip_before == 0) compiled.prefix_ = first.front().bytes;
  return compiled;
}

std::optional<size_t> LikePattern::MatchAt(const Segment& segment, std::string_view text) {
  size_t at = 0;
  for (const Piece& piece : segment) {
    for (size_t i = 0; i < piece.skip_before; ++i) {
      if (at == text.size()) return std::nullopt;
      at += CharacterSize(text.substr(at));
    }
    if (text.size() - at < piece.bytes.size()) return std::nullopt;
    if (std::memcmp(text.data() + at, piece.bytes.data(), piece.bytes.size()) != 0) return std::nullopt;
    at += piece.bytes.size();
  }
  return at;
}

bool LikePattern::Matches(std::string_view text) const {
  const auto first_end = MatchAt(segments_.front(), text);
  if (!first_end) return false;
  if (segments_.size() == 1) return *first_end == text.size();
  text.remove_prefix(*first_end);

  // The leftmost place of each inner segment is as good as any other.
  for (size_t i = 1; i + 1 < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    while (true) {
      if (segment.front().skip_before == 0) {
        const size_t found = text.find(segment.front().bytes);
        if (found == std::string_view::npos) return false;
        text.remove_prefix(found);
      }
      if (const auto end = MatchAt(segment, text)) {
        text.remove_prefix(*end);
        break;
      }
      if (text.empty()) return false;
      text.remove_prefix(CharacterSize(text));
    }
  }

  // The last segment must end where the text does.
  const Segment& last = segments_.back();
  while (true) {
    if (last.empty()) return true;
    if (last.size() == 1 && last.front().skip_before == 0) return text.ends_with(last.front().bytes);
    if (const auto end = MatchAt(last, text); end && *end == text.size()) return true;
    if (text.empty()) return false;
    text.remove_prefix(CharacterSize(text));
  }
}

std::string LikePattern::ToText() const {
  std::string text;
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (i > 0) text += '%';
    for (const Piece& piece : segments_[i]) {
      text.append(piece.skip_before, '_');
      for (char c : piece.bytes) {
        if (c == '%' || c == '_' || c == '\\') text += '\\';
        text += c;
      }
    }
  }
  return text;
}

bool LikePattern::IsPrefixOnly() const {
  if (segments_.size() != 2 || !segments_.back().empty()) return false;
  const Segment& first = segments_.front();
  return first.empty() || (first.size() == 1 && first.front().skip_before == 0);
}

}  // namespace reelhouse
