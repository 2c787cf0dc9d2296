#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow_capsules.h"
#include "bindings.h"
#include "errors.h"
#include "python_images.h"
#include "python_inputs.h"
#include "reelhouse/table/table.h"

namespace reelhouse::python {

using namespace nb::literals;  // NOLINT

namespace {

void BindSnapshot(nb::module_& module) {
  nb::class_<Snapshot>(module, "Snapshot")
      .def_ro("version", &Snapshot::version)
      .def_ro("id", &Snapshot::id)
      .def_ro("schema_id", &Snapshot::schema_id)
      .def_ro("base_manifest_list", &Snapshot::base_manifest_list)
      .def_ro("delta_manifest_list", &Snapshot::delta_manifest_list)
      .def_ro("index_manifest", &Snapshot::index_manifest)
      .def_ro("commit_user", &Snapshot::commit_user)
      .def_ro("commit_identifier", &Snapshot::commit_identifier)
      .def_ro("commit_kind", &Snapshot::commit_kind)
      .def_ro("time_millis", &Snapshot::time_millis)
      .def_ro("total_record_count", &Snapshot::total_record_count)
      .def_ro("delta_record_count", &Snapshot::delta_record_count)
      .def_ro("watermark", &Snapshot::watermark)
      .def_ro("next_row_id", &Snapshot::next_row_id)
      .def_ro("properties", &Snapshot::properties)
      .def_ro("uuid", &Snapshot::uuid)
      .def_ro("writer_version", &Snapshot::writer_version)
      .def("__repr__",
           [](const Snapshot& self) { return "<Snapshot " + std::to_string(self.id) + " " + self.commit_kind + ">"; });
}

void BindVideoPayload(nb::module_& module) {
  nb::class_<VideoPayload>(module, "VideoPayload")
      .def_static("from_range",
                  [](nb::bytes location, int64_t offset, int64_t length, int64_t index_offset, int64_t index_length) {
                    auto payload = std::make_shared<VideoPayload>();
                    payload->location.assign(location.c_str(), location.size());
                    payload->name = payload->location;
                    payload->offset_bytes = offset;
                    payload->length_bytes = length;
                    payload->keyframe_index_offset_bytes = index_offset;
                    payload->keyframe_index_length_bytes = index_length;
                    return payload;
                  })
      .def_static("from_bytes", [](nb::object bytes, std::string name) {
        auto payload = std::make_shared<VideoPayload>();
        payload->name = std::move(name);
        payload->bytes = BufferFromPython(bytes);
        payload->length_bytes = payload->bytes->size();
        return payload;
      });
}

void BindVerifyReport(nb::module_& module) {
  nb::class_<VerifyReport::Problem>(module, "VerifyProblem")
      .def_ro("snapshot_id", &VerifyReport::Problem::snapshot_id)
      .def_ro("path", &VerifyReport::Problem::path)
      .def_ro("text", &VerifyReport::Problem::text);
  nb::class_<VerifyReport>(module, "VerifyReport")
      .def_ro("snapshots_checked", &VerifyReport::snapshots_checked)
      .def_ro("files_checked", &VerifyReport::files_checked)
      .def_ro("videos_checked", &VerifyReport::videos_checked)
      .def_ro("rows_checked", &VerifyReport::rows_checked)
      .def_ro("bytes_checked", &VerifyReport::bytes_checked)
      .def_ro("problems", &VerifyReport::problems)
      .def_prop_ro("ok", &VerifyReport::ok)
      .def("to_text", &VerifyReport::ToText);
}

}  // namespace

void BindTable(nb::module_& module) {
  BindSnapshot(module);
  BindVideoPayload(module);
  BindVerifyReport(module);

  nb::class_<Table>(module, "Table")
      .def_prop_ro("identifier", [](const Table& self) { return self.identifier().ToText(); })
      .def_prop_ro("path", [](const Table& self) { return self.path(); })
      .def("schema",
           [](const Table& self) {
             PythonCall call;
             return ExportSchema(*call.Unwrap(WithoutGil([&] { return self.ArrowSchema(); })));
           })
      .def("options",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.Schema(); }))->options.values();
           })
      .def("schema_json",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.Schema(); }))->ToJsonText();
           })
      .def("video_columns",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.Schema(); }))->VideoColumns();
           })
      .def(
          "add",
          [](Table& self, nb::object rows, nb::object properties) {
            PythonCall call;
            RowInput input = RowsFromPython(rows);
            WriteOptions options = WriteOptionsFromPython(call, properties, "", nb::none());
            return call.Unwrap(WithoutGil([&] { return self.Add(std::move(input), options); }));
          },
          "rows"_a, nb::kw_only(), "properties"_a)
      .def(
          "add_batches",
          [](Table& self, nb::object iterator, nb::object properties) {
            PythonCall call;
            RowInputs batches = RowInputsFromPython(call, std::move(iterator));
            WriteOptions options = WriteOptionsFromPython(call, properties, "", nb::none());
            return call.Unwrap(WithoutGil([&] { return self.AddBatches(std::move(batches), options); }));
          },
          "iterator"_a, nb::kw_only(), "properties"_a)
      .def(
          "add_videos",
          [](Table& self, nb::object iterator, std::string video_column, nb::object properties, nb::object progress) {
            PythonCall call;
            VideoInputs videos = VideosFromPython(call, std::move(iterator));
            WriteOptions options =
                WriteOptionsFromPython(call, properties, std::move(video_column), std::move(progress));
            return call.Unwrap(WithoutGil([&] { return self.AddVideos(std::move(videos), options); }));
          },
          "items"_a, nb::kw_only(), "video_column"_a, "properties"_a, "progress"_a.none())
      .def(
          "add_images_as_video",
          [](Table& self, nb::object cameras, nb::object rows, std::string video_column, nb::object properties,
             nb::object progress) {
            PythonCall call;
            EpisodeInput episode = EpisodeFromPython(call, cameras, rows);
            WriteOptions options =
                WriteOptionsFromPython(call, properties, std::move(video_column), std::move(progress));
            return call.Unwrap(WithoutGil([&] { return self.AddImagesAsVideo(std::move(episode), options); }));
          },
          "cameras"_a, "rows"_a, nb::kw_only(), "video_column"_a, "properties"_a, "progress"_a.none())
      .def(
          "add_images_as_videos",
          [](Table& self, nb::object iterator, int64_t size_hint, std::string video_column, nb::object properties,
             nb::object progress) {
            PythonCall call;
            EpisodeInputs episodes = EpisodesFromPython(call, std::move(iterator), size_hint);
            WriteOptions options =
                WriteOptionsFromPython(call, properties, std::move(video_column), std::move(progress));
            return call.Unwrap(WithoutGil([&] { return self.AddImagesAsVideos(std::move(episodes), options); }));
          },
          "items"_a, "size_hint"_a, nb::kw_only(), "video_column"_a, "properties"_a, "progress"_a.none())
      .def(
          "scan",
          [](const Table& self, std::optional<int64_t> snapshot_id, std::optional<std::string> tag_name,
             std::optional<int64_t> timestamp_millis) {
            return self.Scan(TimeTravel{snapshot_id, std::move(tag_name), timestamp_millis});
          },
          nb::kw_only(), "snapshot_id"_a.none(), "tag_name"_a.none(), "timestamp_millis"_a.none())
      .def(
          "take_row_ids",
          [](const Table& self, std::vector<int64_t> row_ids, std::optional<int64_t> snapshot_id,
             std::optional<std::string> tag_name) {
            return self.TakeRowIds(std::move(row_ids), TimeTravel{snapshot_id, std::move(tag_name), std::nullopt});
          },
          "row_ids"_a, nb::kw_only(), "snapshot_id"_a.none(), "tag_name"_a.none())
      .def("latest_snapshot",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.LatestSnapshot(); }));
           })
      .def("find_snapshot",
           [](const Table& self, int64_t id) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.context()->snapshots->Find(id); }));
           })
      .def("list_snapshots",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.ListSnapshots(); }));
           })
      .def("load_tag",
           [](const Table& self, const std::string& name) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.context()->tags->Load(name); }));
           })
      .def(
          "create_tag",
          [](Table& self, const std::string& name, std::optional<int64_t> snapshot_id) {
            PythonCall call;
            call.Check(WithoutGil([&] { return self.CreateTag(name, snapshot_id); }));
          },
          "name"_a, "snapshot_id"_a.none())
      .def("delete_tag",
           [](Table& self, const std::string& name) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.DeleteTag(name); }));
           })
      .def("list_tags",
           [](const Table& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.ListTags(); }));
           })
      .def(
          "verify",
          [](const Table& self, bool deep, nb::object progress) {
            PythonCall call;
            VerifyOptions options;
            options.deep = deep;
            options.progress = call.progress(std::move(progress));
            options.cancelled = call.cancellation();
            return call.Unwrap(WithoutGil([&] { return self.Verify(options); }));
          },
          nb::kw_only(), "deep"_a, "progress"_a.none());
}

}  // namespace reelhouse::python
