#include "reelhouse/manifest/manifest_cache.h"

#include <string>

#include <gtest/gtest.h>

#include "reelhouse/manifest/manifest_layout.h"

namespace reelhouse {
namespace {

ManifestCache::Lists ListOf(const std::string& name) {
  std::vector<ManifestFile> list(1);
  list[0].file_name = name;
  return std::make_shared<const std::vector<ManifestFile>>(std::move(list));
}

TEST(ManifestCache, GivesUpWhatWasUsedLongestAgo) {
  ManifestCache cache(4000);
  cache.Keep("a", ListOf("a"), 1000);
  cache.Keep("b", ListOf("b"), 1000);
  ASSERT_NE(cache.FindList("a"), nullptr);
  cache.Keep("c", ListOf("c"), 1000);
  EXPECT_EQ(cache.FindList("b"), nullptr);
  EXPECT_NE(cache.FindList("a"), nullptr);
  EXPECT_NE(cache.FindList("c"), nullptr);
  EXPECT_LE(cache.size_bytes(), 4000);
}

TEST(ManifestCache, DoesNotGiveUpEverythingForWhatDoesNotFit) {
  ManifestCache cache(4000);
  cache.Keep("a", ListOf("a"), 1000);
  cache.Keep("huge", ListOf("huge"), 5000);
  EXPECT_EQ(cache.FindList("huge"), nullptr);
  EXPECT_NE(cache.FindList("a"), nullptr);
}

TEST(ManifestCache, TakesNoListForAManifest) {
  ManifestCache cache(4000);
  cache.Keep("a", ListOf("a"), 1000);
  EXPECT_EQ(cache.FindManifest("a"), nullptr);
}

TEST(ManifestCache, CompilesOneDecoderForAWriter) {
  ManifestCache cache(0);
  const AvroWriterSchemaPtr writer = cache.schemas().Parse(kManifestSchema).ValueOrDie();
  EXPECT_EQ(cache.schemas().Parse(kManifestSchema).ValueOrDie(), writer);
  const auto decoder = cache.DecoderOf(writer).ValueOrDie();
  EXPECT_EQ(cache.DecoderOf(writer).ValueOrDie(), decoder);
  EXPECT_TRUE(decoder->encodes_like_ours);
  EXPECT_TRUE(decoder->has_known_fields_only);
}

}  // namespace
}  // namespace reelhouse
