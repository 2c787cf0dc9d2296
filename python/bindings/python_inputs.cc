#include "python_inputs.h"

#include <array>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_set.h>
#include <nanobind/stl/vector.h>

#include "arrow_capsules.h"
#include "python_images.h"

namespace reelhouse::python {

namespace {

/// Options as reelhouse._images.EncodingOptions checks and spells them.
EncodingOptions EncodingFromPython(nb::handle options) {
  EncodingOptions encoding;
  const auto fps = nb::cast<std::pair<int64_t, int64_t>>(options.attr("fps"));
  encoding.fps = Rational{fps.first, fps.second};
  encoding.codec = nb::cast<std::optional<std::string>>(options.attr("codec"));
  encoding.pixel_format = nb::cast<std::optional<std::string>>(options.attr("pixel_format"));
  encoding.gop_size = nb::cast<int>(options.attr("gop_size"));
  encoding.codec_options =
      nb::cast<std::optional<std::vector<std::pair<std::string, std::string>>>>(options.attr("codec_options"));
  encoding.apply_orientation = nb::cast<bool>(options.attr("apply_orientation"));
  encoding.background = nb::cast<std::optional<std::array<uint8_t, 3>>>(options.attr("background"));
  return encoding;
}

/// A Python iterator that is pulled from threads without the GIL.
class PulledIterator {
 public:
  PulledIterator(PythonCall& call, nb::object iterator) : call_(call), iterator_(std::move(iterator)) {}
  ~PulledIterator() {
    nb::gil_scoped_acquire gil;
    iterator_.reset();
  }

  /// The next item as `make` gives it, or nothing at the end.
  template <typename T, typename Make>
  Result<std::optional<T>> Next(Make&& make) {
    nb::gil_scoped_acquire gil;
    PyObject* item = PyIter_Next(iterator_.ptr());
    if (!item) {
      if (PyErr_Occurred()) return call_.Capture();
      return std::nullopt;
    }
    try {
      return std::optional<T>(make(call_, nb::steal(item)));
    } catch (nb::python_error& error) {
      error.restore();
      return call_.Capture();
    }
  }

 private:
  PythonCall& call_;
  nb::object iterator_;
};

}  // namespace

RowInput RowsFromPython(nb::handle rows) {
  return RowInput{.rows = ImportStream(rows.attr("stream")),
                  .trusted_uris = nb::cast<std::unordered_set<std::string>>(rows.attr("trusted_uris")),
                  .literal_blobs = nb::cast<std::map<std::string, std::set<int64_t>>>(rows.attr("literal_blobs"))};
}

RowInputs RowInputsFromPython(PythonCall& call, nb::object iterator) {
  auto items = std::make_shared<PulledIterator>(call, std::move(iterator));
  return [items]() { return items->Next<RowInput>([](PythonCall&, nb::handle item) { return RowsFromPython(item); }); };
}

VideoInputs VideosFromPython(PythonCall& call, nb::object iterator) {
  auto items = std::make_shared<PulledIterator>(call, std::move(iterator));
  return [items]() {
    return items->Next<VideoInput>([](PythonCall&, nb::handle item) {
      return VideoInput{.video = nb::cast<std::shared_ptr<VideoPayload>>(item[0]),
                        .rows = RowsFromPython(item[1]),
                        .first_frame = nb::cast<int64_t>(item[2])};
    });
  };
}

EpisodeInput EpisodeFromPython(PythonCall& call, nb::handle cameras, nb::handle rows) {
  EpisodeInput episode;
  for (auto [name, camera] : nb::borrow<nb::dict>(cameras)) {
    episode.cameras[nb::cast<std::string>(name)] =
        ImageStream{.images = ImagesFromPython(call, nb::borrow(camera[0]), nb::cast<int64_t>(camera[1])),
                    .encoding = EncodingFromPython(camera[2])};
  }
  episode.rows = RowsFromPython(rows);
  return episode;
}

EpisodeInputs EpisodesFromPython(PythonCall& call, nb::object iterator, int64_t size_hint) {
  auto items = std::make_shared<PulledIterator>(call, std::move(iterator));
  EpisodeInputs episodes;
  episodes.size_hint = size_hint;
  episodes.next = [items]() {
    return items->Next<EpisodeInput>(
        [](PythonCall& call, nb::handle item) { return EpisodeFromPython(call, item[0], item[1]); });
  };
  return episodes;
}

WriteOptions WriteOptionsFromPython(PythonCall& call, nb::handle properties, std::string video_column,
                                    nb::object progress) {
  WriteOptions options;
  options.properties = nb::cast<std::map<std::string, std::string>>(properties);
  options.video_column = std::move(video_column);
  options.progress = call.progress(std::move(progress));
  options.cancelled = call.cancellation();
  return options;
}

}  // namespace reelhouse::python
