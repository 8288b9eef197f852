#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/document_reader.hpp"
#include "data/family.hpp"
#include "evidence/block_game.hpp"
#include "evidence/block_numbers.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

double times(double factor, double sign, double term) {
  return std::isinf(term) ? sign * term : factor * term;
}

/// Features that each have a term of their own.
class IndependentGame : public BlockGame {
 public:
  explicit IndependentGame(const BlockGameInput& input)
      : input_(input), columns_(input.model.schema().column_count()) {}

  /// Whether feature j of row i says something.
  virtual bool says(Index i, Index j, const Scratch& scratch) const = 0;
  /// What it adds to log p(x_b | c).
  virtual double term(Index i, Index j, Index c, const Scratch& scratch) const = 0;
  /// Whose evidence that is; the column behind the last: the offset.
  virtual Index owner(Index, Index j, const Scratch&) const {
    return input_.model.schema().column(input_.schema_block().features[at(j)]);
  }
  /// What is worth something without any feature.
  virtual double constant(Index) const { return 0; }
  /// Of documents whose words are not independent: the number of words at feature j, and what n of
  /// them take from the sum of the terms in class c.
  virtual bool depends_on_length() const { return false; }
  virtual double length(Index, Index, const Scratch&) const { return 0; }
  virtual double length_term(Index, double) const { return 0; }

  void add_players(Index i, const Scratch& scratch, std::vector<bool>& columns) const override {
    for (Index j = 0; j < features(); ++j)
      if (says(i, j, scratch))
        if (const Index column = owner(i, j, scratch); column < columns_)
          columns[at(column)] = true;
  }

  void add_impossible(Index i, Index c, const Scratch& scratch,
                      std::vector<bool>& columns) const override {
    for (Index j = 0; j < features(); ++j)
      if (says(i, j, scratch) && term(i, j, c, scratch) == -infinity)
        columns[at(owner(i, j, scratch))] = true;
  }

  bool is_sampled() const override { return depends_on_length(); }

  std::vector<Index> add_shares(Index c, double factor, double sign, std::span<const Index> rows,
                                Scratch& scratch, const Shares& shares) const override {
    if (depends_on_length()) return {rows.begin(), rows.end()};
    const double offset = factor * constant(c);
    for (const Index i : rows) {
      double* to = shares.row(i);
      to[columns_] += offset;
      for (Index j = 0; j < features(); ++j)
        if (says(i, j, scratch))
          to[owner(i, j, scratch)] += times(factor, sign, term(i, j, c, scratch));
    }
    return {};
  }

  void add_worth(const Walk& walk, Index i, std::span<const Index> classes, double factor,
                 Scratch& scratch, double* worth) const override {
    const Index count = std::ssize(classes), nodes = walk.nodes();
    Vector terms(columns_ + 1), lengths(depends_on_length() ? columns_ + 1 : 0);
    Vector value(nodes), words(lengths.empty() ? 0 : nodes);
    for (Index k = 0; k < count; ++k) {
      const Index c = classes[at(k)];
      std::ranges::fill(terms, 0.0);
      std::ranges::fill(lengths, 0.0);
      for (Index j = 0; j < features(); ++j) {
        if (!says(i, j, scratch)) continue;
        terms[owner(i, j, scratch)] += times(factor, 1, term(i, j, c, scratch));
        if (!lengths.empty()) lengths[owner(i, j, scratch)] += length(i, j, scratch);
      }
      value[0] = terms[columns_] + factor * constant(c);
      for (Index node = 1; node < nodes; ++node) {
        const Index parent = walk.parent(node), player = walk.players[at(walk.added(node))];
        value[node] = value[parent] + terms[player];
        if (!words.empty()) words[node] = words[parent] + lengths[player];
      }
      for (Index node = 0; node < nodes; ++node)
        worth[node * count + k] +=
            value[node] - (words.empty() ? 0 : factor * length_term(c, words[node]));
    }
  }

 protected:
  Index features() const { return std::ssize(input_.schema_block().features); }

  BlockGameInput input_;
  Index columns_;
};

/// Of families with numbers.
class NumbersGame : public IndependentGame {
 public:
  explicit NumbersGame(const BlockGameInput& input)
      : IndependentGame(input),
        numbers_(input.model.schema(), input.schema_block(), input.rows, input.workers) {}

  std::unique_ptr<Scratch> scratch() const override { return std::make_unique<Own>(); }
  void read(Index first, Index count, Scratch& scratch) const override {
    numbers_.read(first, count, static_cast<Own&>(scratch).numbers);
  }
  bool says(Index i, Index j, const Scratch& scratch) const override {
    return !std::isnan(number(i, j, scratch));
  }
  Index owner(Index i, Index j, const Scratch& scratch) const override {
    return numbers_.owner(i, j, static_cast<const Own&>(scratch).numbers);
  }

 protected:
  struct Own : Scratch {
    BlockNumbers::Scratch numbers;
    Vector factor;  ///< per row: what its terms are multiplied by; empty: 1
  };
  static double number(Index i, Index j, const Scratch& scratch) {
    return BlockNumbers::row(i, static_cast<const Own&>(scratch).numbers)[j];
  }

  BlockNumbers numbers_;
};

/// Normal densities, or a Student's t each.
class DiagonalGame : public NumbersGame {
 public:
  explicit DiagonalGame(const BlockGameInput& input)
      : NumbersGame(input),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        used_(at(features()), -1),
        log_peak_(input.model.labels().size(), std::ssize(factor_.used)) {
    for (std::size_t k = 0; k < factor_.used.size(); ++k)
      used_[at(factor_.used[k])] = static_cast<Index>(k);
    for (Index c = 0; c < log_peak_.rows(); ++c)
      for (Index k = 0; k < log_peak_.cols() && input.model.weights()[c] > 0; ++k)
        log_peak_(c, k) = std::log(inverse(c, k)) - 0.5 * log_2pi +
                          (factor_.dof.empty() ? 0 : log_gamma_excess(factor_.dof(c, k) / 2, 0.5));
  }

  bool says(Index i, Index j, const Scratch& scratch) const override {
    return used_[at(j)] >= 0 && NumbersGame::says(i, j, scratch);
  }
  double term(Index i, Index j, Index c, const Scratch& scratch) const override {
    const Index k = used_[at(j)];
    const double x = number(i, j, scratch) - factor_.center[k];
    const double at_center = factor_.whitened_mean(c, k);
    if (!factor_.linear.empty()) return factor_.linear(c, k) * x - 0.5 * at_center * at_center;
    const double t = x * inverse(c, k) - at_center;
    if (factor_.dof.empty()) return log_peak_(c, k) - 0.5 * t * t;
    const double dof = factor_.dof(c, k);
    return log_peak_(c, k) - 0.5 * (dof + 1) * std::log1p(t * t / dof);
  }

 private:
  double inverse(Index c, Index k) const {
    return factor_.inverse_deviation(factor_.inverse_deviation.rows() == 1 ? 0 : c, k);
  }

  const GaussianFactor& factor_;
  std::vector<Index> used_;  // per feature: its position among the used ones, or −1
  Matrix log_peak_;          // K × used
};

/// Families that are estimated from Σ w x.
class CountGame : public NumbersGame {
 public:
  explicit CountGame(const BlockGameInput& input)
      : NumbersGame(input),
        factor_(std::get<CountFactor>(input.model.factors().blocks[input.block])),
        documents_(describe(input.schema_block().family).documents),
        excluded_(at(factor_.excluded.empty() ? 0 : factor_.slope.size())) {
    for (const CountFactor::Excluded& excluded : factor_.excluded)
      excluded_[cell(excluded.label, excluded.feature)] =
          excluded.zero ? Excludes::zero : Excludes::others;
  }

  void read(Index first, Index count, Scratch& scratch) const override {
    NumbersGame::read(first, count, scratch);
    if (factor_.length_power == 1) return;
    Own& own = static_cast<Own&>(scratch);
    own.factor = Vector(count);
    for (Index i = 0; i < count; ++i) {
      double words = 0;
      for (Index j = 0; j < features(); ++j) words += number(i, j, scratch);
      own.factor[i] = words > 0 ? std::pow(words, factor_.length_power - 1) : 1;
    }
  }
  /// A word that does not occur says nothing.
  bool says(Index i, Index j, const Scratch& scratch) const override {
    return documents_ ? number(i, j, scratch) != 0 : NumbersGame::says(i, j, scratch);
  }
  double term(Index i, Index j, Index c, const Scratch& scratch) const override {
    const double x = number(i, j, scratch);
    if (!excluded_.empty())
      if (const Excludes what = excluded_[cell(c, j)]; what != Excludes::nothing)
        if ((x == 0) == (what == Excludes::zero)) return -infinity;
    double term = factor_.slope(c, j) * x;
    if (!factor_.at_zero.empty()) term += factor_.at_zero(c, j);
    if (!factor_.shape.empty() && x != 0 && factor_.shape(c, j) > 0)
      term += factor_.beyond(
          {.value = factor_.value.empty() ? 0 : factor_.value(c, j), .shape = factor_.shape(c, j)},
          x);
    const Vector& factor = static_cast<const Own&>(scratch).factor;
    return factor.empty() ? term : factor[i] * term;
  }
  bool depends_on_length() const override { return !factor_.concentration.empty(); }
  double length(Index i, Index j, const Scratch& scratch) const override {
    return number(i, j, scratch);
  }
  double length_term(Index c, double words) const override {
    return words == 0 || words == 1 ? 0 : log_gamma_excess(factor_.concentration[c], words);
  }

 private:
  enum class Excludes : char { nothing, zero, others };
  std::size_t cell(Index c, Index j) const { return at(c * factor_.slope.cols() + j); }

  const CountFactor& factor_;
  bool documents_;
  std::vector<Excludes> excluded_;
};

/// Counts as terms of a logistic regression; without one a feature has its mean.
class CountTermsGame : public NumbersGame {
 public:
  explicit CountTermsGame(const BlockGameInput& input)
      : NumbersGame(input),
        factor_(*input.model.factors().logistic),
        first_(factor_.first_term[input.block]),
        mean_(factor_.expected.mean(input.block)) {}

  double term(Index i, Index j, Index c, const Scratch& scratch) const override {
    return weight(c, j) * (number(i, j, scratch) - mean_[j]);
  }
  double constant(Index c) const override {
    double sum = input_.block == 0 ? factor_.base[c] : 0;
    for (Index j = 0; j < features(); ++j)
      sum += weight(c, j) * (mean_[j] - input_.model.logistic()->center[first_ + j]);
    return sum;
  }

 private:
  double weight(Index c, Index j) const { return input_.model.logistic()->weights(c, first_ + j); }

  const LogisticFactor& factor_;
  Index first_;
  const Vector& mean_;
};

class CategoryGame : public IndependentGame {
 public:
  explicit CategoryGame(const BlockGameInput& input)
      : IndependentGame(input),
        density_(std::get<CategoricalDensity>(input.model.densities()[input.block])),
        factor_(std::get<CategoricalFactor>(input.model.factors().blocks[input.block])) {
    for (std::size_t j = 0; j < density_.levels.size(); ++j)
      reader_.emplace_back(NameReader::column_of(input.rows, input.model.schema().column(
                                                                 input.schema_block().features[j])),
                           density_.levels[j]);
    if (!input.model.logistic()) return;
    // Without a column its indicators have their means.
    logistic_ = input.model.factors().logistic.get();
    const Vector& mean = logistic_->expected.mean(input.block);
    mean_row_ = Matrix(features(), input.model.labels().size());
    for (Index j = 0; j < features(); ++j)
      for (Index c = 0; c < mean_row_.cols(); ++c)
        for (Index t = factor_.first[at(j)]; t < factor_.first[at(j + 1)]; ++t)
          mean_row_(j, c) += weight(c, t) * mean[t];
  }

  std::unique_ptr<Scratch> scratch() const override { return std::make_unique<Own>(); }
  void read(Index first, Index count, Scratch& scratch) const override {
    std::vector<std::int32_t>& codes = static_cast<Own&>(scratch).codes;
    codes.resize(at(count * features()));
    for (std::size_t j = 0; j < reader_.size(); ++j)
      reader_[j].read(first, count, codes.data() + j, features());
  }
  bool says(Index i, Index j, const Scratch& scratch) const override {
    return code(i, j, scratch) >= 0;
  }
  double term(Index i, Index j, Index c, const Scratch& scratch) const override {
    const Index level = factor_.first[at(j)] + code(i, j, scratch);
    return logistic_ ? weight(c, level) - mean_row_(j, c) : factor_.table(level, c);
  }
  double constant(Index c) const override {
    if (!logistic_) return 0;
    double sum = input_.block == 0 ? logistic_->base[c] : 0;
    for (Index j = 0; j < features(); ++j) sum += mean_row_(j, c);
    for (Index t = 0; t < factor_.first.back(); ++t)
      sum -=
          weight(c, t) * input_.model.logistic()->center[logistic_->first_term[input_.block] + t];
    return sum;
  }

 private:
  struct Own : Scratch {
    std::vector<std::int32_t> codes;
  };
  Index code(Index i, Index j, const Scratch& scratch) const {
    return static_cast<const Own&>(scratch).codes[at(i * features() + j)];
  }
  double weight(Index c, Index t) const {
    return input_.model.logistic()->weights(c, logistic_->first_term[input_.block] + t);
  }

  const CategoricalDensity& density_;
  const CategoricalFactor& factor_;
  std::vector<NameReader> reader_;
  const LogisticFactor* logistic_ = nullptr;
  Matrix mean_row_;  // logistic: features × K
};

/// Text columns, each of them a document.
class TextGame : public IndependentGame {
 public:
  explicit TextGame(const BlockGameInput& input)
      : IndependentGame(input),
        factor_(std::get<TextFactor>(input.model.factors().blocks[input.block])) {
    for (const Index feature : input.schema_block().features)
      readers_.emplace_back(input.rows, input.model.schema(), feature);
  }

  std::unique_ptr<Scratch> scratch() const override {
    auto own = std::make_unique<Own>();
    for (const DocumentReader& reader : readers_) own->documents.emplace_back(reader.options());
    return own;
  }
  void read(Index first, Index count, Scratch& scratch) const override {
    Own& own = static_cast<Own&>(scratch);
    const Index classes = input_.model.labels().size();
    own.terms = Matrix(count * features(), classes);
    own.present.assign(at(count * features()), true);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < features(); ++j) {
        double* terms = own.terms.row(i * features() + j).data();
        own.present[at(i * features() + j)] = add_words(first + i, j, own.documents[at(j)], terms);
      }
  }
  bool says(Index i, Index j, const Scratch& scratch) const override {
    return static_cast<const Own&>(scratch).present[at(i * features() + j)];
  }
  double term(Index i, Index j, Index c, const Scratch& scratch) const override {
    return static_cast<const Own&>(scratch).terms(i * features() + j, c);
  }

 private:
  struct Own : Scratch {
    std::vector<WordCounts> documents;  ///< per feature
    Matrix terms;                       ///< rows · features × K
    std::vector<bool> present;
  };

  bool add_words(Index row, Index j, WordCounts& document, double* terms) const {
    if (!document.read(readers_[at(j)], row, factor_.words[at(j)].table())) return false;
    const Matrix& slope = factor_.slope[at(j)];
    double length = 0;
    for (const auto& [number, count] : document.words()) {
      const double x = factor_.presence ? 1 : count;
      for (Index c = 0; c < slope.cols(); ++c) terms[c] += x * slope(number, c);
      length += x;
    }
    const double scale =
        factor_.length_power == 1 || length == 0 ? 1 : std::pow(length, factor_.length_power - 1);
    for (Index c = 0; c < slope.cols(); ++c) terms[c] = factor_.constant(j, c) + scale * terms[c];
    return true;
  }

  const TextFactor& factor_;
  std::vector<DocumentReader> readers_;
};

struct MakeIndependentGame {
  const BlockGameInput& input;

  std::unique_ptr<BlockGame> operator()(const GaussianFactor&) const {
    return std::make_unique<DiagonalGame>(input);
  }
  std::unique_ptr<BlockGame> operator()(const CountFactor&) const {
    if (input.model.logistic()) return std::make_unique<CountTermsGame>(input);
    return std::make_unique<CountGame>(input);
  }
  std::unique_ptr<BlockGame> operator()(const CategoricalFactor&) const {
    return std::make_unique<CategoryGame>(input);
  }
  std::unique_ptr<BlockGame> operator()(const TextFactor&) const {
    return std::make_unique<TextGame>(input);
  }
};

}  // namespace

std::unique_ptr<BlockGame> make_independent_game(const BlockGameInput& input) {
  return std::visit(MakeIndependentGame{input}, input.model.factors().blocks[input.block]);
}

}  // namespace suffice
