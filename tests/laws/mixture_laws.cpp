// Mixtures and rows without a label, by EM: the likelihood never falls, threads change no bit, and
// a class's density is that of its components.

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

// Their components have whole covariances.
LAWS_WHERE(MixtureLaws, !family.has(Family::text) && family.scatter != Scatter::thin &&
                            family.scatter != Scatter::pooled);

constexpr Size mixture_size{.rows = 1200, .features = 4, .classes = 2};

MixtureOptions maximum_likelihood(Covariance structure, Index components) {
  return {.estimate = {.covariance = structure,
                       .smoothing = 0,
                       .shrinkage = Shrinkage::none(),
                       .components = components},
          .restarts = 2,
          .passes = {.iterations = 40, .tolerance = 0}};
}

/// The same rows, of which nine of ten lack their label.
struct Unlabelled {
  std::vector<std::uint8_t> valid;
  RowBlock block;

  explicit Unlabelled(const Table& t)
      : valid(static_cast<std::size_t>(t.rows() + 7) / 8), block(t.block()) {
    for (Index i = 0; i < t.rows(); ++i)
      if (i % 10 == 0)
        valid[static_cast<std::size_t>(i >> 3)] |= static_cast<std::uint8_t>(1 << (i & 7));
    Column labels = block.labels();
    labels.valid = {valid.data(), 0};
    block.labels(labels);
  }
};

TEST_P(MixtureLaws, LikelihoodOfAMixtureNeverFalls) {
  for (const std::uint64_t seed : {61, 62}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Table t = generate(GetParam(), mixture_size, seed, Weighting::real);
    const Statistics stats = statistics_of(t, GetParam().options());
    for (const Covariance structure : GetParam().structures()) {
      SCOPED_TRACE(to_string(structure));
      const MixtureFit fit = fit_mixture(
          stats, [&](const auto& use) { use(t.block()); }, maximum_likelihood(structure, 2));
      ASSERT_EQ(fit.log_likelihood.size(), 40u);
      // The first model is a shrunk one.
      for (std::size_t k = 2; k < fit.log_likelihood.size() && fit.bounded == 0; ++k)
        EXPECT_GE(fit.log_likelihood[k], fit.log_likelihood[k - 1] - 1e-7) << "pass " << k;
      EXPECT_TRUE(fit.model.weights() == stats.weights());
    }
  }
}

/// The log-density, up to a constant, of the prior whose mode α pseudo-counts give: Dirichlet(α +
/// 1) of probabilities, and Gamma distributions of rates.
double log_prior(const Model& model, const Statistics& stats, double alpha) {
  double sum = 0;
  const auto add_logs = [&](const Matrix& probability) {
    for (const double p :
         std::span(probability.data(), static_cast<std::size_t>(probability.size())))
      sum += alpha * std::log(p);
  };
  const auto add_rates = [&](const Matrix& rate, std::size_t block, const auto& log_density) {
    const auto& sums = std::get<CountStatistics>(stats.blocks()[block]);
    for (Index j = 0; j < rate.cols(); ++j) {
      const double mean = sums.sum.map().col(j).sum() / sums.weight.map().col(j).sum();
      for (Index g = 0; g < rate.rows(); ++g) sum += log_density(rate(g, j), mean);
    }
  };
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const Density& density = model.densities()[b];
    if (const auto* bernoulli = std::get_if<BernoulliDensity>(&density)) {
      add_logs(bernoulli->probability);
      for (const double p : std::span(bernoulli->probability.data(),
                                      static_cast<std::size_t>(bernoulli->probability.size())))
        sum += alpha * std::log1p(-p);
    } else if (const auto* words = std::get_if<MultinomialDensity>(&density)) {
      add_logs(words->probability);
    } else if (const auto* names = std::get_if<CategoricalDensity>(&density)) {
      for (const Matrix& probability : names->probability) add_logs(probability);
    } else if (const auto* counts = std::get_if<PoissonDensity>(&density)) {
      add_rates(counts->rate, b,
                [&](double rate, double mean) { return alpha * (mean * std::log(rate) - rate); });
    } else if (const auto* times = std::get_if<ExponentialDensity>(&density)) {
      add_rates(times->rate, b,
                [&](double rate, double mean) { return alpha * (std::log(rate) - mean * rate); });
    }
  }
  return sum;
}

// With pseudo-counts the likelihood alone may fall.
TEST_P(MixtureLaws, LikelihoodTimesThePriorOfPseudoCountsNeverFalls) {
  if (GetParam().only(Family::gaussian)) GTEST_SKIP() << "nothing to smooth";
  const Table t = generate(GetParam(), {.rows = 300, .features = 4, .classes = 2}, 65);
  const Statistics stats = statistics_of(t, GetParam().options());
  constexpr Index passes = 9;
  for (const double alpha : {1.0, 10.0}) {
    SCOPED_TRACE("pseudo-count " + std::to_string(alpha));
    MixtureOptions options = maximum_likelihood(GetParam().structures().front(), 3);
    options.estimate.smoothing = alpha;
    const auto fitted = [&](Index iterations) {
      options.passes.iterations = iterations;
      return fit_mixture(
          stats, [&](const auto& use) { use(t.block()); }, options);
    };
    const MixtureFit all = fitted(passes);
    double before = -std::numeric_limits<double>::infinity();
    for (Index k = 2; k < passes && all.bounded == 0; ++k) {
      const double now = all.log_likelihood[static_cast<std::size_t>(k)] +
                         log_prior(fitted(k).model, stats, alpha);
      EXPECT_GE(now, before - 1e-7) << "pass " << k;
      before = now;
    }
  }
}

TEST_P(MixtureLaws, LikelihoodWithUnlabelledRowsNeverFalls) {
  const Table t = generate(GetParam(), mixture_size, 63, Weighting::real);
  const Unlabelled rows(t);
  std::vector<double> weights(static_cast<std::size_t>(t.rows()));
  for (std::size_t i = 0; i < weights.size(); i += 10) weights[i] = t.parts().weights[i];
  const Statistics stats = statistics_of(t.with_weights(weights), GetParam().options());
  for (const Covariance structure : GetParam().structures()) {
    SCOPED_TRACE(to_string(structure));
    MixtureOptions options = maximum_likelihood(structure, 1);
    options.unlabelled_weight = 0.3;
    const MixtureFit fit = fit_mixture(
        stats, [&](const auto& use) { use(rows.block); }, options);
    for (std::size_t k = 2; k < fit.log_likelihood.size(); ++k)
      EXPECT_GE(fit.log_likelihood[k], fit.log_likelihood[k - 1] - 1e-7) << "pass " << k;
    EXPECT_FALSE(fit.model.mixture());
    EXPECT_GT(fit.unlabelled_rows, 0);
  }
}

TEST_P(MixtureLaws, ThreadsChangeNoBitOfAMixture) {
  const Table t = generate(GetParam(), {.rows = 6000, .features = 6, .classes = 2}, 64);
  const Statistics stats = statistics_of(t, GetParam().options());
  MixtureOptions options = maximum_likelihood(GetParam().structures().front(), 3);
  options.passes.iterations = 5;
  const auto fitted = [&](int threads) {
    return fit_mixture(stats, [&](const auto& use) { use(t.block()); }, options,
                       {.threads = threads});
  };
  const MixtureFit one = fitted(1);
  for (const int threads : {2, 5}) {
    const MixtureFit other = fitted(threads);
    EXPECT_TRUE(other.model == one.model);
    EXPECT_TRUE(same_bits(other.log_likelihood, one.log_likelihood));
  }
}

TEST_P(MixtureLaws, ScoresOfAMixtureAreThoseOfItsComponents) {
  const Table t = generate(GetParam(), mixture_size, 65);
  const Statistics stats = statistics_of(t, GetParam().options());
  MixtureOptions options{
      .estimate = {.covariance = GetParam().structures().front(), .components = 2}, .restarts = 1};
  const Model model = fit_mixture(
                          stats, [&](const auto& use) { use(t.block()); }, options)
                          .model;
  ASSERT_TRUE(model.mixture());
  const auto& [names, label, weights] = *model.mixture();
  const LogLikelihoods classes = log_likelihood(model, t.block()),
                       components = log_likelihood(model.components(), t.block());
  for (Index i = 0; i < t.rows(); ++i) {
    std::vector<long double> sum(static_cast<std::size_t>(model.labels().size()));
    std::vector<long double> total(sum.size());
    for (Index g = 0; g < names.size(); ++g)
      total[static_cast<std::size_t>(label[static_cast<std::size_t>(g)])] += weights[g];
    // In proportion to the largest, so that nothing vanishes.
    const std::span<const double> row = components.values.row(i);
    const double most = *std::max_element(row.begin(), row.end());
    for (Index g = 0; g < names.size(); ++g) {
      const auto c = static_cast<std::size_t>(label[static_cast<std::size_t>(g)]);
      sum[c] += weights[g] / total[c] *
                std::exp(static_cast<long double>(row[static_cast<std::size_t>(g)]) - most);
    }
    for (Index c = 0; c < model.labels().size(); ++c) {
      const double expected =
          static_cast<double>(std::log(sum[static_cast<std::size_t>(c)]) + most);
      EXPECT_NEAR(classes.values(i, c), expected, 1e-9 * (1 + std::abs(expected)));
    }
  }
  // A file keeps every bit.
  EXPECT_TRUE(model_from_bytes(to_bytes(model)) == model);
  // Rows drawn from it have its classes.
  const Sample drawn = sample(model, 50, model.labels()[0]);
  EXPECT_TRUE(drawn.labels == model.labels());
  EXPECT_EQ(std::count(drawn.classes.begin(), drawn.classes.end(), 0), 50);
}

}  // namespace
}  // namespace suffice::testing
