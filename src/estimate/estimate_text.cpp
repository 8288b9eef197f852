#include "estimate/estimate_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/take.hpp"
#include "data/word_table.hpp"
#include "estimate/estimate_discrete.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Σ over the classes, per word.
Vector over_classes(const Matrix& of_words) {
  Vector sum(of_words.cols());
  for (Index c = 0; c < of_words.rows(); ++c)
    for (Index i = 0; i < of_words.cols(); ++i) sum[i] += of_words(c, i);
  return sum;
}

Words words_of(const Words& words, const std::vector<Index>& kept) {
  if (std::ssize(kept) == words.size()) return words;
  WordTable result;
  for (const Index number : kept) result.add_from(words.table(), static_cast<std::int32_t>(number));
  return Words(std::move(result));
}

double total_of(std::span<const double> counts) {
  return std::reduce(counts.begin(), counts.end());
}

/// One feature of the block.
class TextEstimate {
 public:
  TextEstimate(const TextStatistics& statistics, const EstimateContext& context, Index feature)
      : context_(context),
        feature_(feature),
        weight_(statistics.weight),
        count_(),
        alpha_(context.alpha) {
    const std::vector<Index> kept = kept_words(statistics, feature, context.options);
    words = words_of(statistics.words[at(feature)], kept);
    rows_ = some_columns(statistics.rows[at(feature)], kept);
    if (!statistics.heaviest.empty() && !statistics.heaviest[at(feature)].empty())
      for (const Index i : kept) heaviest.push_back(statistics.heaviest[at(feature)][at(i)]);
    if (context.options.event_model == EventModel::bernoulli) return;
    count_ = some_columns(statistics.count[at(feature)], kept);
    if (context.options.idf) weigh();
  }

  Matrix probability() const {
    switch (context_.options.event_model) {
      case EventModel::multinomial:
        return shares(count_);
      case EventModel::complement:
        return shares(sums_of_others(count_));
      case EventModel::bernoulli:
        break;
    }
    return presence();
  }

  Words words;
  Vector idf;
  std::vector<std::string> heaviest;

 private:
  void weigh() {
    const Vector rows = over_classes(rows_);
    double all = 0;
    for (Index c = 0; c < weight_.rows(); ++c) all += weight_(c, feature_);
    idf = Vector(rows.size());
    for (Index i = 0; i < idf.size(); ++i) idf[i] = 1 + std::log((1 + all) / (1 + rows[i]));
    for (Index c = 0; c < count_.rows(); ++c)
      for (Index i = 0; i < idf.size(); ++i) count_(c, i) *= idf[i];
  }

  Matrix shares(const Matrix& counts) const {
    Matrix result(counts.rows(), counts.cols());
    for (Index c = 0; c < counts.rows() && counts.cols() > 0; ++c) {
      if (!context_.seen(c)) continue;
      const double total = total_of(counts.row(c));
      if (!(total + alpha_ > 0))
        throw_nothing_counted(context_, c, "feature '" + context_.name(feature_) + "'");
      for (Index i = 0; i < counts.cols(); ++i)
        result(c, i) = smoothed_share(counts(c, i), total, alpha_, counts.cols());
    }
    return result;
  }

  Matrix presence() const {
    Matrix result(rows_.rows(), rows_.cols());
    for (Index c = 0; c < rows_.rows(); ++c) {
      if (!context_.seen(c)) continue;
      const double documents = weight_(c, feature_);
      for (Index i = 0; i < rows_.cols(); ++i)
        result(c, i) = smoothed_share(std::min(rows_(c, i), documents), documents, alpha_, 2);
    }
    return result;
  }

  const EstimateContext& context_;
  Index feature_;
  const Matrix& weight_;
  Matrix count_, rows_;  ///< of the words that are kept
  double alpha_;
};

}  // namespace

std::vector<Index> kept_words(const TextStatistics& statistics, Index feature,
                              const EstimateOptions& options) {
  const Vector rows = over_classes(statistics.rows[at(feature)]);
  std::vector<Index> kept;
  for (Index i = 0; i < rows.size(); ++i)
    if (rows[i] > 0 && rows[i] >= options.min_rows) kept.push_back(i);
  if (!options.max_words || std::ssize(kept) <= *options.max_words) return kept;
  const Vector count = over_classes(statistics.count[at(feature)]);
  const Words& words = statistics.words[at(feature)];
  const auto first = [&](Index a, Index b) {
    return count[a] != count[b] ? count[a] > count[b] : words[a] < words[b];
  };
  std::nth_element(kept.begin(), kept.begin() + *options.max_words, kept.end(), first);
  kept.resize(at(*options.max_words));
  std::ranges::sort(kept);
  return kept;
}

TextDensity estimate_text(const TextStatistics& statistics, const EstimateContext& context) {
  if (context.options.inference == Inference::bayes)
    throw InvalidArgument("text has no posterior predictive density here, and feature '" +
                              context.name(0) + "' is text",
                          "use " + Option{"estimate", "plugin"});
  TextDensity density;
  density.event_model = context.options.event_model;
  if (context.options.length_power != 1) density.length_power = {context.options.length_power};
  for (Index j = 0; j < context.features(); ++j) {
    TextEstimate estimate(statistics, context, j);
    density.probability.push_back(estimate.probability());
    density.words.push_back(std::move(estimate.words));
    if (context.options.idf) density.idf.push_back(std::move(estimate.idf));
    if (!statistics.heaviest.empty()) density.heaviest.push_back(std::move(estimate.heaviest));
  }
  return density;
}

}  // namespace suffice
