#include "arrow_stream.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

template <class Of>
auto per_child(const ArrowSchema& type, const Of& of) {
  std::vector<decltype(of(type))> result;
  for (std::int64_t i = 0; i < type.n_children; ++i) result.push_back(of(*type.children[i]));
  return result;
}

std::string text(const char* chars) { return chars ? chars : ""; }

template <class Class>
void describe_columns(Class& bound) {
  using T = typename Class::Type;
  bound
      .def_prop_ro("names",
                   [](const T& self) {
                     return per_child(self.type(),
                                      [](const ArrowSchema& child) { return text(child.name); });
                   })
      .def_prop_ro(
          "formats",
          [](const T& self) {
            return per_child(self.type(),
                             [](const ArrowSchema& child) { return text(child.format); });
          },
          "Arrow's own words for the types.")
      .def_prop_ro(
          "dictionaries",
          [](const T& self) {
            return per_child(self.type(), [](const ArrowSchema& child) {
              return child.dictionary ? text(child.dictionary->format) : std::string();
            });
          },
          "The types of the dictionaries' values; empty for a column without one.");
}

}  // namespace

nb::list to_python(const std::vector<Remark>& remarks) {
  constexpr const char* remedies[] = {"none", "leave_out", "categorical", "text"};
  nb::list result;
  for (const Remark& remark : remarks)
    result.append(nb::make_tuple(remark.sentence, remedies[static_cast<int>(remark.remedy)],
                                 nb::cast(remark.columns)));
  return result;
}

void bind_rows(nb::module_& module) {
  auto batch = nb::class_<ArrowBatch>(module, "ArrowBatch", "A record batch, or a slice of one.");
  batch.def_prop_ro("rows", &ArrowBatch::rows)
      .def("slice", &ArrowBatch::slice, "first"_a, "count"_a);
  describe_columns(batch);

  auto stream =
      nb::class_<ArrowStream>(module, "ArrowStream", "Record batches, one after another.");
  stream.def(nb::init<nb::capsule>(), "capsule"_a).def("next", &ArrowStream::next);
  describe_columns(stream);

  nb::class_<Rows>(module, "Rows",
                   "A view of rows: features in the schema's order, labels and weights.")
      .def(nb::init<Index>(), "rows"_a)
      .def_prop_ro("size", [](const Rows& self) { return self.block().rows(); })
      .def_prop_ro("features", [](const Rows& self) { return self.block().feature_count(); })
      .def_prop_ro("in_files", &Rows::in_files)
      .def(
          "refuse",
          [](const Rows& self, const std::string& sentence, const std::string& advice, Index row,
             const std::string& label, const std::vector<std::string>& features) {
            Place place = self.place(row);
            place.label = label;
            place.features = features;
            throw FileError(std::move(place), sentence, advice);
          },
          "sentence"_a, "advice"_a, "row"_a, "label"_a, "features"_a,
          "Raises the FileError for a row that stands in a file.")
      .def(
          "remarks",
          [](const Rows& self, const Schema& schema, const std::vector<bool>& chosen) {
            return to_python(remarks_on_first_rows(schema, self.block(), chosen));
          },
          "schema"_a, "chosen"_a, "What the first rows of a table show.")
      .def("add_matrix", &Rows::add_matrix, "values"_a)
      .def("add_column", &Rows::add_column, "values"_a, "missing"_a = nb::none())
      .def("add_codes", &Rows::add_codes, "codes"_a, "names"_a)
      .def("add_sparse", &Rows::add_sparse, "indptr"_a, "indices"_a, "data"_a, "columns"_a)
      .def("keep_columns", &Rows::keep_columns, "positions"_a)
      .def("add_arrow", &Rows::add_arrow, "batch"_a, "column"_a)
      .def("set_labels", &Rows::set_labels, "codes"_a, "names"_a)
      .def("set_folds", &Rows::set_folds, "codes"_a, "names"_a)
      .def("set_label_arrow", &Rows::set_label_arrow, "batch"_a, "column"_a)
      .def("set_weights", &Rows::set_weights, "values"_a)
      .def("set_weight_arrow", &Rows::set_weight_arrow, "batch"_a, "column"_a);

  nb::class_<Shared<Reservoir>>(module, "Reservoir", "A sample of the rows, in memory.")
      .def(
          "__init__",
          [](Shared<Reservoir>* place, const Schema& schema, std::uint64_t seed) {
            new (place) Shared(Reservoir(schema, {.seed = seed}));
          },
          "schema"_a, "seed"_a = 0)
      .def(
          "update",
          [](Shared<Reservoir>& self, const Rows& rows) {
            const WithoutLock without_lock;
            self.change([&](Reservoir& reservoir) { reservoir.update(rows.block()); });
          },
          "rows"_a);

  module.def(
      "remarks_on", [](const Statistics& statistics) { return to_python(remarks_on(statistics)); },
      "statistics"_a);
}

}  // namespace suffice::python
