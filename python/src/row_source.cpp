#include "row_source.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "call.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

/// The error with the place of its row in the file, or among all rows; these begin with `first`.
[[noreturn]] void throw_with_place(const DataError& error, const Rows& rows, Index first) {
  Place where = error.where();
  if (where.row < 0) throw error;
  if (!rows.in_files()) {
    where.row += first;
    throw DataError(std::move(where), error.sentence(), error.advice());
  }
  Place place = rows.place(where.row);
  place.label = std::move(where.label);
  place.features = std::move(where.features);
  throw FileError(std::move(place), error.sentence(), error.advice());
}

}  // namespace

PyRowSource::PyRowSource(nb::object rows)
    : rows_(std::move(rows)),
      schema_(nb::cast<const Schema&>(rows_.attr("schema"))),
      given_families_(nb::cast<std::vector<bool>>(rows_.attr("given_families"))),
      sparse_(nb::cast<bool>(rows_.attr("sparse"))),
      finalizing_(is_finalizing()),
      once_(nb::cast<std::optional<std::string>>(rows_.attr("once"))) {}

RowCounts PyRowSource::read(const Reading& reading, const Use& use) {
  const WithLock with_lock(finalizing_);
  const nb::object pass = until_exit(
      [&] { return nb::object(rows_.attr("read")(reading.schema, reading.unlabelled)); });
  for (;;) {
    const nb::object slice = until_exit([&] { return nb::object(pass.attr("next")()); });
    if (slice.is_none()) break;
    const auto first = nb::cast<Index>(slice[0]);
    const Rows& rows = nb::cast<const Rows&>(slice[1]);
    const WithoutLock without_lock;
    try {
      use(rows.block(), rows.folds());
    } catch (const DataError& error) {
      throw_with_place(error, rows, first);
    }
  }
  return {nb::cast<double>(pass.attr("rows")), nb::cast<double>(pass.attr("unlabelled"))};
}

}  // namespace suffice::python
