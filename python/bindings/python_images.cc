#include "python_images.h"

#include <string>
#include <utility>

#include <nanobind/stl/string.h>

namespace reelhouse::python {

namespace {

/// A view of Python memory as an Arrow buffer.
class PythonBuffer final : public arrow::Buffer {
 public:
  explicit PythonBuffer(const Py_buffer& view)
      : arrow::Buffer(static_cast<const uint8_t*>(view.buf), view.len), view_(view) {}
  ~PythonBuffer() override {
    if (!Py_IsInitialized()) return;
    nb::gil_scoped_acquire gil;
    PyBuffer_Release(&view_);
  }

 private:
  Py_buffer view_;
};

RawImage::Layout LayoutOf(const std::string& name) {
  if (name == "gray8") return RawImage::Layout::kGray8;
  if (name == "gray16") return RawImage::Layout::kGray16;
  if (name == "rgba8") return RawImage::Layout::kRgba8;
  return RawImage::Layout::kRgb8;
}

ImageInput ImageFromPython(nb::handle item) {
  const auto kind = nb::cast<std::string>(item[0]);
  if (kind == "path") {
    const auto path = nb::cast<nb::bytes>(item[1]);  // in the spelling of the file system, which may not be UTF-8
    return ImagePath{std::string(path.c_str(), path.size())};
  }
  std::shared_ptr<arrow::Buffer> bytes = BufferFromPython(item[1]);
  if (kind == "encoded") return EncodedImage{std::move(bytes)};
  return RawImage{.pixels = std::move(bytes),
                  .layout = LayoutOf(nb::cast<std::string>(item[2])),
                  .width = nb::cast<int>(item[3]),
                  .height = nb::cast<int>(item[4]),
                  .row_bytes = nb::cast<int64_t>(item[5])};
}

class PythonImageSource final : public ImageSource {
 public:
  PythonImageSource(PythonCall& call, nb::object iterator, int64_t size_hint)
      : call_(call), iterator_(std::move(iterator)), size_hint_(size_hint) {}
  ~PythonImageSource() override {
    nb::gil_scoped_acquire gil;
    iterator_.reset();
  }

  Result<std::optional<ImageInput>> Next() override {
    nb::gil_scoped_acquire gil;
    PyObject* item = PyIter_Next(iterator_.ptr());
    if (!item) {
      if (PyErr_Occurred()) return call_.Capture();
      return std::nullopt;
    }
    try {
      return std::optional<ImageInput>(ImageFromPython(nb::steal(item)));
    } catch (nb::python_error& error) {
      error.restore();
      return call_.Capture();
    }
  }

  int64_t size_hint() const override { return size_hint_; }

 private:
  PythonCall& call_;
  nb::object iterator_;
  int64_t size_hint_;
};

}  // namespace

std::shared_ptr<arrow::Buffer> BufferFromPython(nb::handle object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  return std::make_shared<PythonBuffer>(view);
}

std::shared_ptr<ImageSource> ImagesFromPython(PythonCall& call, nb::object iterator, int64_t size_hint) {
  return std::make_shared<PythonImageSource>(call, std::move(iterator), size_hint);
}

}  // namespace reelhouse::python
