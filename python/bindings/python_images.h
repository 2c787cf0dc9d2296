#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "errors.h"
#include "reelhouse/media/image_source.h"

namespace reelhouse::python {

/// Images of a Python iterator whose items are those of reelhouse._images: `("path", str)`, `("encoded", bytes-like)`
/// or
/// `("raw", bytes-like, layout, width, height, row_bytes)`. Takes the GIL for each item; an exception in the iterator
/// is kept in `call`, which must outlive the source.
std::shared_ptr<ImageSource> ImagesFromPython(PythonCall& call, nb::object iterator, int64_t size_hint);

/// The bytes of an object with the buffer protocol, without a copy; holds the object.
std::shared_ptr<arrow::Buffer> BufferFromPython(nb::handle object);

}  // namespace reelhouse::python
