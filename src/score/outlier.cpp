#include "suffice/score/outlier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "models/factors.hpp"
#include "models/sampler.hpp"
#include "score/row_groups.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Samples are rows from here on, far from those that sample() is likely to be asked for.
constexpr std::uint64_t first_sample = std::uint64_t{1} << 63;
/// With fewer samples below a row than this its share is too rough not to look at the bound.
constexpr Index few = 100;
/// Lengths of documents that are compared in one pass over the sampled words.
constexpr std::size_t lengths_a_pass = 64;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// log Σ_c π_c p(x | c).
double mix(const double* score, const Vector& log_mixture, Vector& joint) {
  for (Index c = 0; c < joint.size(); ++c) joint[c] = score[c] + log_mixture[c];
  return log_sum_exp(joint);
}

/// How many of the sorted samples are not more probable. Equal probabilities, which discrete models
/// have, may differ by rounding: the order of a sum is not fixed.
Index count_up_to(const Vector& sorted, double log_p) {
  const double slack = 1e-12 * (1 + std::abs(log_p));
  return std::upper_bound(sorted.begin(), sorted.end(), log_p + slack) - sorted.begin();
}

/// The densities' largest values over the features that a group has: what the chi-squared tail
/// needs of a model of one Gaussian block.
struct Peaks {
  double dof = 0;
  Vector log_norm;  ///< K: log N_c(m_c)
};

Peaks peaks_of(const Model& model, const RowGroup& group) {
  const auto& factor = std::get<GaussianFactor>(model.factors().blocks[0]);
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  const std::vector<Index>& features = model.schema().blocks()[0].features;
  std::vector<Index> kept, kept_of_used;
  for (std::size_t k = 0; k < factor.used.size(); ++k) {
    if (group.missing[at(features[at(factor.used[k])])]) continue;
    kept.push_back(factor.used[k]);
    kept_of_used.push_back(static_cast<Index>(k));
  }
  Peaks peaks{static_cast<double>(kept.size()), factor.log_norm};
  if (kept.size() == factor.used.size()) return peaks;
  const bool tied = is_tied(density.structure);
  for (Index c = 0; c < model.labels().size(); ++c) {
    if (!(model.weights()[c] > 0)) continue;
    double& log_norm = peaks.log_norm[c];
    if (tied && c > 0 && model.weights()[0] > 0) {
      log_norm = peaks.log_norm[0];
    } else if (factor.whitener.empty()) {
      log_norm = -0.5 * peaks.dof * log_2pi;
      for (const Index k : kept_of_used)
        log_norm += std::log(factor.inverse_deviation(tied ? 0 : c, k));
    } else {
      Matrix whitener;
      whiten(density.covariance[tied ? 0 : at(c)], kept, whitener, log_norm);
    }
  }
  return peaks;
}

class OutlierScores {
 public:
  OutlierScores(const Model& model, const RowBlock& rows, const LogLikelihoods& scores,
                std::span<const double> mixture, const OutlierOptions& options,
                const Execution& execution)
      : model_(model),
        mixture_(mixture),
        options_(options),
        execution_(execution),
        log_mixture_(model.labels().size()),
        log_p_(rows.rows()),
        result_(rows.rows()),
        groups_(group_rows(model, rows)) {
    for (Index c = 0; c < log_mixture_.size(); ++c) log_mixture_[c] = std::log(mixture[at(c)]);
    Vector joint(log_mixture_.size());
    for (Index i = 0; i < rows.rows(); ++i)
      log_p_[i] = mix(scores.values.row(i).data(), log_mixture_, joint);
  }

  Vector operator()() && {
    const auto& densities = model_.densities();
    const bool one_block = densities.size() == 1;
    const bool one_class = std::ranges::count_if(mixture_, [](double p) { return p > 0; }) == 1;
    if (one_block && one_class && std::holds_alternative<GaussianDensity>(densities[0]))
      exact();
    else if (one_block && std::holds_alternative<MultinomialDensity>(densities[0]))
      documents();
    else
      sampled();
    for (Index i = 0; i < result_.size(); ++i)
      if (log_p_[i] == -infinity) result_[i] = 0;
    return std::move(result_);
  }

 private:
  /// One Gaussian: its density is as low as at x wherever the Mahalanobis distance is as large.
  void exact() {
    const Index label =
        std::ranges::find_if(mixture_, [](double p) { return p > 0; }) - mixture_.begin();
    constexpr Index rows_a_task = 1024;
    Workers workers(execution_, (result_.size() + rows_a_task - 1) / rows_a_task);
    Progress progress(execution_, static_cast<double>(result_.size()));
    for (const RowGroup& group : groups_) {
      const Peaks peaks = peaks_of(model_, group);
      const double highest = log_mixture_[label] + peaks.log_norm[label];
      const Index count = std::ssize(group.rows);
      workers.run((count + rows_a_task - 1) / rows_a_task, [&](Index task, int) {
        const Index last = std::min(count, (task + 1) * rows_a_task);
        for (Index k = task * rows_a_task; k < last; ++k) {
          const Index i = group.rows[at(k)];
          result_[i] = peaks.dof > 0 ? chi_squared_tail(2 * (highest - log_p_[i]), peaks.dof) : 1;
        }
      });
      progress.advance(static_cast<double>(count));
    }
  }

  /// Rows of the model, with the group's features blanked, are scored like the group's own.
  void sampled() {
    const Sampler sampler(model_, mixture_);
    const bool has_bound = model_.densities().size() == 1 &&
                           std::holds_alternative<GaussianDensity>(model_.densities()[0]);
    const Index chunk = std::clamp<Index>((Index{1} << 18) / model_.schema().size(), 32, 2048);
    const Index tasks = (options_.samples + chunk - 1) / chunk;
    Workers workers(execution_, tasks);
    Progress progress(execution_, static_cast<double>(groups_.size()));
    struct Own {
      Sample rows;
      Vector scratch, joint;
    };
    std::vector<Own> own(static_cast<std::size_t>(workers.size()));
    Vector sampled_log_p(options_.samples);
    const Execution inner{.threads = 1, .stop = execution_.stop, .progress = {}};
    for (const RowGroup& group : groups_) {
      workers.run(tasks, [&](Index task, int worker) {
        Own& mine = own[static_cast<std::size_t>(worker)];
        const Index first = task * chunk, count = std::min(chunk, options_.samples - first);
        if (mine.rows.values.rows() != count) mine.rows = empty_sample(model_, count);
        if (mine.joint.empty()) {
          mine.scratch = Vector(sampler.scratch_size());
          mine.joint = Vector(log_mixture_.size());
        }
        Matrix& values = mine.rows.values;
        for (Index i = 0; i < count; ++i) {
          RowRandom random(options_.seed, first_sample + static_cast<std::uint64_t>(first + i));
          sampler.draw(random, group.document_length.data(), values.row(i).data(),
                       mine.scratch.data());
          for (Index j = 0; j < values.cols(); ++j)
            if (group.missing[at(j)]) values(i, j) = std::numeric_limits<double>::quiet_NaN();
        }
        const LogLikelihoods scores = log_likelihood(model_, mine.rows.rows(), {}, inner);
        for (Index i = 0; i < count; ++i)
          sampled_log_p[first + i] = mix(scores.values.row(i).data(), log_mixture_, mine.joint);
      });
      compare(group, sampled_log_p, has_bound);
      progress.advance(1);
    }
  }

  /// The first N words of a long document are a document of N words: one pass over the sampled
  /// words serves many lengths.
  void documents() {
    const Matrix& probability = std::get<MultinomialDensity>(model_.densities()[0]).probability;
    const Index classes = probability.rows();
    Matrix log_word(probability.cols(), classes);
    for (Index c = 0; c < classes; ++c)
      for (Index j = 0; j < probability.cols(); ++j) log_word(j, c) = std::log(probability(c, j));
    std::vector<const RowGroup*> by_length;
    for (const RowGroup& group : groups_) by_length.push_back(&group);
    const auto length_of = [](const RowGroup* group) { return group->document_length[0]; };
    std::ranges::sort(by_length, {}, length_of);

    const Sampler sampler(model_, mixture_);
    constexpr Index documents_a_task = 64;
    const Index tasks = (options_.samples + documents_a_task - 1) / documents_a_task;
    Workers workers(execution_, tasks);
    Progress progress(execution_, static_cast<double>(by_length.size()));
    for (std::size_t begin = 0; begin < by_length.size(); begin += lengths_a_pass) {
      const std::span lengths(by_length.data() + begin,
                              std::min(lengths_a_pass, by_length.size() - begin));
      std::vector<Vector> sampled_log_p(lengths.size(), Vector(options_.samples));
      workers.run(tasks, [&](Index task, int) {
        Vector sums(classes), joint(classes);
        const Index last = std::min(options_.samples, (task + 1) * documents_a_task);
        for (Index i = task * documents_a_task; i < last; ++i) {
          RowRandom random(options_.seed, first_sample + static_cast<std::uint64_t>(i));
          const Index label = sampler.draw_class(random);
          std::ranges::fill(sums, 0.0);
          Index words = 0;
          for (std::size_t k = 0; k < lengths.size(); ++k) {
            for (; words < length_of(lengths[k]); ++words) {
              const double* word = log_word.row(sampler.draw_word(random, 0, label)).data();
              for (Index c = 0; c < classes; ++c) sums[c] += word[c];
            }
            sampled_log_p[k][i] = mix(sums.data(), log_mixture_, joint);
          }
        }
      });
      for (std::size_t k = 0; k < lengths.size(); ++k)
        compare(*lengths[k], sampled_log_p[k], false);
      progress.advance(static_cast<double>(lengths.size()));
    }
  }

  /// Sorts the samples and finds the place of the group's rows among them.
  void compare(const RowGroup& group, Vector& samples, bool has_bound) {
    std::ranges::sort(samples);
    Peaks peaks;
    if (has_bound) peaks = peaks_of(model_, group);
    has_bound &= peaks.dof > 0;
    for (const Index i : group.rows) {
      const Index count = count_up_to(samples, log_p_[i]);
      result_[i] = static_cast<double>(1 + count) / static_cast<double>(1 + samples.size());
      if (has_bound && count < few) result_[i] = std::min(result_[i], bound(peaks, log_p_[i]));
    }
  }

  double bound(const Peaks& peaks, double log_p) const {
    double sum = 0;
    for (Index c = 0; c < log_mixture_.size(); ++c)
      if (mixture_[at(c)] > 0)
        sum += mixture_[at(c)] *
               chi_squared_tail(2 * (log_mixture_[c] + peaks.log_norm[c] - log_p), peaks.dof);
    return sum;
  }

  const Model& model_;
  std::span<const double> mixture_;
  const OutlierOptions& options_;
  const Execution& execution_;
  Vector log_mixture_;
  Vector log_p_;  ///< per row
  Vector result_;
  std::vector<RowGroup> groups_;
};

}  // namespace

Vector outlier_score(const Model& model, const RowBlock& rows, const LogLikelihoods& scores,
                     std::span<const double> mixture, const OutlierOptions& options,
                     const Execution& execution) {
  if (scores.relative)
    throw InvalidArgument(
        "relative scores lack a term that all classes share, so p(x) cannot be had from them; "
        "score with {.relative = false}");
  if (scores.labels != model.labels() || scores.values.cols() != model.labels().size())
    throw InvalidArgument(
        "the scores are over other classes than the model; give those that log_likelihood made "
        "with this model");
  if (scores.rows() != rows.rows())
    throw InvalidArgument("there are scores of " + std::to_string(scores.rows()) + " rows for " +
                          std::to_string(rows.rows()) + " rows");
  if (options.samples < 1)
    throw InvalidArgument("samples is " + std::to_string(options.samples) +
                          "; it must be 1 or more");
  require_mixture(model, mixture);
  return OutlierScores(model, rows, scores, mixture, options, execution)();
}

}  // namespace suffice
