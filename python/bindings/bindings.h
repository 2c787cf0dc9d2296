#pragma once

#include <nanobind/nanobind.h>

namespace reelhouse::python {

void BindConnection(nanobind::module_& module);
void BindTable(nanobind::module_& module);
void BindQuery(nanobind::module_& module);

}  // namespace reelhouse::python
