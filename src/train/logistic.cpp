#include "suffice/train/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/constants.hpp"
#include "suffice/core/error.hpp"
#include "train/logistic_pass.hpp"
#include "train/logistic_solver.hpp"

namespace suffice {
namespace {

/// The full curvature of all rows is worked out for standard errors up to that many
/// multiplications.
constexpr double most_work_for_errors = 2e12;
/// Nats per row that a smaller penalty must gain, or else the path ends soon.
constexpr double least_gain = 1e-5;

class LogisticTraining {
 public:
  LogisticTraining(const Model& generative, const RowPass& rows, const LogisticOptions& options,
                   const Execution& execution)
      : options_(options),
        execution_(execution),
        pass_(generative, rows, options, execution),
        terms_(pass_.terms()),
        contrasts_(contrasts(pass_.classes())) {
    tell_progress();
  }

  LogisticFit fit(const Model& generative) {
    Vector start = intercepts_alone();
    LogisticFit result{.model = generative, .filled = pass_.filled()};
    if (options_.penalty) {
      result.penalty = *options_.penalty;
    } else {
      result.tried = try_penalties(start);
      const auto best = std::ranges::min_element(result.tried, {}, &TriedPenalty::log_loss);
      result.penalty = best->penalty;
    }
    LogisticSolver solver(pass_.classes(), terms_, goal(result.penalty, true), std::move(start));
    run({&solver, 1}, false);
    result.converged = solver.converged();
    result.separable = solver.separable();
    result.log_loss = solver.sums().loss / solver.sums().weight;
    Logistic twin = twin_of(solver, generative.labels().size());
    if (options_.errors && !result.separable) add_errors(solver, result.penalty, twin);
    result.passes = pass_.passes();
    result.model = with_twin(generative, std::move(twin), result);
    return result;
  }

 private:
  /// Contrasts of the log shares of the classes, without weights.
  Vector intercepts_alone() const {
    Vector u((pass_.classes() - 1) * terms_);
    if (!options_.intercept) return u;
    for (Index a = 0; a + 1 < pass_.classes(); ++a)
      for (Index k = 0; k < pass_.classes(); ++k)
        u[(a + 1) * terms_ - 1] +=
            contrasts_(k, a) * std::log(pass_.class_weight()[k] / pass_.weight());
    return u;
  }

  /// Of contrasts: the difference of two classes is √2 of them.
  Vector penalty_per_term(double penalty) const {
    Vector result(terms_);
    for (Index t = 0; t + 1 < terms_; ++t) {
      result[t] = penalty * (pass_.classes() == 2 ? 2 : 1);
      if (!options_.standardize && pass_.scale()[t] > 0)
        result[t] /= pass_.scale()[t] * pass_.scale()[t];
    }
    return result;
  }

  LogisticGoal goal(double penalty, bool precise) const {
    return {.penalty = penalty_per_term(penalty),
            .tolerance = options_.passes.tolerance,
            .decrease = precise ? 0 : 1e-7,
            .iterations = options_.passes.iterations};
  }

  /// Until all are done; in folds, solver f leaves out the rows of fold f.
  void run(std::span<LogisticSolver> solvers, bool in_folds) {
    for (;;) {
      std::vector<LogisticPoint> points;
      std::vector<LogisticSolver*> asked;
      for (std::size_t f = 0; f < solvers.size(); ++f) {
        if (solvers[f].is_done()) continue;
        points.push_back(solvers[f].point(in_folds ? static_cast<Index>(f) : -1));
        asked.push_back(&solvers[f]);
      }
      if (asked.empty()) return;
      std::vector<LogisticSums> sums = pass_.evaluate(points);
      for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->tell(std::move(sums[i]));
      tell_progress();
    }
  }

  /// A path from strong to weak penalties; `start` becomes weights to begin with at the best one.
  std::vector<TriedPenalty> try_penalties(Vector& start) {
    std::vector<TriedPenalty> tried;
    std::vector<Vector> at(static_cast<std::size_t>(options_.folds), start);
    double best = infinity, before = infinity;
    Index idle = 0;
    const double first = std::clamp(std::ceil(std::log10(pass_.weight())), 1.0, 6.0);
    for (double exponent = first; exponent >= -4 && idle < 3; exponent -= 0.5) {
      const double penalty = std::pow(10, exponent);
      std::vector<LogisticSolver> solvers;
      for (Vector& from : at)
        solvers.emplace_back(pass_.classes(), terms_, goal(penalty, false), std::move(from));
      run(solvers, true);
      double loss = 0, weight = 0;
      Vector mean(start.size());
      for (std::size_t f = 0; f < solvers.size(); ++f) {
        loss += solvers[f].sums().left_out_loss;
        weight += solvers[f].sums().left_out_weight;
        at[f] = solvers[f].solution();
        mean.map() += at[f].map() / static_cast<double>(at.size());
      }
      tried.push_back({penalty, loss / weight});
      const double now = tried.back().log_loss;
      // Where penalties are strong, some steps may gain nothing at first.
      const bool is_idle = !(now < best - least_gain) && now > before - least_gain;
      idle = is_idle && best < infinity ? idle + 1 : 0;
      before = now;
      if (now < best) {
        best = now;
        start = std::move(mean);
      }
    }
    return tried;
  }

  Logistic twin_of(const LogisticSolver& solver, Index labels) const {
    const Matrix weights = solver.weights();
    const Index terms = terms_ - 1;
    Logistic twin{.weights = Matrix(labels, terms),
                  .intercept = Vector(labels),
                  .center = pass_.center(),
                  .scale = pass_.scale(),
                  .origin = pass_.origin()};
    for (double& scale : twin.scale)
      if (scale == 0) scale = 1;  // of a term without a weight
    for (Index k = 0; k < pass_.classes(); ++k) {
      const Index c = pass_.seen()[k];
      for (Index t = 0; t < terms; ++t)
        if (pass_.scale()[t] > 0) twin.weights(c, t) = weights(k, t) / pass_.scale()[t];
      twin.intercept[c] = weights(k, terms);
    }
    return twin;
  }

  void add_errors(const LogisticSolver& solver, double penalty, Logistic& twin) {
    const Index classes = pass_.classes(), q = terms_, d = classes - 1;
    if (LogisticSolver::curvature_of(classes, q) != Curvature::full ||
        pass_.curvature_work() > most_work_for_errors)
      return;
    const Matrix weights = solver.weights();
    const LogisticPoint at{.weights = &weights, .curvature = Curvature::full, .all_rows = true};
    std::vector<LogisticSums> sums = pass_.evaluate({&at, 1});
    const CurvatureFactor factor(Curvature::full, std::move(sums.front().curvature),
                                 penalty_per_term(penalty), d);
    if (!factor.is_regular()) return;
    const Matrix inverse = factor.inverse();
    // The intercept at which all terms are 0, as a combination of the parameters of a contrast.
    Vector at_zero(q);
    at_zero[q - 1] = options_.intercept ? 1 : 0;
    for (Index t = 0; t + 1 < q; ++t)
      if (pass_.scale()[t] > 0) at_zero[t] = -pass_.center()[t] / pass_.scale()[t];
    twin.errors = Matrix(twin.weights.rows(), q - 1);
    twin.intercept_errors = Vector(twin.weights.rows());
    for (Index k = 0; k < classes; ++k) {
      const Index c = pass_.seen()[k];
      double of_intercept = 0;
      for (Index a = 0; a < d; ++a)
        for (Index b = 0; b < d; ++b) {
          const double both = contrasts_(k, a) * contrasts_(k, b);
          if (both == 0) continue;
          for (Index t = 0; t + 1 < q; ++t)
            twin.errors(c, t) += both * inverse(a * q + t, b * q + t);
          for (Index i = 0; i < q; ++i)
            for (Index j = 0; j < q; ++j)
              of_intercept += both * at_zero[i] * at_zero[j] * inverse(a * q + i, b * q + j);
        }
      for (Index t = 0; t + 1 < q; ++t)
        twin.errors(c, t) = pass_.scale()[t] > 0
                                ? std::sqrt(std::max(0.0, twin.errors(c, t))) / pass_.scale()[t]
                                : 0;
      twin.intercept_errors[c] = std::sqrt(std::max(0.0, of_intercept));
    }
  }

  Model with_twin(const Model& generative, Logistic twin, const LogisticFit& fit) const {
    Model::Parts parts = generative.parts();
    parts.logistic = std::move(twin);
    parts.calibration = {};
    if (parts.options) {
      parts.options->discriminative = true;
      parts.options->penalty = options_.penalty;
    }
    parts.found.weight_penalty = {fit.penalty};
    if (!fit.tried.empty())
      parts.found.penalty_log_loss = {
          std::ranges::min_element(fit.tried, {}, &TriedPenalty::log_loss)->log_loss};
    parts.found.filled_values = {};
    if (fit.filled > 0) parts.found.filled_values = {static_cast<double>(fit.filled)};
    parts.found.separable = {};
    if (fit.separable) parts.found.separable = {1};
    return Model(std::move(parts), execution_);
  }

  /// How many passes it takes is not known before.
  void tell_progress() const {
    const auto passes = static_cast<double>(pass_.passes());
    if (execution_.progress) execution_.progress(passes / (passes + 8));
  }

  const LogisticOptions& options_;
  const Execution execution_;
  LogisticPass pass_;
  Index terms_;
  Matrix contrasts_;
};

void require_possible(const LogisticOptions& options) {
  require_possible(options.passes);
  if (options.penalty && (!(*options.penalty >= 0) || !std::isfinite(*options.penalty)))
    throw InvalidArgument(Option{"penalty"} + " must be at least 0 and finite, not " +
                          name_of(*options.penalty));
  if (options.folds < 2)
    throw InvalidArgument("the penalty is chosen by at least 2 folds, not by " +
                          std::to_string(options.folds));
}

}  // namespace

LogisticFit fit_logistic(const Model& generative, const RowPass& rows,
                         const LogisticOptions& options, const Execution& execution) {
  require_possible(options);
  return LogisticTraining(generative, rows, options, execution).fit(generative);
}

Model densities_beside(const EstimateOptions& options,
                       const std::function<Model(const EstimateOptions&)>& estimate) {
  EstimateOptions of_densities = options;
  of_densities.discriminative = false;
  of_densities.penalty = {};
  try {
    return estimate(of_densities);
  } catch (const SingularError&) {
    of_densities.shrinkage = Shrinkage::share(0.1);
    of_densities.target = Target::spherical;
    of_densities.target_share = {};
    of_densities.shrink_means = {};
    of_densities.towards_tied = 0;
    of_densities.inference = Inference::plugin;
    return estimate(of_densities);
  }
}

}  // namespace suffice
