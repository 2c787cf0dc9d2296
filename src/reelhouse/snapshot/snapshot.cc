#include "reelhouse/snapshot/snapshot.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "reelhouse/base/json_object.h"
#include "reelhouse/base/text.h"

namespace reelhouse {
namespace {

// Files that a snapshot names lie in one folder of the table; a name with a folder in it would lead out of it.
Status CheckFileName(const JsonObject& json, std::string_view key, std::string_view name) {
  if (name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos) {
    return Status::OK();
  }
  return json.Corrupt(key, "expected the name of a file in this table, found " + QuoteForError(name));
}

}  // namespace

Result<Snapshot> Snapshot::FromJsonText(std::string_view text, std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(JsonObject json, JsonObject::Parse(text, path));
  Snapshot snapshot;
  if (json.Find("version") != nullptr) {
    ARROW_ASSIGN_OR_RAISE(snapshot.version, json.Int32("version"));
  }
  ARROW_ASSIGN_OR_RAISE(snapshot.id, json.Int64("id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.schema_id, json.Int64("schemaId"));
  ARROW_ASSIGN_OR_RAISE(snapshot.base_manifest_list, json.Text("baseManifestList"));
  ARROW_ASSIGN_OR_RAISE(snapshot.base_manifest_list_size, json.FindInt64("baseManifestListSize"));
  ARROW_ASSIGN_OR_RAISE(snapshot.delta_manifest_list, json.Text("deltaManifestList"));
  ARROW_ASSIGN_OR_RAISE(snapshot.delta_manifest_list_size, json.FindInt64("deltaManifestListSize"));
  ARROW_ASSIGN_OR_RAISE(snapshot.changelog_manifest_list, json.FindText("changelogManifestList"));
  ARROW_ASSIGN_OR_RAISE(snapshot.changelog_manifest_list_size, json.FindInt64("changelogManifestListSize"));
  ARROW_ASSIGN_OR_RAISE(snapshot.changelog_record_count, json.FindInt64("changelogRecordCount"));
  ARROW_ASSIGN_OR_RAISE(snapshot.index_manifest, json.FindText("indexManifest"));
  ARROW_ASSIGN_OR_RAISE(snapshot.commit_user, json.Text("commitUser"));
  ARROW_ASSIGN_OR_RAISE(snapshot.commit_identifier, json.Int64("commitIdentifier"));
  ARROW_ASSIGN_OR_RAISE(snapshot.commit_kind, json.Text("commitKind"));
  ARROW_ASSIGN_OR_RAISE(snapshot.time_millis, json.Int64("timeMillis"));
  ARROW_ASSIGN_OR_RAISE(snapshot.total_record_count, json.Int64("totalRecordCount"));
  ARROW_ASSIGN_OR_RAISE(snapshot.delta_record_count, json.Int64("deltaRecordCount"));
  ARROW_ASSIGN_OR_RAISE(snapshot.watermark, json.FindInt64("watermark"));
  ARROW_ASSIGN_OR_RAISE(snapshot.statistics, json.FindText("statistics"));
  ARROW_ASSIGN_OR_RAISE(snapshot.next_row_id, json.FindInt64("nextRowId"));
  if (json.Find("properties") != nullptr) {
    ARROW_ASSIGN_OR_RAISE(snapshot.properties, json.TextMap("properties"));
  }
  ARROW_ASSIGN_OR_RAISE(snapshot.uuid, json.FindText("uuid"));
  ARROW_ASSIGN_OR_RAISE(snapshot.writer_version, json.FindText("writerVersion"));
  ARROW_RETURN_NOT_OK(CheckFileName(json, "baseManifestList", snapshot.base_manifest_list));
  ARROW_RETURN_NOT_OK(CheckFileName(json, "deltaManifestList", snapshot.delta_manifest_list));
  ARROW_RETURN_NOT_OK(CheckFileName(json, "changelogManifestList", snapshot.changelog_manifest_list.value_or("")));
  ARROW_RETURN_NOT_OK(CheckFileName(json, "indexManifest", snapshot.index_manifest.value_or("")));
  return snapshot;
}

std::string Snapshot::ToJsonText() const {
  // In the order in which pypaimon writes the keys.
  nlohmann::ordered_json json;
  auto put = [&json](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  json["version"] = version;
  json["id"] = id;
  json["schemaId"] = schema_id;
  json["baseManifestList"] = base_manifest_list;
  json["deltaManifestList"] = delta_manifest_list;
  json["totalRecordCount"] = total_record_count;
  json["deltaRecordCount"] = delta_record_count;
  json["commitUser"] = commit_user;
  json["commitIdentifier"] = commit_identifier;
  json["commitKind"] = commit_kind;
  json["timeMillis"] = time_millis;
  put("baseManifestListSize", base_manifest_list_size);
  put("deltaManifestListSize", delta_manifest_list_size);
  put("changelogManifestList", changelog_manifest_list);
  put("changelogManifestListSize", changelog_manifest_list_size);
  put("indexManifest", index_manifest);
  put("changelogRecordCount", changelog_record_count);
  put("watermark", watermark);
  put("statistics", statistics);
  put("nextRowId", next_row_id);
  if (!properties.empty()) json["properties"] = properties;
  put("uuid", uuid);
  put("writerVersion", writer_version);
  // Bytes that are no UTF-8 would make the library throw; properties are the caller's.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace reelhouse
