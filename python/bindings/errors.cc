#include "errors.h"

#include <memory>
#include <string>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace reelhouse::python {

namespace {

struct ExceptionOfKind {
  ErrorKind kind;
  const char* class_name;  ///< in reelhouse.errors, else a builtin
};

constexpr ExceptionOfKind kExceptionsOfKinds[] = {
    {ErrorKind::kCorruptFile, "CorruptFileError"},
    {ErrorKind::kFileNotFound, "FileNotFoundError"},
    {ErrorKind::kCommitConflict, "CommitConflictError"},
    {ErrorKind::kCommitUnknown, "CommitUnknownError"},
    {ErrorKind::kVideoDecode, "VideoDecodeError"},
    {ErrorKind::kTableNotExist, "TableNotExistException"},
    {ErrorKind::kTableAlreadyExist, "TableAlreadyExistException"},
    {ErrorKind::kDatabaseNotExist, "DatabaseNotExistException"},
    {ErrorKind::kDatabaseAlreadyExist, "DatabaseAlreadyExistException"},
    {ErrorKind::kDatabaseNotEmpty, "DatabaseNotEmptyException"},
    {ErrorKind::kTagNotExist, "TagNotExistException"},
    {ErrorKind::kTagAlreadyExist, "TagAlreadyExistException"},
};

struct ExceptionOfCode {
  arrow::StatusCode code;
  PyObject** type;
};

const ExceptionOfCode kExceptionsOfCodes[] = {
    {arrow::StatusCode::Invalid, &PyExc_ValueError},
    {arrow::StatusCode::TypeError, &PyExc_TypeError},
    {arrow::StatusCode::KeyError, &PyExc_ValueError},
    {arrow::StatusCode::IndexError, &PyExc_ValueError},
    {arrow::StatusCode::IOError, &PyExc_OSError},
    {arrow::StatusCode::NotImplemented, &PyExc_NotImplementedError},
    {arrow::StatusCode::OutOfMemory, &PyExc_MemoryError},
    {arrow::StatusCode::CapacityError, &PyExc_ValueError},
    {arrow::StatusCode::Cancelled, &PyExc_KeyboardInterrupt},
};

const char* ClassOfKind(ErrorKind kind) {
  for (const ExceptionOfKind& entry : kExceptionsOfKinds) {
    if (entry.kind == kind) return entry.class_name;
  }
  return "ReelhouseError";
}

PyObject* TypeOfCode(arrow::StatusCode code) {
  for (const ExceptionOfCode& entry : kExceptionsOfCodes) {
    if (entry.code == code) return *entry.type;
  }
  return PyExc_RuntimeError;
}

template <typename T>
nb::object OrNone(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

/// Text of a failure, which may name paths that are not UTF-8: such bytes become surrogates, as in Python's own paths.
nb::object TextToPython(const std::string& text) {
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (!object) throw nb::python_error();
  return nb::steal(object);
}

/// The exception object of a failure with a kind, with the fields of the failure as attributes.
nb::object MakeException(const ErrorDetail& detail, const nb::object& text) {
  nb::module_ errors = nb::module_::import_("reelhouse.errors");
  const char* name = ClassOfKind(detail.kind());
  nb::object type = nb::hasattr(errors, name) ? errors.attr(name) : nb::module_::import_("builtins").attr(name);
  nb::object exception = type(text);
  if (detail.kind() == ErrorKind::kFileNotFound) return exception;
  const ErrorFields& fields = detail.fields();
  exception.attr("path") = fields.path.empty() ? nb::none() : TextToPython(fields.path);
  exception.attr("offset") = OrNone(fields.offset_bytes);
  exception.attr("row_id") = OrNone(fields.row_id);
  exception.attr("frame_index") = OrNone(fields.frame_index);
  exception.attr("table") = fields.table.empty() ? nb::none() : nb::cast(fields.table);
  exception.attr("base_snapshot_id") = OrNone(fields.base_snapshot_id);
  exception.attr("other_snapshot_id") = OrNone(fields.other_snapshot_id);
  exception.attr("columns") = nb::cast(fields.columns);
  exception.attr("row_ids") = nb::cast(fields.row_ids);
  exception.attr("commit_user") = fields.commit_user.empty() ? nb::none() : nb::cast(fields.commit_user);
  exception.attr("commit_identifier") = OrNone(fields.commit_identifier);
  return exception;
}

}  // namespace

void RaiseStatus(const Status& status) {
  if (const ErrorDetail* detail = DetailOf(status)) {
    nb::object exception = MakeException(*detail, TextToPython(status.message()));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  } else {
    PyErr_SetObject(TypeOfCode(status.code()), TextToPython(status.message()).ptr());
  }
  throw nb::python_error();
}

PythonCall::~PythonCall() {
  if (!exception_) return;
  nb::gil_scoped_acquire gil;
  Py_DECREF(exception_);
}

Status PythonCall::Capture() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  std::lock_guard lock(mutex_);
  if (exception_) {
    Py_XDECREF(value);
  } else {
    exception_ = value;
  }
  return Status::Cancelled("a Python exception was raised");
}

CancellationCheck PythonCall::cancellation() {
  return [this]() -> Status {
    if (failed()) return Status::Cancelled("a Python exception was raised");
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0 ? Status::OK() : Capture();
  };
}

ProgressCallback PythonCall::progress(nb::object callable) {
  if (callable.is_none()) return {};
  // Shared, so that copies of the callback need no GIL.
  std::shared_ptr<nb::object> held(new nb::object(std::move(callable)), [](nb::object* object) {
    nb::gil_scoped_acquire gil;
    delete object;
  });
  return [this, held](int64_t done, int64_t total) {
    if (failed()) return;
    nb::gil_scoped_acquire gil;
    try {
      (*held)(done, total < 0 ? nb::none() : nb::cast(total));
    } catch (nb::python_error& error) {
      error.restore();
      static_cast<void>(Capture());  // raised when the call ends
    }
  };
}

bool PythonCall::failed() {
  std::lock_guard lock(mutex_);
  return exception_ != nullptr;
}

void PythonCall::Raise(const Status& status) {
  PyObject* exception = nullptr;
  {
    std::lock_guard lock(mutex_);
    std::swap(exception, exception_);
  }
  if (!exception) RaiseStatus(status);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
  Py_DECREF(exception);
  throw nb::python_error();
}

}  // namespace reelhouse::python
