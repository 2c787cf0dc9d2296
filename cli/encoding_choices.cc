#include "cli/encoding_choices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/option_groups.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

/// `COLUMN` and the rest, where the text begins with the name of a camera and `separator`; else no column.
std::pair<std::string, std::string> SplitColumn(const std::string& text, char separator,
                                                const std::vector<std::string>& columns) {
  const size_t at = text.find(separator);
  if (at == std::string::npos) return {"", text};
  const std::string column = text.substr(0, at);
  if (std::find(columns.begin(), columns.end(), column) == columns.end()) return {"", text};
  return {column, text.substr(at + 1)};
}

/// The value for one camera: its own, else the one that is for all.
Result<std::optional<std::string>> ValueFor(const std::string& column, const std::vector<std::string>& values,
                                            const std::vector<std::string>& columns, std::string_view option) {
  std::optional<std::string> common, own;
  for (const std::string& text : values) {
    auto [name, value] = SplitColumn(text, '=', columns);
    if (!name.empty() && name != column) continue;
    std::optional<std::string>& place = name.empty() ? common : own;
    if (place)
      return Status::Invalid(option, ": given twice, as ", QuoteForError(*place), " and ", QuoteForError(value));
    place = std::move(value);
  }
  return own ? own : common;
}

Result<int> ParseGopSize(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && behind == end && value > 0) return value;
  return Status::Invalid("--gop: expected a positive number, found ", QuoteForError(text));
}

Result<std::array<uint8_t, 3>> ParseColour(const std::string& text) {
  const std::vector<std::string> parts = SplitCommaList(text);
  std::array<uint8_t, 3> colour{};
  bool is_valid = parts.size() == colour.size();
  for (size_t i = 0; is_valid && i < colour.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [behind, error] = std::from_chars(parts[i].data(), end, colour[i]);
    is_valid = error == std::errc() && behind == end;
  }
  if (!is_valid) return Status::Invalid("--background: expected r,g,b, each 0 to 255, found ", QuoteForError(text));
  return colour;
}

}  // namespace

void EncodingChoices::Declare(CLI::App& command) {
  command.add_option("--fps", fps, "Frames a second: N or N/D, e.g. 30000/1001")->required()->type_name("FPS");
  AddRepeated(command, "--codec", &codecs, "FFmpeg encoder (default libx264; 16-bit depth: ffv1, which loses nothing)")
      ->type_name("[COLUMN=]NAME");
  AddRepeated(command, "--pixel-format", &pixel_formats,
              "FFmpeg pixel format (default yuv420p where it fits; label images: gray)")
      ->type_name("[COLUMN=]NAME");
  AddRepeated(command, "--gop", &gop_sizes, "Distance of key frames; small = fast random access (default 2)")
      ->type_name("[COLUMN=]N");
  AddRepeated(command, "--codec-option", &codec_options,
              "Option of the encoder (libx264 without any: crf=18, preset=fast)")
      ->type_name("[COLUMN:]KEY=VALUE");
  command.add_option("--orientation", orientation, "EXIF orientation: apply or ignore")
      ->capture_default_str()
      ->type_name("MODE");
  command.add_option("--background", background, "Colour below transparent pixels")->type_name("R,G,B");
}

Result<EncodingOptions> EncodingChoices::ForCamera(const std::string& column,
                                                   const std::vector<std::string>& columns) const {
  EncodingOptions encoding;
  ARROW_ASSIGN_OR_RAISE(encoding.fps, ParseFrameRate(fps));
  ARROW_ASSIGN_OR_RAISE(encoding.codec, ValueFor(column, codecs, columns, "--codec"));
  ARROW_ASSIGN_OR_RAISE(encoding.pixel_format, ValueFor(column, pixel_formats, columns, "--pixel-format"));
  ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> gop, ValueFor(column, gop_sizes, columns, "--gop"));
  if (gop) {
    ARROW_ASSIGN_OR_RAISE(encoding.gop_size, ParseGopSize(*gop));
  }
  // Options for one camera stand in the place of those for all, as they may be of another codec.
  std::vector<std::string> common, own;
  for (const std::string& text : codec_options) {
    auto [name, option] = SplitColumn(text, ':', columns);
    if (name.empty()) common.push_back(std::move(option));
    if (!name.empty() && name == column) own.push_back(std::move(option));
  }
  const std::vector<std::string>& wanted = own.empty() ? common : own;
  if (!wanted.empty()) {
    encoding.codec_options.emplace();
    for (const std::string& text : wanted) {
      ARROW_ASSIGN_OR_RAISE(auto option, ParseAssignment(text, "--codec-option"));
      encoding.codec_options->push_back(std::move(option));
    }
  }
  if (orientation != "apply" && orientation != "ignore") {
    return Status::Invalid("--orientation: expected apply or ignore, found ", QuoteForError(orientation));
  }
  encoding.apply_orientation = orientation == "apply";
  if (!background.empty()) {
    ARROW_ASSIGN_OR_RAISE(encoding.background, ParseColour(background));
  }
  const Status status = encoding.Validate();
  return status.ok() ? Result<EncodingOptions>(std::move(encoding))
                     : (column.empty() ? status : Prefixed("camera " + QuoteForError(column), status));
}

}  // namespace reelhouse::cli
