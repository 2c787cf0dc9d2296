// Whatever the bytes of one file of a table, planning, counting, scanning and verifying the table end, with rows or
// with a failure. The first byte says which kind of file is laid over, the second in which table.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "reelhouse/avro/avro_encoder.h"
#include "reelhouse/manifest/manifest_layout.h"
#include "reelhouse/table/table.h"
#include "tests/support/memory_file_store.h"

namespace {

using namespace reelhouse;

constexpr std::string_view kTables[] = {"two_cameras", "after_delete", "after_update", "partition_types",
                                        "blob_nested", "tagged",       "plain_stats",  "schema_evolution"};
constexpr int64_t kMostRows = 2000;

struct GivenTable {
  std::string path;
  MemoryFileStore::Files files;

  explicit GivenTable(std::string_view name) : path("/wh/robots.db/frames") {
    const std::filesystem::path folder =
        std::filesystem::path(REELHOUSE_SOURCE_DIR) / "tests/data/vectors" / name / "wh/robots.db/frames";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      files[path + "/" + std::filesystem::relative(entry.path(), folder).string()] =
          std::string(std::istreambuf_iterator<char>(stream), {});
    }
    if (files.empty()) std::abort();
  }

  // The last file, which the newest snapshot is most likely to need, whose path has `part` in it.
  const std::string* LastWith(std::string_view part) const {
    const std::string* last = nullptr;
    for (const auto& [name, content] : files) {
      if (name.find(part, path.size()) != std::string::npos) last = &name;
    }
    return last;
  }
};

// One unpacked block, so that mutations reach the records.
std::string Container(std::string_view schema, std::string_view count_and_records) {
  if (count_and_records.empty()) return {};
  AvroEncoder out;
  out.PutLong(1);
  out.PutBytes("avro.schema");
  out.PutBytes(schema);
  out.PutLong(0);
  const std::string marker(16, '#');
  AvroEncoder block;
  block.PutLong(static_cast<uint8_t>(count_and_records[0]));
  block.PutBytes(count_and_records.substr(1));
  return "Obj\x01" + out.bytes() + marker + block.bytes() + marker;
}

// `bytes` as the end of a file that keeps its size, which the manifest tells.
std::string AsEndOf(const std::string& original, std::string_view bytes) {
  if (bytes.size() >= original.size()) return std::string(bytes.substr(bytes.size() - original.size()));
  return original.substr(0, original.size() - bytes.size()) + std::string(bytes);
}

void LayOver(const GivenTable& table, char kind, std::string_view bytes, MemoryFileStore::Files* laid_over) {
  const auto put = [&](std::string_view part, std::string content) {
    if (const std::string* name = table.LastWith(part)) (*laid_over)[*name] = std::move(content);
  };
  const auto put_end = [&](std::string_view part) {
    if (const std::string* name = table.LastWith(part)) (*laid_over)[*name] = AsEndOf(table.files.at(*name), bytes);
  };
  switch (kind) {
    case 'm':  // Every manifest, since the one that counts is not known by its name.
      for (const auto& [name, content] : table.files) {
        const bool is_manifest = name.find("/manifest/manifest-") != std::string::npos;
        if (is_manifest && name.find("manifest-list-") == std::string::npos) {
          (*laid_over)[name] = Container(kManifestSchema, bytes);
        }
      }
      break;
    case 'l':
      for (const auto& [name, content] : table.files) {
        if (name.find("/manifest/manifest-list-") != std::string::npos) {
          (*laid_over)[name] = Container(kManifestListSchema, bytes);
        }
      }
      break;
    case 'i':
      for (const auto& [name, content] : table.files) {
        if (name.find("/manifest/index-manifest-") != std::string::npos) {
          (*laid_over)[name] = Container(kIndexManifestSchema, bytes);
        }
      }
      break;
    case 's':
      put("/snapshot/snapshot-", std::string(bytes));
      break;
    case 'L':
      put("/snapshot/LATEST", std::string(bytes));
      break;
    case 't':
      put("/tag/tag-", std::string(bytes));
      break;
    case 'S':
      put("/schema/schema-", std::string(bytes));
      break;
    case 'v':
      put_end(".video");
      break;
    case 'b':
      put_end(".blob");
      break;
    default:
      put_end("/index/index-");
      break;
  }
}

void ReadRows(const Query& query) {
  auto reader = query.ToReader();
  if (!reader.ok()) return;
  int64_t rows = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!(*reader)->ReadNext(&batch).ok() || batch == nullptr) break;
    if (!batch->Validate().ok()) std::abort();
    rows += batch->num_rows();
    if (rows > kMostRows) std::abort();
  }
}

void ReadTable(const Table& table, const TimeTravel& version) {
  Query all = table.Scan(version);
  (void)all.Count();
  (void)all.Explain();
  all.Limit(kMostRows);
  ReadRows(all);
  Query filtered = table.Scan(version);
  const auto schema = all.ResultSchema();
  if (!schema.ok() || (*schema)->num_fields() == 0) return;
  filtered.Limit(kMostRows);
  filtered.WithRowId();
  const std::string& column = (*schema)->field(0)->name();
  if (!filtered.Where("`" + column + "` IS NOT NULL AND _ROW_ID BETWEEN 1 AND 5").ok()) return;
  ReadRows(filtered);
  auto blobs = filtered.StreamBlobs({});
  while (blobs.ok()) {
    auto next = (*blobs)->Next();
    if (!next.ok() || !*next) break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<GivenTable> tables(std::begin(kTables), std::end(kTables));
  // Small files are read faster by one thread than handed to others; asked for before the pool is made.
  [[maybe_unused]] static const int kOneThread = ::setenv("REELHOUSE_THREADS", "1", 0);
  if (size < 2) return 0;
  const GivenTable& given = tables[data[1] % tables.size()];
  const char kind = static_cast<char>(data[0]);
  MemoryFileStore::Files laid_over;
  LayOver(given, kind, {reinterpret_cast<const char*>(data) + 2, size - 2}, &laid_over);
  auto store = std::make_shared<MemoryFileStore>(given.files, laid_over);
  const Table table(MakeTableContext({"robots", "frames"}, given.path, store, {"/wh"}));
  TimeTravel version;
  if (kind == 't') version.tag_name = "first";
  ReadTable(table, version);
  (void)table.ListSnapshots();
  // A check looks at every file of every snapshot, which costs more than all the rest.
  if (size % 16 == 0) (void)table.Verify();
  return 0;
}
