#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow_capsules.h"
#include "bindings.h"
#include "errors.h"
#include "python_inputs.h"
#include "reelhouse/table/connection.h"

namespace reelhouse::python {

using namespace nb::literals;  // NOLINT

void BindConnection(nb::module_& module) {
  nb::class_<Connection>(module, "Connection")
      .def_prop_ro("database", [](const Connection& self) { return self.database(); })
      .def_prop_ro("warehouse", [](Connection& self) { return self.catalog().warehouse(); })
      .def_prop_ro("options", [](const Connection& self) { return self.options(); })
      .def(
          "create_table",
          [](Connection& self, const std::string& name, nb::object schema, std::map<std::string, std::string> options,
             std::vector<std::string> partition_keys, bool ignore_if_exists, std::optional<std::string> comment,
             nb::object rows, nb::object properties) {
            PythonCall call;
            CreateTableOptions create;
            create.options = std::move(options);
            create.partition_keys = std::move(partition_keys);
            create.ignore_if_exists = ignore_if_exists;
            create.comment = std::move(comment);
            if (!rows.is_none()) create.data = RowsFromPython(rows);
            create.write = WriteOptionsFromPython(call, properties, "", nb::none());
            std::shared_ptr<arrow::Schema> arrow_schema = ImportSchema(schema);
            return call.Unwrap(WithoutGil([&] { return self.CreateTable(name, *arrow_schema, create); }));
          },
          "name"_a, "schema"_a, nb::kw_only(), "options"_a, "partition_keys"_a, "ignore_if_exists"_a,
          "comment"_a.none(), "rows"_a.none(), "properties"_a)
      .def("get_table",
           [](Connection& self, const std::string& name) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.GetTable(name); }));
           })
      .def("drop_table",
           [](Connection& self, const std::string& name, bool ignore_if_not_exists) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.DropTable(name, ignore_if_not_exists); }));
           })
      .def("rename_table",
           [](Connection& self, const std::string& from, const std::string& to) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.RenameTable(from, to); }));
           })
      .def("list_tables",
           [](Connection& self, std::optional<std::string> database) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.ListTables(std::move(database)); }));
           })
      .def("list_databases",
           [](Connection& self) {
             PythonCall call;
             return call.Unwrap(WithoutGil([&] { return self.ListDatabases(); }));
           })
      .def("create_database",
           [](Connection& self, const std::string& name, bool ignore_if_exists) {
             PythonCall call;
             call.Check(WithoutGil([&] { return self.CreateDatabase(name, ignore_if_exists); }));
           })
      .def("drop_database", [](Connection& self, const std::string& name, bool ignore_if_not_exists) {
        PythonCall call;
        call.Check(WithoutGil([&] { return self.DropDatabase(name, ignore_if_not_exists); }));
      });

  module.def(
      "connect",
      [](std::map<std::string, std::string> options, std::string database) {
        PythonCall call;
        return call.Unwrap(Connection::Open(std::move(options), std::move(database)));
      },
      "options"_a, "database"_a);
}

}  // namespace reelhouse::python
