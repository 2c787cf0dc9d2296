#include "cli/input_files.h"

#include <clocale>
#include <cstring>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/glob.h"
#include "reelhouse/base/text.h"
#include "reelhouse/io/location.h"

namespace reelhouse::cli {

const WantedFiles kImageFiles = {
    "image", "jpg,jpeg,jpe,jfif,png,webp,bmp,tif,tiff,gif,ppm,pgm,pnm,pbm,pam,jp2,j2k,tga,sgi,dpx,exr,qoi,jxl"};
const WantedFiles kVideoFiles = {"video", "mp4,m4v,mov,mkv,webm,avi,ts,m2ts,mts,mpg,mpeg,mj2,3gp,ogv,flv,nut,ivf,y4m"};
const WantedFiles kRowFiles = {"row file", "parquet,pq,csv,tsv,json,jsonl,ndjson,arrow,arrows,feather,ipc"};

namespace {

namespace fs = std::filesystem;

struct LocaleFree {
  void operator()(locale_t locale) const { freelocale(locale); }
};

/// True if a shell could have expanded a pattern to this list: sorted by bytes or by the user's locale.
bool IsInOrderOfShell(const std::vector<std::string>& paths) {
  if (std::is_sorted(paths.begin(), paths.end())) return true;
  const std::unique_ptr<std::remove_pointer_t<locale_t>, LocaleFree> locale(newlocale(LC_COLLATE_MASK, "", nullptr));
  return locale && std::is_sorted(paths.begin(), paths.end(), [&](const std::string& a, const std::string& b) {
           return strcoll_l(a.c_str(), b.c_str(), locale.get()) < 0;
         });
}

Status NotFound(const std::string& argument, const std::string& text) {
  return MakeError(ErrorKind::kFileNotFound, QuoteForError(argument) + ": " + text, {.path = argument});
}

Result<std::vector<std::string>> FilesInFolder(const std::string& folder, const WantedFiles& wanted) {
  const std::vector<std::string> suffixes = SplitCommaList(wanted.suffixes);
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || entries->is_directory(ignored)) continue;
    if (std::find(suffixes.begin(), suffixes.end(), SuffixOf(name)) != suffixes.end()) {
      found.push_back(JoinLocation(
          folder.size() > 1 && folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder, name));
    }
  }
  if (error) return Status::IOError(folder, ": ", error.message());
  if (found.empty()) return NotFound(folder, "no " + std::string(wanted.what) + " in this folder");
  std::sort(found.begin(), found.end(), NaturalLess);
  return found;
}

}  // namespace

Result<std::vector<std::string>> FilesOfArguments(const std::vector<std::string>& arguments,
                                                  const WantedFiles& wanted) {
  std::vector<std::string> files;
  std::vector<std::string> listed;  // plain files, until something else comes
  const auto take_listed = [&] {
    if (IsInOrderOfShell(listed)) std::sort(listed.begin(), listed.end(), NaturalLess);
    std::move(listed.begin(), listed.end(), std::back_inserter(files));
    listed.clear();
  };
  for (const std::string& argument : arguments) {
    ARROW_ASSIGN_OR_RAISE(const std::string path, LocalPath(argument));
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
      listed.push_back(path);
      continue;
    }
    take_listed();
    std::vector<std::string> found;
    if (fs::is_directory(status)) {
      ARROW_ASSIGN_OR_RAISE(found, FilesInFolder(path, wanted));
    } else if (HasWildcards(path)) {
      ARROW_ASSIGN_OR_RAISE(found, ExpandWildcards(path));
      std::erase_if(found, [](const std::string& match) { return fs::is_directory(match); });
      if (found.empty()) return NotFound(path, "no file fits this pattern");
    } else {
      return NotFound(path, "there is no such file or folder");
    }
    std::move(found.begin(), found.end(), std::back_inserter(files));
  }
  take_listed();
  return files;
}

int64_t BytesOfFiles(const std::vector<std::string>& paths) {
  int64_t sum = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    if (!error) sum += static_cast<int64_t>(size);
  }
  return sum;
}

std::string FileNameOf(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string SuffixOf(std::string_view path) {
  const std::string name = FileNameOf(path);
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  std::string suffix = name.substr(dot + 1);
  for (char& c : suffix) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return suffix;
}

}  // namespace reelhouse::cli
