// Choosing among candidates, which reads the rows twice.

#include "suffice/select/select.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "options.hpp"
#include "rows.hpp"
#include "suffice/select/grid.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The engine's selector, and how many candidates a row meets.
struct PySelector {
  Selector selector;
  double candidates;
  bool dense;  ///< a candidate needs the whole scatter
  RowTraining training;
  Selector::RowsOfFolds rows = {};  ///< for candidates that take passes
};

void make_selector(PySelector* place, const Schema& schema, const Grid& grid, Index folds,
                   std::uint64_t seed, const std::string& criterion, bool one_se, bool calibrate,
                   const std::string& missing, Index iterations, double tolerance, Index restarts) {
  const RowTraining training{
      .missing = missing_numbers_from(missing),
      .passes = {.iterations = iterations, .tolerance = tolerance, .seed = seed},
      .restarts = restarts,
      .seed = seed};
  require_possible(training.passes);
  SelectOptions options{.candidates = candidates_of(grid, schema, folds == 0),
                        .folds = folds,
                        .seed = seed,
                        .criterion = criterion_from_string(criterion),
                        .calibrate = calibrate,
                        .one_standard_error = one_se,
                        .training = training};
  const double candidates = static_cast<double>(options.candidates.size());
  const bool dense = std::ranges::any_of(options.candidates, needs_dense_scatter);
  new (place) PySelector{Selector(schema, std::move(options)), candidates, dense, training};
}

void decide_with(PySelector& self, const std::optional<Doubles>& priors,
                 const std::optional<Doubles>& costs) {
  const Names labels = self.selector.statistics().labels();
  std::optional<Priors> probabilities;
  if (priors) {
    const Vector given = vector_of(*priors, "the priors");
    probabilities.emplace(labels, std::span<const double>(given.begin(), given.end()));
  }
  std::optional<Costs> matrix;
  if (costs) matrix.emplace(labels, matrix_of(*costs, "the costs"));
  self.selector.decide_with(std::move(probabilities), std::move(matrix));
}

nb::dict as_dict(const Score& score) {
  nb::dict result;
  result["rows"] = score.rows;
  result["error_rate"] = score.error_rate;
  result["log_loss"] = score.log_loss;
  result["cost"] = score.cost;
  return result;
}

nb::dict as_dict(const CandidateResult& candidate, const std::vector<std::string>& folds) {
  nb::dict result;
  result["options"] = to_python(candidate.options);
  if (!candidate.error.empty()) {
    result["error"] = text_of(candidate.error);
  } else {
    result.update(as_dict(candidate.score));
    result["error_rate_se"] = candidate.error_rate_se;
    result["log_loss_se"] = candidate.log_loss_se;
    result["cost_se"] = candidate.cost_se;
    result["parameters"] = candidate.parameters;
    if (candidate.calibration) {
      nb::dict calibration, before;
      add_fields(calibration, *candidate.calibration);
      result["calibration"] = calibration;
      before["error_rate"] = candidate.uncalibrated.error_rate;
      before["log_loss"] = candidate.uncalibrated.log_loss;
      result["uncalibrated"] = before;
    }
    nb::list scores;
    for (std::size_t f = 0; f < candidate.folds.size(); ++f) {
      nb::dict fold;
      fold["name"] = folds[f];
      fold.update(as_dict(candidate.folds[f]));
      scores.append(fold);
    }
    result["folds"] = scores;
  }
  result["seconds"] = candidate.seconds;
  return result;
}

nb::dict as_dict(const Selection& selection) {
  nb::list candidates;
  for (const CandidateResult& candidate : selection.candidates)
    candidates.append(as_dict(candidate, selection.folds));
  nb::dict result;
  result["candidates"] = candidates;
  result["ranking"] = nb::cast(selection.ranking);
  result["best"] = selection.best;
  result["frequency_log_loss"] = selection.frequency_log_loss;
  result["notes"] = nb::cast(selection.notes);
  result["hints"] = nb::cast(selection.hints);
  result["folds"] = nb::cast(selection.folds);
  result["impossible"] = selection.candidates[selection.best].score.impossible;
  return result;
}

/// What was chosen, and the model of all rows.
std::pair<nb::dict, Model> finished(PySelector& self, int threads) {
  const Statistics& statistics = self.selector.statistics();
  const double d = static_cast<double>(statistics.schema().size());
  Selection selection;
  std::optional<Model> model;
  call(threads,
       statistics.weights().map().sum() + d * d * static_cast<double>(statistics.labels().size()),
       [&](const Execution& execution) {
         selection = self.selector.finish(execution);
         const EstimateOptions& best = selection.best_options();
         const RowPass rows = [&](const auto& use) {
           self.rows([&](const RowBlock& block, const Column&) { use(block); });
         };
         const Model chosen =
             self.rows ? estimate_with_rows(statistics, rows, best, self.training, execution)
                       : estimate(statistics, best, execution);
         model.emplace(chosen.with_calibration(selection.candidates[selection.best].calibration));
       });
  return {as_dict(selection), std::move(*model)};
}

}  // namespace

void bind_select(nb::module_& module) {
  nb::class_<PySelector>(module, "Selector", "Candidates and the folds they are compared on.")
      .def("__init__", make_selector, "schema"_a, "grid"_a, "folds"_a, "seed"_a, "criterion"_a,
           "one_se"_a, "calibrate"_a, "missing"_a = "complete",
           "iterations"_a = PassOptions().iterations, "tolerance"_a = PassOptions().tolerance,
           "restarts"_a = RowTraining().restarts)
      .def(
          "learn",
          [](PySelector& self, const Rows& rows, int threads, const nb::object& progress) {
            const auto learn = [&](const Execution& execution) {
              self.selector.learn(rows.block(), rows.folds(), execution);
            };
            call(threads, rows.size(), learn, progress);
          },
          "rows"_a, "threads"_a = 0, "progress"_a = nb::none())
      .def_prop_ro("scatter",
                   [](const PySelector& self) { return self.dense ? "dense" : "diagonal"; })
      .def(
          "learn_fold",
          [](PySelector& self, const std::string& fold, const Statistics& sums) {
            self.selector.learn(fold, sums);
          },
          "fold"_a, "sums"_a)
      .def("scores",
           [](const PySelector& self) {
             FoldScores found = self.selector.scores();
             std::vector<std::string> errors;
             for (const Sentence& error : found.errors) errors.push_back(text_of(error));
             return std::tuple(to_numpy(std::move(found.sums)), std::move(errors),
                               to_numpy(std::move(found.parameters)),
                               to_numpy(std::move(found.seconds)));
           })
      .def(
          "add_scores",
          [](PySelector& self, const Doubles& sums, const std::vector<std::string>& errors,
             const Doubles& parameters, const Doubles& seconds) {
            self.selector.add_scores({.sums = matrix_of(sums, "the scores"),
                                      .errors = {errors.begin(), errors.end()},
                                      .parameters = vector_of(parameters, "the parameters"),
                                      .seconds = vector_of(seconds, "the seconds")});
          },
          "sums"_a, "errors"_a, "parameters"_a, "seconds"_a)
      .def(
          "read_again_with",
          [](PySelector& self, const nb::object& read) {
            self.rows = [again = read_again(read), &self](const auto& use) {
              again(self.selector.statistics().schema(),
                    [&](const Rows& rows) { use(rows.block(), rows.folds()); });
            };
            self.selector.read_again_with(self.rows);
          },
          "read"_a, nb::keep_alive<1, 2>())
      .def("decide_with", decide_with, "priors"_a, "costs"_a)
      .def(
          "score",
          [](PySelector& self, const Rows& rows, int threads, const nb::object& progress) {
            const auto score = [&](const Execution& execution) {
              self.selector.score(rows.block(), rows.folds(), execution);
            };
            call(threads, rows.size() * self.candidates, score, progress);
          },
          "rows"_a, "threads"_a = 0, "progress"_a = nb::none())
      .def("finish", finished, "threads"_a = 0)
      .def(
          "predict",
          [](PySelector& self, const Rows& rows, int threads) {
            FoldPredictions found;
            call(threads, rows.size(), [&](const Execution& execution) {
              found = self.selector.predict(rows.block(), rows.folds(), execution);
            });
            return std::tuple(to_numpy(std::move(found.posteriors)),
                              to_numpy(std::move(found.classes)), to_numpy(std::move(found.folds)));
          },
          "rows"_a, "threads"_a = 0)
      .def("statistics", [](const PySelector& self) { return self.selector.statistics(); });
}

}  // namespace suffice::python
