#pragma once

#include <memory>

#include <arrow/type_fwd.h>
#include <nanobind/nanobind.h>

#include "reelhouse/base/status.h"

namespace reelhouse::python {

namespace nb = nanobind;

/// Arrow data across the border by the PyCapsule interface: no copy, and no shared version of Arrow is needed.

/// From an object with `__arrow_c_stream__`.
std::shared_ptr<arrow::RecordBatchReader> ImportStream(nb::handle producer);
/// From an object with `__arrow_c_schema__`.
std::shared_ptr<arrow::Schema> ImportSchema(nb::handle producer);

/// A capsule named `arrow_array_stream`.
nb::object ExportStream(std::shared_ptr<arrow::RecordBatchReader> reader);
nb::object ExportTable(const std::shared_ptr<arrow::Table>& table);
nb::object ExportSchema(const arrow::Schema& schema);

}  // namespace reelhouse::python
