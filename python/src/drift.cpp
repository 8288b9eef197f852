// Two sets of sums compared.

#include "suffice/contrast/drift.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings.hpp"
#include "call.hpp"
#include "figures.hpp"
#include "suffice/io/file.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The rows that a statistics file keeps; nothing without a file, or without rows in it.
std::optional<Reservoir> rows_in(const std::string& path) {
  return path.empty() ? std::nullopt : load_statistics_file(path).rows;
}

nb::dict drift_of(const Statistics& before, const Statistics& after, const std::string& old_path,
                  const std::string& new_path, bool common, double mean, double auc, double share,
                  double correlation, double level, std::uint64_t seed, int threads) {
  std::vector<Figure> figures;
  const auto columns = static_cast<double>(before.schema().size());
  call(threads, 100 * columns * columns, [&](const Execution& execution) {
    const std::optional<Reservoir> old_rows = rows_in(old_path), new_rows = rows_in(new_path);
    const DriftOptions options{.mean = mean,
                               .auc = auc,
                               .share = share,
                               .correlation = correlation,
                               .level = level,
                               .seed = seed};
    const auto compare = [&](const Statistics& a, const Statistics& b) {
      figures = drift_figures(drift({a, old_rows ? &*old_rows : nullptr},
                                    {b, new_rows ? &*new_rows : nullptr}, options, execution));
    };
    if (!common) return compare(before, after);
    const auto names = common_columns(before.schema(), after.schema());
    compare(with_columns(before, names), with_columns(after, names));
  });
  return to_python(figures);
}

}  // namespace

void bind_drift(nb::module_& module) {
  module.def("drift", drift_of, "old"_a, "new"_a, "old_path"_a, "new_path"_a, "common"_a, "mean"_a,
             "auc"_a, "share"_a, "correlation"_a, "level"_a, "seed"_a, "threads"_a = 0);
}

}  // namespace suffice::python
