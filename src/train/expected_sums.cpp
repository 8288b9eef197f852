#include "train/expected_sums.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/constants.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "factor/conditional.hpp"
#include "factor/factors.hpp"
#include "stats/labels.hpp"
#include "stats/merge.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

/// A row that lacks something.
struct ExpectedSums::Row {
  std::int32_t label;
  double weight;
  Index place;                         ///< among the rows that are added
  std::vector<std::uint64_t> missing;  ///< bits

  bool is_missing(Index j) const {
    return (missing[static_cast<std::size_t>(j >> 6)] >> (j & 63)) & 1;
  }
};

namespace {

/// Rows of one class are completed by that many tasks, each with a sum of its own.
Index lanes_of(Index classes) { return std::clamp<Index>(16 / classes, 1, 8); }

}  // namespace

ExpectedSums::ExpectedSums(const Model& model, const Schema& schema, const Block& block,
                           Which which)
    : model_(model),
      density_(std::get<GaussianDensity>(model.densities().front())),
      schema_(schema),
      block_(block),
      which_(which),
      d_(std::ssize(block.features)),
      position_(block.features.size(), -1),
      varying_(std::get<GaussianFactor>(model.factors().blocks.front()).used),
      sums_(model.schema(), {.labels = model.labels().list()}),
      spread_(static_cast<std::size_t>(model.labels().size())),
      log_terms_(model.labels().size()) {
  const auto& factor = std::get<GaussianFactor>(model.factors().blocks.front());
  for (std::size_t k = 0; k < varying_.size(); ++k)
    position_[static_cast<std::size_t>(varying_[k])] = static_cast<Index>(k);
  for (const Matrix& whitener : factor.whitener) precision_.push_back(precision_of(whitener));
}

void ExpectedSums::complete(std::span<const Row> rows, Vector& values, Matrix& spread,
                            double& log_term) const {
  const Row& first = rows.front();
  const Index c = first.label, n = std::ssize(varying_);
  std::vector<Index> missing;  // among the features that vary
  for (Index k = 0; k < n; ++k)
    if (first.is_missing(varying_[k])) missing.push_back(k);
  const Conditional conditional(
      precision_[precision_.size() == 1 ? 0 : static_cast<std::size_t>(c)], std::move(missing));
  double weight = 0;
  Vector deviation(n);
  for (const Row& row : rows) {
    double* x = values.data() + row.place * d_;
    for (Index k = 0; k < n; ++k) {
      const Index j = varying_[k];
      deviation[k] = row.is_missing(j) ? 0 : x[j] - density_.mean(c, j);
    }
    conditional.complete(deviation.data());
    for (Index j = 0; j < d_; ++j)
      if (row.is_missing(j))
        x[j] = density_.mean(c, j) + (position_[j] < 0 ? 0 : deviation[position_[j]]);
    weight += row.weight;
  }
  log_term += weight * (0.5 * static_cast<double>(conditional.count()) * log_2pi -
                        conditional.half_log_det());
  if (conditional.count() == 0) return;
  if (spread.empty()) spread = Matrix(n, n);
  conditional.add_covariance(weight, spread);
}

void ExpectedSums::add_block(const RowBlock& rows, Workers& workers) {
  const Index n = rows.rows();
  const NumberReader reader(schema_, block_, rows, &workers);
  Vector weight_memory, scratch(reader.in_place() ? 0 : n * d_);
  const double* weight = read_weights(rows, weight_memory);
  const EncodedNames labels = encode_labels(rows, 0, model_.labels(), weight, workers);
  if (labels.names.size() != model_.labels().size())
    throw InvalidArgument("the rows have a class that their statistics lack",
                          "give the rows of the statistics again");
  const NumberReader::Panel panel = reader.read(0, n, scratch.data());
  const std::size_t words = static_cast<std::size_t>((d_ + 63) / 64);
  std::vector<Row> incomplete;
  std::vector<Index> added;
  for (Index i = 0; i < n; ++i) {
    if (labels.code[i] < 0 || (weight && weight[i] == 0)) continue;
    const double* x = panel.values + i * panel.stride;
    const Index missing = std::count_if(x, x + d_, [](double value) { return std::isnan(value); });
    if (missing == d_ || (missing == 0 && which_ == Which::incomplete)) continue;
    if (missing > 0) {
      Row row{labels.code[i], weight ? weight[i] : 1, std::ssize(added),
              std::vector<std::uint64_t>(words)};
      for (Index j = 0; j < d_; ++j)
        if (std::isnan(x[j]))
          row.missing[static_cast<std::size_t>(j >> 6)] |= std::uint64_t{1} << (j & 63);
      incomplete.push_back(std::move(row));
    }
    added.push_back(i);
  }
  if (added.empty()) return;
  Vector values(std::ssize(added) * d_), weights(std::ssize(added));
  std::vector<std::int32_t> code;
  for (Index k = 0; k < std::ssize(added); ++k) {
    std::copy_n(panel.values + added[k] * panel.stride, d_, values.data() + k * d_);
    weights[k] = weight ? weight[added[k]] : 1;
    code.push_back(labels.code[added[k]]);
  }
  std::ranges::sort(incomplete, [](const Row& a, const Row& b) {
    return std::tie(a.label, a.missing, a.place) < std::tie(b.label, b.missing, b.place);
  });
  // The rows of a class are cut into lanes between two patterns.
  const Index classes = model_.labels().size(), lanes = lanes_of(classes);
  std::vector<std::span<const Row>> tasks(static_cast<std::size_t>(classes * lanes));
  const Row* const last = incomplete.data() + incomplete.size();
  for (const Row* from = incomplete.data(); from != last;) {
    const std::int32_t c = from->label;
    const Row* const to = std::find_if(from, last, [&](const Row& row) { return row.label != c; });
    const Row* begin = from;
    for (Index lane = 0; lane < lanes; ++lane) {
      const Row* end = std::max(begin, from + (to - from) * (lane + 1) / lanes);
      while (end != from && end != to && end->missing == (end - 1)->missing) ++end;
      tasks[static_cast<std::size_t>(c * lanes + lane)] =
          std::span<const Row>(begin, static_cast<std::size_t>(end - begin));
      begin = end;
    }
    from = to;
  }
  std::vector<Matrix> spread(tasks.size());
  Vector log_terms(std::ssize(tasks));
  workers.run(std::ssize(tasks), [&](Index t, int) {
    std::span<const Row> rest = tasks[static_cast<std::size_t>(t)];
    while (!rest.empty()) {
      std::size_t size = 1;
      while (size < rest.size() && rest[size].missing == rest[0].missing) ++size;
      complete(rest.first(size), values, spread[static_cast<std::size_t>(t)], log_terms[t]);
      rest = rest.subspan(size);
    }
  });
  for (Index t = 0; t < std::ssize(tasks); ++t) {
    const Index c = t / lanes;
    log_terms_[c] += log_terms[t];
    const Matrix& part = spread[static_cast<std::size_t>(t)];
    Matrix& sum = spread_[static_cast<std::size_t>(c)];
    if (part.empty()) continue;
    if (sum.empty())
      sum = part;
    else
      sum.map() += part.map();
  }
  sums_.update(RowBlock(MatrixView(values.data(), std::ssize(added), d_),
                        Column(code.data(), std::ssize(code), Strings(model_.labels().list())),
                        Column(weights)),
               {.block_rows = std::ssize(added)}, {.threads = workers.size()});
}

void ExpectedSums::add(const RowBlock& rows, const Execution& execution) {
  require_features(schema_, rows);
  const Index most = rows_per_block(schema_, false);
  Workers workers(execution, 1 + std::min(rows.rows(), most) * d_ / 4096);
  for (Index first = 0; first < rows.rows(); first += most)
    add_block(rows.slice(first, std::min(most, rows.rows() - first)), workers);
}

const GaussianStatistics& ExpectedSums::completed() const {
  return std::get<GaussianStatistics>(sums_.blocks().front());
}

Statistics ExpectedSums::expected() const {
  Statistics::Parts parts = sums_.parts();
  add_spread(std::get<GaussianStatistics>(parts.blocks.front()));
  return Statistics(std::move(parts));
}

void ExpectedSums::add_spread(GaussianStatistics& to) const {
  for (std::size_t c = 0; c < spread_.size(); ++c) {
    if (spread_[c].empty()) continue;
    Matrix& scatter = to.classes[c].complete.scatter;
    for (std::size_t i = 0; i < varying_.size(); ++i)
      for (std::size_t j = 0; j < varying_.size(); ++j)
        scatter(varying_[i], varying_[j]) +=
            spread_[c](static_cast<Index>(i), static_cast<Index>(j));
  }
}

double ExpectedSums::log_density(const GaussianStatistics& sums) const {
  const auto& factor = std::get<GaussianFactor>(model_.factors().blocks.front());
  double result = 0;
  for (std::size_t c = 0; c < sums.classes.size(); ++c) {
    const JointMoments& of = sums.classes[c].complete;
    if (!(of.weight > 0)) continue;
    const Matrix& precision = precision_[precision_.size() == 1 ? 0 : c];
    double quadratic = 0;
    const auto deviation = [&](Index j) {
      return (of.mean[j] - density_.mean(static_cast<Index>(c), j)) + of.mean_low[j];
    };
    for (std::size_t i = 0; i < varying_.size(); ++i)
      for (std::size_t j = 0; j < varying_.size(); ++j) {
        const Index a = varying_[i], b = varying_[j];
        quadratic += precision(static_cast<Index>(i), static_cast<Index>(j)) *
                     (of.scatter(a, b) + of.weight * deviation(a) * deviation(b));
      }
    result += of.weight * factor.log_norm[static_cast<Index>(c)] - 0.5 * quadratic;
  }
  return result;
}

}  // namespace suffice
