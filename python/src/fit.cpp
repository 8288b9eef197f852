// Training: options, rows of Python as a source, and what was found.

#include "suffice/fit/fit.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "bindings.hpp"
#include "call.hpp"
#include "options.hpp"
#include "row_source.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

Categories categories_from(const std::string& name) {
  if (name == "apart") return Categories::apart;
  if (name == "auto") return Categories::automatic;
  if (name == "within") return Categories::within;
  throw InvalidArgument(Option{"categories", name} + Sentence(" is unknown"),
                        "it must be 'apart', 'within' or 'auto'");
}

MissingIndicators missing_indicators_from(const std::string& name) {
  if (name == "no") return MissingIndicators::no;
  if (name == "yes") return MissingIndicators::yes;
  if (name == "auto") return MissingIndicators::automatic;
  throw InvalidArgument(Option{"missing_indicators", name} + Sentence(" is unknown"),
                        "it must be 'auto', 'yes' or 'no'");
}

void make_options(FitOptions* place, const std::map<std::string, std::string>& given,
                  std::optional<std::vector<std::string>> find_transforms,
                  const std::optional<std::string>& categories,
                  const std::optional<std::string>& missing_indicators,
                  std::optional<bool> calibrate, bool by_groups, const std::string& missing,
                  Index iterations, double tolerance, Index restarts, bool use_unlabelled,
                  double unlabelled_weight, std::uint64_t seed, const Model* start) {
  FitOptions options;
  for (const auto& [name, text] : given) options.set(name, text);
  options.find_transforms = std::move(find_transforms);
  if (categories) options.categories = categories_from(*categories);
  if (missing_indicators) options.missing_indicators = missing_indicators_from(*missing_indicators);
  options.calibrate = calibrate;
  options.by_groups = by_groups;
  options.missing = missing_numbers_from(missing);
  options.passes = {.iterations = iterations, .tolerance = tolerance};
  options.restarts = restarts;
  options.use_unlabelled = use_unlabelled;
  options.unlabelled_weight = unlabelled_weight;
  options.seed = seed;
  if (start) options.start = *start;
  new (place) FitOptions(std::move(options));
}

/// The first wish that needs more than `sums`, or than rows that can be read once.
std::optional<std::string> needs_more(const FitOptions& options, Material material) {
  const std::optional<Sentence> wish = needs_more_than(material, options);
  return wish ? std::optional(text_of(*wish)) : std::nullopt;
}

nb::dict as_dict(const Choice& choice) {
  nb::dict result;
  const Choice::Candidate* best = choice.best();
  if (!best) {
    result["reason"] = text_of(choice.reason);
    return result;
  }
  result["rows"] = choice.rows;
  result["folds"] = std::max(choice.folds, choice.sample_folds);
  result["error_rate"] = best->error_rate;
  result["log_loss"] = best->log_loss;
  result["prior_error_rate"] = choice.prior_error_rate;
  result["prior_log_loss"] = choice.prior_log_loss;
  result["chosen"] = choice.chosen;
  if (choice.incumbent >= 0) result["evidence"] = choice.incumbent;
  nb::list candidates;
  for (const Choice::Candidate& candidate : choice.candidates) {
    nb::dict one;
    one["options"] = to_python(candidate.options);
    one["error_rate"] = candidate.error_rate;
    one["log_loss"] = candidate.log_loss;
    candidates.append(one);
  }
  result["candidates"] = candidates;
  return result;
}

nb::dict as_dict(const ColumnChanges& columns) {
  nb::dict result;
  result["changes"] = nb::cast(columns.changes);
  result["log_loss_before"] = columns.log_loss_before;
  result["log_loss"] = columns.log_loss;
  return result;
}

nb::dict as_dict(const FoundCalibration& calibration) {
  nb::dict result;
  result["folds"] = calibration.folds == 0 ? nb::cast("loo") : nb::cast(calibration.folds);
  result["log_loss_before"] = calibration.log_loss_before;
  result["log_loss"] = calibration.log_loss;
  result["frequency_log_loss"] = calibration.frequency_log_loss;
  return result;
}

nb::dict as_dict(const FoundThreshold& threshold) {
  nb::dict result;
  result["delta"] = threshold.delta;
  result["compared"] = threshold.compared;
  result["folds"] = threshold.folds;
  result["error_rate"] = threshold.error_rate;
  result["log_loss"] = threshold.log_loss;
  return result;
}

nb::dict as_dict(const LeaveOneOutShrinkage::Choice& strength) {
  nb::dict result;
  result["shrinkage"] = to_string(strength.shrinkage);
  result["error_rate"] = strength.error_rate;
  result["log_loss"] = strength.log_loss;
  return result;
}

nb::dict as_dict(const MixtureFit& fit) {
  const Model& model = fit.model;
  const Index classes = model.labels().size();
  nb::dict result, components;
  for (Index c = 0; c < classes; ++c) {
    const bool mixed = model.mixture().has_value();
    components[model.labels()[c].c_str()] =
        mixed ? model.mixture()->by_class(classes)[static_cast<std::size_t>(c)].size() : 1;
  }
  result["components"] = components;
  result["log_likelihood"] = nb::cast(fit.log_likelihood);
  result["converged"] = fit.converged;
  result["empty"] = fit.empty;
  result["bounded"] = fit.bounded;
  result["unlabelled_rows"] = fit.unlabelled_rows;
  if (fit.tried.empty()) return result;
  nb::dict tried;
  for (Index c = 0; c < classes; ++c) {
    nb::list list;
    for (const ComponentsTried& of : fit.tried[static_cast<std::size_t>(c)]) {
      nb::dict one;
      one["components"] = of.components;
      one["held_out"] = of.held_out;
      one["standard_error"] = of.standard_error;
      one["bic"] = of.bic;
      list.append(one);
    }
    tried[model.labels()[c].c_str()] = list;
  }
  result["tried"] = tried;
  return result;
}

/// A part of what was found as a dictionary, or None.
template <class Part>
auto part(std::optional<Part> Fit::*member) {
  return [member](const Fit& fit) -> nb::object {
    return fit.*member ? nb::object(as_dict(*(fit.*member))) : nb::none();
  };
}

/// Kind and text.
std::vector<std::pair<std::string, std::string>> notes_of(const Fit& fit) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const FitNote& note : fit.notes) {
    const char* kind = note.kind == FitNote::Kind::warning ? "warning"
                       : note.kind == FitNote::Kind::note  ? "note"
                                                           : "hint";
    result.emplace_back(kind, text_of(note.sentence));
  }
  return result;
}

/// What was found, of which the model and the statistics are taken out: both may be large.
using Trained = std::tuple<Model, Statistics, Fit>;

/// Calls `train` without the interpreter's lock; `progress(what, share)` is told how far it is.
/// `size` says how many numbers there are.
template <class Train>
Trained trained(FitOptions options, double size, int threads, const nb::object& progress,
                const Train& train) {
  constexpr double looks = 100;  // that is, roughly, how often each is looked at
  std::mutex mutex;
  std::string what = "reading";
  nb::object told = nb::none();
  if (!progress.is_none())
    told = nb::cpp_function([&](double share) {
      std::string now;
      {
        const std::lock_guard lock(mutex);
        now = what;
      }
      progress(now, share);
    });
  std::optional<Fit> fit;
  call(
      threads, looks * size,
      [&](const Execution& execution) {
        if (execution.progress)
          options.progress = [&](std::string_view said, double share) {
            {
              const std::lock_guard lock(mutex);
              what = said;
            }
            execution.progress(share);
          };
        fit.emplace(train(options, execution));
      },
      told);
  Model model = std::move(fit->model);
  Statistics statistics = std::move(fit->statistics);
  return {std::move(model), std::move(statistics), std::move(*fit)};
}

}  // namespace

void bind_fit(nb::module_& module) {
  nb::class_<FitOptions>(module, "FitOptions", "Everything that can be asked of fit.")
      .def("__init__", make_options, "given"_a, nb::kw_only(), "find_transforms"_a.none(),
           "categories"_a.none(), "missing_indicators"_a.none(), "calibrate"_a.none(),
           "by_groups"_a, "missing"_a, "iterations"_a, "tolerance"_a, "restarts"_a,
           "use_unlabelled"_a, "unlabelled_weight"_a, "seed"_a, "start"_a.none())
      .def_prop_ro("needs_rows",
                   [](const FitOptions& self) { return needs_more(self, Material::sums); })
      .def_prop_ro("needs_rows_again",
                   [](const FitOptions& self) { return needs_more(self, Material::rows_once); })
      .def_prop_ro("needs_dense_scatter",
                   [](const FitOptions& self) { return needs_dense_scatter(self.estimate); });

  nb::class_<Fit>(module, "Fit", "What fit has found beside the model and the statistics.")
      .def_ro("rows", &Fit::rows)
      .def_ro("unlabelled_rows", &Fit::unlabelled_rows)
      .def_prop_ro("choice", part(&Fit::choice))
      .def_prop_ro("columns", part(&Fit::columns))
      .def_prop_ro("calibration", part(&Fit::calibration))
      .def_prop_ro("mixture", part(&Fit::mixture))
      .def_prop_ro("strength", part(&Fit::strength))
      .def_prop_ro("threshold", part(&Fit::threshold))
      .def_prop_ro("remarks", [](const Fit& self) { return to_python(self.remarks); })
      .def_prop_ro("notes", notes_of);

  module.def(
      "fit",
      [](const nb::object& rows, const FitOptions& options, int threads,
         const nb::object& progress) {
        PyRowSource source(rows);
        return trained(options, nb::cast<double>(rows.attr("size")), threads, progress,
                       [&](const FitOptions& asked, const Execution& execution) {
                         return fit(source, asked, execution);
                       });
      },
      "rows"_a, "options"_a, "threads"_a = 0, "progress"_a = nb::none());
  module.def(
      "fit_sums",
      [](const Statistics& statistics, const FitOptions& options, int threads) {
        const double d = static_cast<double>(statistics.schema().size());
        const double size = d * d * static_cast<double>(statistics.labels().size());
        return trained(options, size, threads, nb::none(),
                       [&](const FitOptions& asked, const Execution& execution) {
                         return fit(statistics, asked, execution);
                       });
      },
      "statistics"_a, "options"_a, "threads"_a = 0);
}

}  // namespace suffice::python
