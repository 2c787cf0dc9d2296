#include "arrow_capsules.h"

#include <utility>

#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "errors.h"

namespace reelhouse::python {

namespace {

constexpr char kStreamCapsule[] = "arrow_array_stream";
constexpr char kSchemaCapsule[] = "arrow_schema";

template <typename T>
T* PointerIn(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (!pointer) throw nb::python_error();
  return static_cast<T*>(pointer);
}

template <typename T, const char* kName>
void ReleaseCapsule(PyObject* capsule) {
  auto* exported = static_cast<T*>(PyCapsule_GetPointer(capsule, kName));
  if (exported && exported->release) exported->release(exported);
  delete exported;
}

template <typename T, const char* kName>
nb::object MakeCapsule(std::unique_ptr<T> exported) {
  PyObject* capsule = PyCapsule_New(exported.get(), kName, &ReleaseCapsule<T, kName>);
  if (!capsule) throw nb::python_error();
  exported.release();
  return nb::steal(capsule);
}

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> ImportStream(nb::handle producer) {
  nb::object capsule = producer.attr("__arrow_c_stream__")();
  Result<std::shared_ptr<arrow::RecordBatchReader>> reader =
      arrow::ImportRecordBatchReader(PointerIn<ArrowArrayStream>(capsule, kStreamCapsule));
  if (!reader.ok()) RaiseStatus(reader.status());
  return std::move(reader).ValueUnsafe();
}

std::shared_ptr<arrow::Schema> ImportSchema(nb::handle producer) {
  nb::object capsule = producer.attr("__arrow_c_schema__")();
  Result<std::shared_ptr<arrow::Schema>> schema = arrow::ImportSchema(PointerIn<ArrowSchema>(capsule, kSchemaCapsule));
  if (!schema.ok()) RaiseStatus(schema.status());
  return std::move(schema).ValueUnsafe();
}

nb::object ExportStream(std::shared_ptr<arrow::RecordBatchReader> reader) {
  auto exported = std::make_unique<ArrowArrayStream>();
  Status status = arrow::ExportRecordBatchReader(std::move(reader), exported.get());
  if (!status.ok()) RaiseStatus(status);
  return MakeCapsule<ArrowArrayStream, kStreamCapsule>(std::move(exported));
}

nb::object ExportTable(const std::shared_ptr<arrow::Table>& table) {
  return ExportStream(std::make_shared<arrow::TableBatchReader>(table));
}

nb::object ExportSchema(const arrow::Schema& schema) {
  auto exported = std::make_unique<ArrowSchema>();
  Status status = arrow::ExportSchema(schema, exported.get());
  if (!status.ok()) RaiseStatus(status);
  return MakeCapsule<ArrowSchema, kSchemaCapsule>(std::move(exported));
}

}  // namespace reelhouse::python
