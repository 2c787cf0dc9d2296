#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reelhouse/media/video_encoder.h"

namespace reelhouse::cli {

/// How images become videos: `--fps`, `--codec` and so on. With several cameras `--codec`, `--pixel-format`, `--gop`
/// and
/// `--codec-option` may be given for one of them, as `COLUMN=VALUE` (`COLUMN:KEY=VALUE`), and without a column for the
/// others.
struct EncodingChoices {
  std::string fps;
  std::vector<std::string> codecs;
  std::vector<std::string> pixel_formats;
  std::vector<std::string> gop_sizes;
  std::vector<std::string> codec_options;
  std::string orientation = "apply";
  std::string background;

  void Declare(CLI::App& command);
  /// Checked options of the camera `column`, one of `columns` (both empty where there is one camera without a name).
  Result<EncodingOptions> ForCamera(const std::string& column, const std::vector<std::string>& columns) const;
};

}  // namespace reelhouse::cli
