#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/table.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrow_capsules.h"
#include "bindings.h"
#include "errors.h"
#include "reelhouse/table/query.h"

namespace reelhouse::python {

using namespace nb::literals;  // NOLINT

namespace {

/// Rows and blob columns as `(stream capsule, [(name, stream capsule of one column)])`.
nb::object RowsWithBlobsToPython(const Query::RowsWithBlobs& result) {
  nb::list blobs;
  for (const auto& [name, column] : result.blobs) {
    auto schema = arrow::schema({arrow::field(name, column->type())});
    blobs.append(nb::make_tuple(name, ExportTable(arrow::Table::Make(schema, {column}))));
  }
  return nb::make_tuple(result.rows->num_rows(), ExportTable(result.rows), blobs);
}

Result<FrameFormat> FrameFormatOf(const std::string& pixels, const std::string& layout, const std::string& scaler,
                                  std::optional<std::pair<int, int>> size) {
  FrameFormat format;
  if (pixels == "rgb24") {
    format.pixels = FrameFormat::Pixels::kRgb24;
  } else if (pixels == "gray8") {
    format.pixels = FrameFormat::Pixels::kGray8;
  } else if (pixels == "gray16") {
    format.pixels = FrameFormat::Pixels::kGray16;
  } else {
    return Status::Invalid("format must be 'rgb24', 'gray8' or 'gray16', got '", pixels, "'.");
  }
  if (layout == "CHW") {
    format.layout = FrameFormat::Layout::kChw;
  } else if (layout != "HWC") {
    return Status::Invalid("layout must be 'HWC' or 'CHW', got '", layout, "'.");
  }
  if (scaler == "nearest") {
    format.scaler = FrameFormat::Scaler::kNearest;
  } else if (scaler == "bilinear") {
    format.scaler = FrameFormat::Scaler::kBilinear;
  } else if (scaler == "bicubic") {
    format.scaler = FrameFormat::Scaler::kBicubic;
  } else if (scaler == "area") {
    format.scaler = FrameFormat::Scaler::kArea;
  } else {
    return Status::Invalid("scaler must be 'nearest', 'bilinear', 'bicubic' or 'area', got '", scaler, "'.");
  }
  if (size) {
    if (size->first <= 0 || size->second <= 0) {
      return Status::Invalid("size must be (height, width), both positive, got (", size->first, ", ", size->second,
                             ").");
    }
    format.height = size->first;
    format.width = size->second;
  }
  return format;
}

/// The frame as a NumPy array that owns its pixels.
nb::object FrameToNumpy(const DecodedFrame& frame, const FrameFormat& format) {
  const auto height = static_cast<size_t>(frame.height), width = static_cast<size_t>(frame.width);
  std::vector<size_t> shape = {height, width};
  if (format.pixels == FrameFormat::Pixels::kRgb24) {
    shape = format.layout == FrameFormat::Layout::kHwc ? std::vector<size_t>{height, width, 3}
                                                       : std::vector<size_t>{3, height, width};
  }
  auto* holder = new std::shared_ptr<arrow::Buffer>(frame.pixels);
  nb::capsule owner(holder,
                    [](void* pointer) noexcept { delete static_cast<std::shared_ptr<arrow::Buffer>*>(pointer); });
  void* pixels = frame.pixels->mutable_data();
  if (format.pixels == FrameFormat::Pixels::kGray16) {
    return nb::cast(nb::ndarray<nb::numpy, uint16_t>(pixels, shape.size(), shape.data(), owner));
  }
  return nb::cast(nb::ndarray<nb::numpy, uint8_t>(pixels, shape.size(), shape.data(), owner));
}

}  // namespace

void BindQuery(nb::module_& module) {
  nb::class_<Query::BlobBatches>(module, "BlobBatches").def("next", [](Query::BlobBatches& self) -> nb::object {
    PythonCall call;
    std::optional<Query::RowsWithBlobs> batch = call.Unwrap(WithoutGil([&] { return self.Next(); }));
    return batch ? RowsWithBlobsToPython(*batch) : nb::none();
  });

  nb::class_<Query>(module, "Query")
      .def("where",
           [](Query& self, const std::string& text) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.Where(text); }));
           })
      .def("select",
           [](Query& self, std::vector<std::string> columns) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.Select(std::move(columns)); }));
           })
      .def("with_row_id", &Query::WithRowId)
      .def("limit", &Query::Limit, "rows"_a.none())
      .def("to_table",
           [](const Query& self) {
             PythonCall call;
             Query query = self;
             query.SetCancellation(call.cancellation());
             return ExportTable(call.Unwrap(WithoutGil([&] { return query.ToTable(); })));
           })
      .def("to_reader",
           [](const Query& self) {
             PythonCall call;
             return ExportStream(call.Unwrap(WithoutGil([&] { return self.ToReader(); })));
           })
      .def("count",
           [](const Query& self) {
             PythonCall call;
             Query query = self;
             query.SetCancellation(call.cancellation());
             return call.Unwrap(WithoutGil([&] { return query.Count(); }));
           })
      .def("explain",
           [](const Query& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.Explain(); }));
           })
      .def("read_blobs",
           [](const Query& self, std::vector<std::string> columns, int parallelism) {
             PythonCall call;
             Query query = self;
             query.SetCancellation(call.cancellation());
             return RowsWithBlobsToPython(
                 call.Unwrap(WithoutGil([&] { return query.ReadBlobs(std::move(columns), parallelism); })));
           })
      .def("stream_blobs",
           [](const Query& self, std::vector<std::string> columns, int parallelism) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.StreamBlobs(std::move(columns), parallelism); }));
           })
      .def(
          "read_frames",
          [](const Query& self, std::string column, const std::string& format, const std::string& layout,
             const std::string& scaler, std::optional<std::pair<int, int>> size, bool null_on_error, int threads) {
            PythonCall call;
            FrameRequest request;
            request.format = call.Unwrap(FrameFormatOf(format, layout, scaler, size));
            request.on_error = null_on_error ? OnFrameError::kNull : OnFrameError::kRaise;
            request.threads = threads;
            request.cancelled = call.cancellation();
            std::vector<std::optional<DecodedFrame>> frames =
                call.Unwrap(WithoutGil([&] { return self.ReadFrames(std::move(column), request); }));
            nb::list result;
            for (std::optional<DecodedFrame>& frame : frames) {
              result.append(frame ? FrameToNumpy(*frame, request.format) : nb::none());
              frame.reset();
            }
            return result;
          },
          "column"_a, nb::kw_only(), "format"_a, "layout"_a, "scaler"_a, "size"_a.none(), "null_on_error"_a,
          "threads"_a);
}

}  // namespace reelhouse::python
