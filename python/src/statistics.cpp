#include "suffice/stats/statistics.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "figures.hpp"
#include "rows.hpp"
#include "stats/pooled.hpp"
#include "suffice/contrast/class_tests.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

Scatter scatter_from_string(const std::string& name) {
  if (name == "dense") return Scatter::dense;
  if (name == "diagonal") return Scatter::diagonal;
  if (name == "thin") return Scatter::thin;
  if (name == "pooled") return Scatter::pooled;
  throw InvalidArgument("scatter is '" + name + "'",
                        "it must be 'dense', 'diagonal', 'thin' or 'pooled'");
}

const char* scatter_name(const Statistics& statistics) {
  switch (scatter_of(statistics)) {
    case Scatter::dense:
      return "dense";
    case Scatter::diagonal:
      return "diagonal";
    case Scatter::thin:
      return "thin";
    case Scatter::pooled:
      return "pooled";
  }
  return "";
}

/// Thin while there are no more rows than features, for statistics that are to keep the scatter
/// `of_many`.
void choose_scatter(Statistics& statistics, Index rows, Scatter of_many) {
  const Scatter now = scatter_of(statistics);
  if (now == Scatter::diagonal) return;
  const double before = statistics.weights().map().sum();
  const Scatter wanted =
      scatter_for_rows(of_many, statistics.schema(), rows + static_cast<Index>(before));
  if (before == 0 && wanted == Scatter::thin)
    statistics =
        Statistics(statistics.schema(), {.scatter = wanted, .labels = statistics.labels().list()});
  else if (now == Scatter::thin && wanted != Scatter::thin)
    statistics = with_scatter(statistics, wanted);
}

void require_block(const Statistics& statistics, Index block) {
  if (block < 0 || block >= std::ssize(statistics.blocks()))
    throw InvalidArgument("there is no block " + std::to_string(block),
                          "there are " + std::to_string(statistics.blocks().size()));
}

const GaussianStatistics& gaussian_block(const Statistics& statistics, Index block) {
  require_block(statistics, block);
  const auto* found = std::get_if<GaussianStatistics>(&statistics.blocks()[block]);
  if (!found) throw InvalidArgument("block " + std::to_string(block) + " is not Gaussian");
  return *found;
}

[[noreturn]] void throw_no_scatter() {
  throw InvalidArgument("these statistics kept only the diagonal of the scatter");
}

template <class Sums>
nb::dict with_fields(const Sums& of) {
  nb::dict result;
  add_fields(result, of);
  return result;
}

/// One row a class; a class that was not seen has zeros.
template <class Of>
Matrix per_class(const GaussianStatistics& block, Index d, const Of& of) {
  Matrix result(std::ssize(block.classes), d);
  for (Index c = 0; c < result.rows(); ++c) {
    const Vector& row = of(c);
    if (!row.empty()) std::copy(row.begin(), row.end(), result.row(c).begin());
  }
  return result;
}

Index features_of(const Statistics& statistics, Index block) {
  return std::ssize(statistics.schema().blocks()[block].features);
}

nb::dict gaussian(const Statistics& statistics, Index block) {
  const auto& sums = gaussian_block(statistics, block);
  if (sums.kind == Scatter::diagonal) throw_no_scatter();
  const Index d = features_of(statistics, block);
  const auto complete = [&](Index c) -> const JointMoments& { return sums.classes[c].complete; };
  Vector weight(std::ssize(sums.classes));
  std::vector<const Matrix*> scatter;
  for (Index c = 0; c < weight.size(); ++c) {
    weight[c] = complete(c).weight;
    scatter.push_back(&complete(c).scatter);
  }
  nb::dict result;
  result["weight"] = to_numpy(std::move(weight));
  result["mean"] =
      to_numpy(per_class(sums, d, [&](Index c) -> const Vector& { return complete(c).mean; }));
  result["mean_low"] =
      to_numpy(per_class(sums, d, [&](Index c) -> const Vector& { return complete(c).mean_low; }));
  if (sums.kind == Scatter::dense) {
    result["scatter"] = to_numpy(scatter, d, d);
    return result;
  }
  if (sums.kind == Scatter::pooled) {
    result["pooled"] = to_numpy(sums.pooled.empty() ? Matrix(d, d) : sums.pooled);
    if (sums.has_class_squares())
      result["squares"] = to_numpy(
          per_class(sums, d, [&](Index c) -> const Vector& { return complete(c).squares; }));
    return result;
  }
  nb::list factors;
  for (Index c = 0; c < std::ssize(sums.classes); ++c)
    factors.append(to_numpy(complete(c).factor.empty() ? Matrix(0, d) : complete(c).factor));
  result["factor"] = factors;
  return result;
}

nb::dict moments(const Statistics& statistics, Index block) {
  const auto& sums = gaussian_block(statistics, block);
  const Index d = features_of(statistics, block);
  std::vector<Moments> moments;
  for (Index c = 0; c < std::ssize(sums.classes); ++c) moments.push_back(sums.moments(c));
  const auto rows = [&](Vector Moments::*member) {
    return to_numpy(
        per_class(sums, d, [&](Index c) -> const Vector& { return moments[c].*member; }));
  };
  nb::dict result;
  result["weight"] = rows(&Moments::weight);
  result["mean"] = rows(&Moments::mean);
  result["mean_low"] = rows(&Moments::mean_low);
  result["squares"] = rows(&Moments::squares);
  return result;
}

/// The sums of a block that is not Gaussian.
nb::dict sums(const Statistics& statistics, Index block) {
  struct ToDict {
    nb::dict operator()(const GaussianStatistics&) const {
      throw InvalidArgument("this block is Gaussian: gaussian() and moments() have its sums");
    }
    nb::dict operator()(const CountStatistics& of) const { return with_fields(of); }
    nb::dict operator()(const CategoricalStatistics& of) const { return with_fields(of); }
    nb::dict operator()(const TextStatistics& of) const { return with_fields(of); }
  };
  require_block(statistics, block);
  return std::visit(ToDict{}, statistics.blocks()[block]);
}

Vector shares_of(const Statistics& statistics, const Doubles& given) {
  Vector shares = vector_of(given, "the shares");
  if (shares.size() != statistics.labels().size())
    throw InvalidArgument("there are " + std::to_string(shares.size()) + " shares for " +
                          std::to_string(statistics.labels().size()) + " classes");
  if (std::ranges::none_of(statistics.weights(), [](double weight) { return weight > 0; }))
    throw InvalidArgument("no class has a weight", "update the statistics with rows first");
  return shares;
}

nb::tuple means_of_classes(const Statistics& statistics, Index block, const Doubles& shares) {
  PooledMeans means =
      pooled_means(gaussian_block(statistics, block), shares_of(statistics, shares));
  return nb::make_tuple(to_numpy(std::move(means.centre)), to_numpy(std::move(means.centre_low)),
                        to_numpy(std::move(means.deviations)));
}

OutArray covariance_of_classes(const Statistics& statistics, Index block, const Doubles& shares) {
  const GaussianStatistics& sums = gaussian_block(statistics, block);
  if (sums.kind == Scatter::pooled)
    throw InvalidArgument("these statistics kept one scatter for all classes together");
  if (sums.kind != Scatter::dense) throw_no_scatter();
  return to_numpy(pooled_covariance(sums, shares_of(statistics, shares)));
}

Statistics projected(const Statistics& statistics, Index block, const Doubles& matrix,
                     const std::optional<Doubles>& offset, std::vector<std::string> names) {
  return project(statistics, {.block = block,
                              .matrix = matrix_of(matrix, "the projection"),
                              .offset = offset ? vector_of(*offset, "the offset") : Vector(),
                              .names = std::move(names)});
}

std::pair<Statistics, std::vector<std::string>> subtracted(const Statistics& all,
                                                           const Statistics& part) {
  SubtractResult result = subtract(all, part);
  return {std::move(result.rest), std::move(result.warnings)};
}

}  // namespace

void bind_statistics(nb::module_& module) {
  nb::class_<Shared<Statistics>>(module, "Statistics", "The sums over rows, per class.")
      .def(
          "__init__",
          [](Shared<Statistics>* place, const Schema& schema, const std::string& scatter,
             std::vector<std::string> labels) {
            new (place) Shared(Statistics(
                schema, {.scatter = scatter_from_string(scatter), .labels = std::move(labels)}));
          },
          "schema"_a, "scatter"_a = "dense", "labels"_a = std::vector<std::string>())
      .def(
          "update",
          [](Shared<Statistics>& self, const Rows& rows, int threads, bool allow_missing,
             const std::string& adapt) {
            std::optional<Scatter> of_many;
            if (!adapt.empty()) of_many = scatter_from_string(adapt);
            const UpdateOptions options{.missing =
                                            allow_missing ? Missing::allow : Missing::refuse};
            call(threads, rows.size(), [&](const Execution& execution) {
              self.change([&](Statistics& statistics) {
                if (of_many) choose_scatter(statistics, rows.block().rows(), *of_many);
                statistics.update(rows.block(), options, execution);
              });
            });
          },
          "rows"_a, "threads"_a = 0, "allow_missing"_a = true, "adapt"_a = "")
      .def(
          "with_scatter",
          [](const Statistics& self, const std::string& scatter) {
            return with_scatter(self, scatter_from_string(scatter));
          },
          "scatter"_a)
      .def("copy",
           [](const Shared<Statistics>& self) { return Shared<Statistics>(version_of(self)); })
      .def(
          "merge",
          [](const Statistics& self, const Statistics& other) { return merge(self, other); },
          "other"_a)
      .def("subtract", subtracted, "part"_a)
      .def("project", projected, "block"_a, "matrix"_a, "offset"_a = nb::none(),
           "names"_a = std::vector<std::string>())
      .def("__eq__", [](const Statistics& a, const Statistics& b) { return a == b; })
      .def_prop_ro("schema", [](const Statistics& self) -> Schema { return self.schema(); })
      .def_prop_ro("labels", [](const Statistics& self) { return self.labels().list(); })
      .def_prop_ro(
          "weights", [](const Statistics& self) { return to_numpy(self.weights()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "squared_weights",
          [](const Statistics& self) { return to_numpy(self.squared_weights()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "missing", [](const Statistics& self) { return to_numpy(self.missing()); },
          nb::rv_policy::automatic)
      .def_prop_ro("scatter", scatter_name)
      .def("gaussian", gaussian, "block"_a)
      .def("moments", moments, "block"_a)
      .def("sums", sums, "block"_a)
      .def("tests",
           [](const Statistics& self) {
             std::vector<Figure> figures;
             {
               const WithoutLock without_lock;
               figures = test_figures(class_tests(self));
             }
             return to_python(figures);
           })
      .def("pooled_means", means_of_classes, "block"_a, "shares"_a)
      .def("pooled_covariance", covariance_of_classes, "block"_a, "shares"_a)
      .def("to_bytes",
           [](const Statistics& self) {
             const std::string bytes = to_bytes(self);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return statistics_from_bytes({bytes.c_str(), bytes.size()});
          },
          "bytes"_a)
      .def(
          "save", [](const Statistics& self, const std::string& path) { save(self, path); },
          "path"_a)
      .def_static(
          "load", [](const std::string& path) { return load_statistics(path); }, "path"_a);
}

}  // namespace suffice::python
