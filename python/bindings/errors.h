#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"

namespace reelhouse::python {

namespace nb = nanobind;

/// Raises the Python exception that belongs to a failure (the one table of errors.cc). Needs the GIL.
[[noreturn]] void RaiseStatus(const Status& status);

/// One call from Python into the library: keeps a Python exception that was raised on the way (in an iterator of the
/// user's, by a signal, in a progress callback) and raises it instead of the failure that it caused.
class PythonCall {
 public:
  PythonCall() = default;
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  /// Takes the current Python exception; needs the GIL. The first one wins.
  Status Capture();
  /// OK, or Cancelled if a signal handler raised (Ctrl-C). Takes the GIL.
  CancellationCheck cancellation();
  /// Calls `callable(done, total or None)` under the GIL; an exception in it ends the call at the next cancellation
  /// check.
  ProgressCallback progress(nb::object callable);

  /// Raises what was captured, else the failure. Needs the GIL.
  void Raise(const Status& status);

  template <typename T>
  T Unwrap(Result<T> result) {
    if (!result.ok() || failed()) Raise(result.status());
    return std::move(result).ValueUnsafe();
  }
  void Check(const Status& status) {
    if (!status.ok() || failed()) Raise(status);
  }

 private:
  bool failed();

  std::mutex mutex_;
  PyObject* exception_ = nullptr;
};

/// Runs `body` without the GIL and returns what it returns.
template <typename Body>
auto WithoutGil(Body&& body) {
  nb::gil_scoped_release released;
  return body();
}

}  // namespace reelhouse::python
