#include "estimate/estimate_gaussian.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "estimate/estimate_dense.hpp"
#include "estimate/estimate_diagonal.hpp"
#include "estimate/estimate_thin.hpp"
#include "estimate/shrink_means.hpp"
#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

class GaussianBlockEstimate {
 public:
  GaussianBlockEstimate(const GaussianStatistics& statistics, const EstimateContext& context)
      : context_(context),
        structure_(context.options.covariance),
        input_{statistics, context, {}, {}} {}

  GaussianEstimate run() {
    if (is_dense(structure_) && input_.statistics.kind == Scatter::diagonal)
      throw InvalidArgument(
          "covariance '" + std::string(to_string(structure_)) +
              "' needs the whole scatter, and these statistics kept its diagonal only",
          "choose diag, tied-diag, spherical or tied-spherical, or collect statistics with the "
          "dense scatter");
    if (input_.statistics.kind == Scatter::pooled) require_enough_of_pooled();
    for (Index c = 0; c < context_.classes(); ++c)
      input_.moments.push_back(input_.statistics.moments(c));
    density_.structure = structure_;
    density_.mean = Matrix(context_.classes(), context_.features());
    find_constants();
    if (input_.used.empty()) {
      fill_without_features();
    } else if (is_dense(structure_)) {
      dense_means();
      if (is_thin_estimate(input_))
        estimate_thin(input_, result_);
      else
        estimate_dense(input_, result_);
    } else {
      diagonal_means();
      estimate_diagonal(input_, result_);
      if (context_.options.shrink_means) shrink_means(input_, density_);
    }
    if (!input_.used.empty() && !context_.options.tails->is_normal()) fill_tails();
    return std::move(result_);
  }

 private:
  /// One scatter for all classes does not tell those of the classes.
  void require_enough_of_pooled() const {
    const bool by_weights = !context_.options.pooling.empty();
    if (structure_ == Covariance::full || (is_dense(structure_) && by_weights))
      throw InvalidArgument(
          (by_weights ? Sentence("pooling weights need")
                      : Option{"covariance", std::string(to_string(structure_))} + " needs") +
              " a scatter for each class, and these statistics kept one for all classes together",
          by_weights ? Sentence("leave them out, or sum the rows again with covariance 'full'")
                     : "choose tied or a diagonal covariance, or sum the rows again with " +
                           Option{"covariance", "full"});
    if (!is_dense(structure_) && !is_tied(structure_) && !input_.statistics.has_class_squares())
      throw_no_class_squares();
  }

  bool has_value(Index c, Index j) const {
    const Moments& moments = input_.moments[c];
    return !moments.weight.empty() && moments.weight[j] > 0;
  }
  double value_mean(Index c, Index j) const {
    return input_.moments[c].mean[j] + input_.moments[c].mean_low[j];
  }
  const std::string& name(Index j) const { return context_.name(j); }

  /// A feature without a single deviation, in or between classes, is left out. Its mean is the
  /// constant, which is what sampling gives back.
  void find_constants() {
    for (Index j = 0; j < context_.features(); ++j) {
      Index first = -1;
      bool constant = true;
      for (Index c = 0; c < context_.classes() && constant; ++c) {
        if (!has_value(c, j)) continue;
        const Moments& here = input_.moments[c];
        if (first < 0) first = c;
        const Moments& there = input_.moments[first];
        constant = here.squares[j] == 0 && here.mean[j] == there.mean[j] &&
                   here.mean_low[j] == there.mean_low[j];
      }
      if (!constant) {
        input_.used.push_back(j);
        continue;
      }
      density_.constant.push_back(j);
      if (first < 0) continue;
      for (Index c = 0; c < context_.classes(); ++c)
        if (context_.seen(c)) density_.mean(c, j) = value_mean(first, j);
    }
  }

  void fill_without_features() {
    const Index rows = is_tied(structure_) ? 1 : context_.classes();
    if (is_dense(structure_))
      density_.covariance.assign(at(rows), Matrix(context_.features(), context_.features()));
    else
      density_.covariance = {Matrix(rows, is_spherical(structure_) ? 1 : context_.features())};
  }

  void fill_tails() {
    density_.dof = Matrix(context_.classes(), 1);
    density_.scale = Matrix(context_.classes(), 1);
    for (Index c = 0; c < context_.classes(); ++c) {
      density_.dof(c, 0) = context_.options.tails->dof();
      density_.scale(c, 0) = context_.options.tails->scale();
    }
  }

  void dense_means() {
    for (Index c = 0; c < context_.classes(); ++c) {
      if (!context_.seen(c)) continue;
      if (!(input_.complete(c).weight > 0)) throw_no_complete_row(c);
      for (const Index j : input_.used)
        density_.mean(c, j) = input_.complete(c).mean[j] + input_.complete(c).mean_low[j];
    }
  }

  [[noreturn]] void throw_no_complete_row(Index c) const {
    const Place where{.label = context_.labels[c]};
    const char* const sentence =
        "no row has all features, so the joint mean and covariance are unknown";
    const Sentence advice = "use " + Option{"covariance", "diag"} + " or " +
                            Option{"covariance", "tied-diag"} +
                            ", or leave out the features that are often missing";
    if (structure_ == Covariance::full)
      throw SingularError(where, 0, std::ssize(input_.used), sentence, advice);
    throw InvalidArgument(where, sentence, advice);
  }

  void diagonal_means() {
    for (Index c = 0; c < context_.classes(); ++c) {
      if (!context_.seen(c)) continue;
      for (const Index j : input_.used) {
        if (!has_value(c, j))
          throw InvalidArgument({.label = context_.labels[c], .features = {name(j)}},
                                "there is no value, so the mean is unknown",
                                "leave this feature out, or give rows that have it");
        density_.mean(c, j) = value_mean(c, j);
      }
    }
  }

  const EstimateContext& context_;
  Covariance structure_;
  GaussianInput input_;
  GaussianEstimate result_;
  GaussianDensity& density_ = result_.density;
};

}  // namespace

std::vector<std::string> GaussianInput::names(const std::vector<Index>& features) const {
  std::vector<std::string> result;
  for (const Index j : features) result.push_back(context.name(j));
  return result;
}

double Posterior::factor(Inference estimate) const {
  const double worth = dof + rows;
  switch (estimate) {
    case Inference::plugin:
      break;
    case Inference::map:
      return 1 / (worth + 2 * dimension + 2);
    case Inference::bayes:
      return 1 / (worth + 2);
  }
  return 1 / worth;
}

void throw_too_few(const GaussianInput& input, Index c, double weight) {
  const std::string label = c < 0 ? std::string() : input.context.labels[c];
  const bool prior = has_prior(input.options());
  const Sentence advice =
      prior ? "use " + Option{"shrinkage", "0"} + " with " + Option{"estimate", "plugin"} +
                  ", which have no prior"
            : "use " + Option{"normalize", "mle"} + (c < 0 ? "" : " or a tied covariance");
  throw SingularError(
      {.label = label, .features = prior ? std::vector<std::string>() : input.names(input.used)}, 0,
      std::ssize(input.used),
      "the weight is " + name_of(weight) + ", but " +
          (prior ? "the pooled variance of a prior" : "an unbiased variance") +
          " needs more than " + (c < 0 ? "one row per class" : "1"),
      "give more rows (a weight is a number of rows), or " + advice);
}

void require_varying(const GaussianInput& input, const std::vector<Index>& flat) {
  if (flat.empty()) return;
  std::vector<std::string> features = input.names(flat);
  const bool one = features.size() == 1;
  throw SingularError(
      {.features = std::move(features)}, std::ssize(input.used) - std::ssize(flat),
      std::ssize(input.used),
      "the variance within classes is 0: every class has one value there, and classes differ",
      std::string("leave ") + (one ? "this feature out (it" : "these features out (they") +
          (one ? " gives the class away), use " : " give the class away), use ") +
          Option{"covariance", "tied-spherical"} + ", or give more rows");
}

GaussianEstimate estimate_gaussian(const GaussianStatistics& statistics,
                                   const EstimateContext& context) {
  return GaussianBlockEstimate(statistics, context).run();
}

}  // namespace suffice
