#include <string>
#include <vector>

#include <arrow/config.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "errors.h"
#include "reelhouse/media/media_info.h"
#include "reelhouse/media/rational.h"
#include "reelhouse/version.h"

NB_MODULE(_reelhouse, module) {
  using namespace reelhouse;  // NOLINT
  module.doc() = "Native part of reelhouse. Use the package reelhouse.";
  module.attr("__version__") = kVersion;
  module.def("arrow_version", [] { return arrow::GetBuildInfo().version_string; });
  module.def("ffmpeg_version", &FfmpegVersion);
  module.def("tested_encoders", &TestedEncoders);
  module.def(
      "parse_frame_rate",
      [](const std::string& text) {
        Result<Rational> rate = ParseFrameRate(text);
        if (!rate.ok()) python::RaiseStatus(rate.status());
        return std::pair(rate->numerator, rate->denominator);
      },
      nanobind::arg("text"));
  python::BindConnection(module);
  python::BindTable(module);
  python::BindQuery(module);
}
