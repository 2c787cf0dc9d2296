#pragma once

#include <map>
#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "errors.h"
#include "reelhouse/table/write_input.h"

namespace reelhouse::python {

/// Rows as reelhouse._rows.Rows: `stream` (Arrow capsule interface), `trusted_uris`, `literal_blobs`.
RowInput RowsFromPython(nb::handle rows);

/// Rows items of a Python iterator, pulled one at a time.
RowInputs RowInputsFromPython(PythonCall& call, nb::object iterator);

/// `(VideoPayload, Rows, first_frame)` items of a Python iterator, pulled one at a time.
VideoInputs VideosFromPython(PythonCall& call, nb::object iterator);

/// `({column: (image iterator, size hint, options)}, Rows)` items of a Python iterator, pulled one at a time.
EpisodeInputs EpisodesFromPython(PythonCall& call, nb::object iterator, int64_t size_hint);
EpisodeInput EpisodeFromPython(PythonCall& call, nb::handle cameras, nb::handle rows);

WriteOptions WriteOptionsFromPython(PythonCall& call, nb::handle properties, std::string video_column,
                                    nb::object progress);

}  // namespace reelhouse::python
