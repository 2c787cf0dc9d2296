#include "reelhouse/manifest/manifest_entry.h"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "reelhouse/manifest/manifest_list.h"

namespace reelhouse {
namespace {

void AppendPart(std::string& identity, std::string_view part) {
  identity += std::to_string(part.size());
  identity += ':';
  identity += part;
}

void AppendPart(std::string& identity, const std::optional<std::string>& part) {
  if (part) {
    AppendPart(identity, std::string_view(*part));
  } else {
    identity += '-';
  }
}

}  // namespace

std::string ManifestEntry::Identity() const {
  // Every part with its length, so that no two lists of parts give one text.
  std::string identity;
  identity.reserve(partition.size() + file.file_name.size() + 32);
  AppendPart(identity, std::string_view(partition));
  identity += std::to_string(bucket);
  identity += '/';
  identity += std::to_string(file.level);
  identity += '/';
  AppendPart(identity, std::string_view(file.file_name));
  for (const std::string& extra : file.extra_files) AppendPart(identity, std::string_view(extra));
  identity += '/';
  AppendPart(identity, file.embedded_file_index);
  AppendPart(identity, file.external_path);
  return identity;
}

std::vector<ManifestEntry> LiveEntries(std::vector<ManifestEntry> entries) {
  // Deletes are few and mostly absent: only then identities are built.
  std::unordered_set<std::string> dead;
  for (const ManifestEntry& entry : entries) {
    if (entry.kind == FileChangeKind::kDelete) dead.insert(entry.Identity());
  }
  if (dead.empty()) return entries;
  std::vector<ManifestEntry> live;
  live.reserve(entries.size());
  for (ManifestEntry& entry : entries) {
    if (entry.kind == FileChangeKind::kAdd && dead.count(entry.Identity()) == 0) live.push_back(std::move(entry));
  }
  return live;
}

}  // namespace reelhouse
