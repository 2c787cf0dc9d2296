#include "reelhouse/manifest/manifest_cache.h"

#include <utility>

namespace reelhouse {
namespace {

// What an item costs besides its content.
constexpr int64_t kItemBytes = 512;
// As many as the cache of schemas gives objects that stay the same.
constexpr size_t kMostDecoders = 64;

}  // namespace

const ManifestCache::Item* ManifestCache::Find(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return &items_.front();
}

std::shared_ptr<const UnpackedManifest> ManifestCache::FindManifest(const std::string& path) {
  if (most_bytes_ <= 0) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const Item* item = Find(path);
  return item != nullptr ? item->manifest : nullptr;
}

ManifestCache::Lists ManifestCache::FindList(const std::string& path) {
  if (most_bytes_ <= 0) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const Item* item = Find(path);
  return item != nullptr ? item->list : nullptr;
}

void ManifestCache::Keep(const std::string& path, std::shared_ptr<const UnpackedManifest> manifest) {
  const int64_t size_bytes = manifest->size_bytes();
  Keep(Item{path, std::move(manifest), nullptr, size_bytes});
}

void ManifestCache::Keep(const std::string& path, Lists list, int64_t size_bytes) {
  Keep(Item{path, nullptr, std::move(list), size_bytes});
}

void ManifestCache::Keep(Item item) {
  item.size_bytes += kItemBytes + static_cast<int64_t>(item.path.size());
  if (item.size_bytes > most_bytes_) return;
  std::list<Item> given_up;  // Freed outside the lock.
  std::lock_guard<std::mutex> lock(mutex_);
  if (Find(item.path) != nullptr) return;  // Another thread read it, too.
  size_bytes_ += item.size_bytes;
  items_.push_front(std::move(item));
  by_path_.emplace(items_.front().path, items_.begin());
  while (size_bytes_ > most_bytes_) {
    size_bytes_ -= items_.back().size_bytes;
    by_path_.erase(items_.back().path);
    given_up.splice(given_up.begin(), items_, std::prev(items_.end()));
  }
}

Result<std::shared_ptr<const ManifestDecoder>> ManifestCache::DecoderOf(const AvroWriterSchemaPtr& writer) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = decoders_.find(writer);
    if (known != decoders_.end()) return known->second;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const ManifestDecoder> decoder, ManifestDecoder::Make(writer));
  std::lock_guard<std::mutex> lock(mutex_);
  if (decoders_.size() < kMostDecoders) decoders_.emplace(writer, decoder);
  return decoder;
}

int64_t ManifestCache::size_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return size_bytes_;
}

}  // namespace reelhouse
