#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reelhouse/base/status.h"

namespace reelhouse::cli {

/// What a command takes as its files.
struct WantedFiles {
  std::string_view what;      ///< for errors, e.g. `image`
  std::string_view suffixes;  ///< comma list of lower-case name ends that are taken out of folders
};

extern const WantedFiles kImageFiles;
extern const WantedFiles kVideoFiles;
extern const WantedFiles kRowFiles;

/// The files behind the arguments of a command: a file as it is; a folder gives the wanted files that lie in it, a
/// quoted pattern what fits it, both in natural order. Files listed in the order in which a shell expands a pattern
/// (`frame1 frame10 frame2`) are brought to natural order; a list in any other order is kept, since somebody meant it.
Result<std::vector<std::string>> FilesOfArguments(const std::vector<std::string>& arguments, const WantedFiles& wanted);

/// Sum of the sizes of files; missing ones count nothing.
int64_t BytesOfFiles(const std::vector<std::string>& paths);

/// The part of a path behind its last slash.
std::string FileNameOf(std::string_view path);

/// The part of a file name behind its last dot, in lower case; empty if there is none.
std::string SuffixOf(std::string_view path);

}  // namespace reelhouse::cli
