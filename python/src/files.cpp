// Tables in files, read as the command line reads them: its readers are linked into the module.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stop_token>
#include <tuple>

#include "bindings.hpp"
#include "call.hpp"
#include "cli/input/decision_files.hpp"
#include "cli/input/plan.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

constexpr double long_reading = 1e12;  ///< so that Ctrl-C is heard

/// Files as one table, which is read once.
class FileTable {
 public:
  FileTable(const cli::InputOptions& input, int threads) : threads_(threads) {
    work([&] { table_.emplace(input, Execution{.threads = threads, .stop = stop_.get_token()}); });
  }

  const cli::Table& table() const noexcept { return *table_; }
  cli::Table& table() noexcept { return *table_; }

  /// Which columns are read: those of the schema, and those that are named.
  void select(const Schema& schema, const std::string& label, const std::string& weight,
              const std::string& fold) {
    const bool is_fixed = label.empty();  // rows for a model; training has chosen families before
    plan_ = cli::plan_scoring(*table_, schema, label, weight, fold, is_fixed);
    table_->select(plan_.selection);
  }

  /// The next rows, those without a label left out; null at the end.
  std::unique_ptr<Rows> next() {
    // The memory is used again once nobody looks at the last rows.
    if (!rows_ || rows_.use_count() > 1) rows_ = std::make_shared<cli::Rows>(table_->make_rows());
    bool more = false;
    work([&] {
      more = table_->next(*rows_);
      if (plan_.label >= 0 && more) unlabelled_ += cli::drop_unlabelled(plan_, *rows_);
    });
    if (!more) return nullptr;
    const std::shared_ptr<cli::Rows> rows = rows_;
    return std::make_unique<Rows>(
        cli::view(plan_, *rows), plan_.fold < 0 ? Column() : rows->texts()[plan_.fold].column(),
        [rows](Index row) { return rows->place(row); }, rows);
  }
  Index unlabelled() const noexcept { return unlabelled_; }

 private:
  template <class Work>
  void work(const Work& what) {
    call(threads_, long_reading, [&](const Execution& execution) {
      const std::stop_callback relay(execution.stop, [&] { stop_.request_stop(); });
      what();
    });
  }

  int threads_;
  std::stop_source stop_;
  std::optional<cli::Table> table_;
  cli::Plan plan_;
  std::shared_ptr<cli::Rows> rows_;
  Index unlabelled_ = 0;
};

using Columns = std::vector<std::tuple<std::string, std::string, std::string>>;

/// Name, kind and type of each column.
Columns columns_of(FileTable& self) {
  Columns columns;
  for (const cli::SourceColumn& column : self.table().columns()) {
    const char* kind = "missing";
    switch (column.kind) {
      case cli::CellKind::missing:
        break;
      case cli::CellKind::number:
        kind = "number";
        break;
      case cli::CellKind::text:
        kind = "name";
        break;
      case cli::CellKind::unsupported:
        kind = "unsupported";
    }
    columns.emplace_back(column.name, kind, column.type);
  }
  return columns;
}

cli::InputOptions input_of(std::vector<std::string> paths, const std::string& labels,
                           const std::string& format, bool header, const std::string& separator,
                           std::vector<std::string> na, int index_base, const std::string& names) {
  if (separator.size() > 1)
    throw InvalidArgument("separator is '" + separator + "'", "it must be one character");
  return {.paths = std::move(paths),
          .labels_file = labels,
          .format = format,
          .header = header,
          .separator = separator.empty() ? '\0' : separator.front(),
          .na = std::move(na),
          .index_base = index_base,
          .names_file = names};
}

}  // namespace

void bind_files(nb::module_& module) {
  nb::class_<FileTable>(module, "FileTable", "Files as one table, which is read once.")
      .def(
          "__init__",
          [](FileTable* self, std::vector<std::string> paths, const std::string& labels,
             const std::string& format, bool header, const std::string& separator,
             std::vector<std::string> na, int index_base, const std::string& names, int threads) {
            new (self) FileTable(input_of(std::move(paths), labels, format, header, separator,
                                          std::move(na), index_base, names),
                                 threads);
          },
          "paths"_a, "labels"_a, "format"_a, "header"_a, "separator"_a, "na"_a, "index_base"_a,
          "names"_a, "threads"_a)
      .def_prop_ro("columns", columns_of)
      .def_prop_ro("own_label", [](const FileTable& self) { return self.table().own_label(); })
      .def_prop_ro("sparse", [](const FileTable& self) { return self.table().is_sparse(); })
      .def_prop_ro("unlabelled", &FileTable::unlabelled)
      .def("select", &FileTable::select, "schema"_a, "label"_a, "weight"_a, "fold"_a)
      .def("next", &FileTable::next);

  module.def(
      "expand_paths",
      [](const std::vector<std::string>& paths) { return cli::expand_paths(paths); }, "paths"_a);
  module.def(
      "matches",
      [](const std::string& pattern, const std::string& name) {
        return cli::matches(pattern, name);
      },
      "pattern"_a, "name"_a);
  module.def(
      "is_index_column", [](const std::string& name) { return cli::is_index_column(name); },
      "name"_a);
  module.def(
      "read_prior_file",
      [](const std::string& path, const std::vector<std::string>& labels) {
        return cli::read_prior_file(path, Names(labels), {});
      },
      "path"_a, "labels"_a);
  module.def(
      "read_cost_file",
      [](const std::string& path, const std::vector<std::string>& labels) {
        std::vector<std::tuple<std::string, std::string, double>> entries;
        for (const Costs::Entry& entry : cli::read_cost_file(path, Names(labels), {}))
          entries.emplace_back(entry.truth, entry.decided, entry.cost);
        return entries;
      },
      "path"_a, "labels"_a);
}

}  // namespace suffice::python
