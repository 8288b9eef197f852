#pragma once
// The textbook, slowly, in long double, and sharing no code with the library: two passes over the
// rows for means and covariances, Gaussian elimination for every density, an explicit marginal for
// every row with missing cells.

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "suffice/estimate/estimate.hpp"
#include "support/elimination.hpp"
#include "support/table.hpp"

namespace suffice::slow {

using testing::Real;
using testing::Reals;
using testing::Square;
using testing::Table;

inline const Real pi = std::acos(Real(-1));
inline constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

/// log N(x; mean, covariance) of delta = x − mean.
inline Real log_normal(const Reals& delta, Square covariance) {
  const auto [log_det, form] = testing::eliminate(delta, std::move(covariance));
  return -(static_cast<Real>(delta.size()) * std::log(2 * pi) + log_det + form) / 2;
}

/// Parameters of one Gaussian block: means, and one d × d covariance, for each class.
struct Gaussian {
  std::map<std::string, Reals> mean;
  std::map<std::string, Square> covariance;
  std::vector<bool> constant;
};

class Classifier {
 public:
  Classifier(const Table& train, const EstimateOptions& options)
      : train_(train), options_(options) {
    for (Index i = 0; i < train.rows(); ++i)
      if (train.weight(i) > 0) classes_.insert(train.label(i));
    for (const Block& block : train.schema().blocks())
      if (block.family == Family::gaussian) gaussian_.push_back(fit_gaussian(block));
  }

  const std::set<std::string>& classes() const { return classes_; }

  /// log p(x | label) of row i of `rows`: the sum over the blocks.
  Real log_likelihood(const Table& rows, Index i, const std::string& label) const {
    Real sum = 0;
    std::size_t g = 0;
    for (const Block& block : train_.schema().blocks()) {
      if (block.family == Family::gaussian) {
        sum += score(gaussian_[g++], block, rows, i, label);
        continue;
      }
      for (const Index j : block.features)
        if (!std::isnan(rows(i, j))) sum += score(block, j, rows, i, label);
    }
    return sum;
  }

 private:
  bool present(Index i, Index j) const { return !std::isnan(train_(i, j)); }
  Real weight(Index i) const { return train_.weight(i); }
  Real divisor(Real weight, Real taken) const {
    return options_.normalize == Normalize::unbiased ? weight - taken : weight;
  }

  Gaussian fit_gaussian(const Block& block) const {
    const std::size_t d = block.features.size();
    const bool dense =
        options_.covariance == Covariance::full || options_.covariance == Covariance::tied;
    const bool tied = options_.covariance == Covariance::tied ||
                      options_.covariance == Covariance::tied_diag ||
                      options_.covariance == Covariance::tied_spherical;
    const bool spherical = options_.covariance == Covariance::spherical ||
                           options_.covariance == Covariance::tied_spherical;
    // Dense structures use the rows that are complete in the block; the others all values present.
    const auto used = [&](Index i, std::size_t j) {
      if (!dense) return present(i, block.features[j]);
      for (const Index f : block.features)
        if (!present(i, f)) return false;
      return true;
    };
    Gaussian out;
    std::map<std::string, Square> scatter;
    std::map<std::string, Reals> total;
    for (std::size_t j = 0; j < d; ++j) {
      std::set<double> values;
      for (Index i = 0; i < train_.rows(); ++i)
        if (weight(i) > 0 && used(i, j)) values.insert(train_(i, block.features[j]));
      out.constant.push_back(values.size() < 2);
    }
    for (const std::string& c : classes_) {
      Reals mean(d), w(d);
      for (int pass = 0; pass < 2; ++pass)  // the second pass corrects the first one's rounding
        for (std::size_t j = 0; j < d; ++j) {
          Real sum = 0;
          w[j] = 0;
          for (Index i = 0; i < train_.rows(); ++i)
            if (train_.label(i) == c && weight(i) > 0 && used(i, j)) {
              w[j] += weight(i);
              sum += weight(i) * (train_(i, block.features[j]) - mean[j]);
            }
          mean[j] += sum / w[j];
        }
      Square s(d, Reals(d));
      for (Index i = 0; i < train_.rows(); ++i) {
        if (train_.label(i) != c || !(weight(i) > 0)) continue;
        for (std::size_t j = 0; j < d; ++j)
          for (std::size_t k = 0; k < d; ++k)
            if (used(i, j) && used(i, k) && (dense || j == k))
              s[j][k] += weight(i) * (train_(i, block.features[j]) - mean[j]) *
                         (train_(i, block.features[k]) - mean[k]);
      }
      out.mean[c] = mean;
      scatter[c] = s;
      total[c] = w;
    }
    // Sums over classes (tied) and over features (spherical), each with its own divisor.
    for (const std::string& c : classes_) {
      Square sigma(d, Reals(d));
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t k = 0; k < d; ++k) {
          Real sum = 0, by = 0;
          for (const std::string& other : classes_) {
            if (!tied && other != c) continue;
            if (spherical && j == k) {
              for (std::size_t f = 0; f < d; ++f) {
                if (out.constant[f]) continue;
                sum += scatter[other][f][f];
                by += divisor(total[other][f], 1);
              }
            } else {
              sum += scatter[other][j][k];
              by += divisor(total[other][j], 1);
            }
          }
          sigma[j][k] = sum / by;
        }
      out.covariance[c] = sigma;
    }
    return out;
  }

  Real score(const Gaussian& g, const Block& block, const Table& rows, Index i,
             const std::string& label) const {
    std::vector<std::size_t> kept;  // the marginal of a Gaussian is what remains of its parameters
    for (std::size_t j = 0; j < block.features.size(); ++j)
      if (!g.constant[j] && !std::isnan(rows(i, block.features[j]))) kept.push_back(j);
    Reals delta;
    Square sigma;
    for (const std::size_t j : kept) {
      delta.push_back(rows(i, block.features[j]) - g.mean.at(label)[j]);
      Reals line;
      for (const std::size_t k : kept) line.push_back(g.covariance.at(label)[j][k]);
      sigma.push_back(line);
    }
    return log_normal(delta, sigma);
  }

  /// The words of the documents that the laws generate.
  static std::vector<std::string> words_of(const std::string& document) {
    std::vector<std::string> words(1);
    for (std::size_t k = 0; k < document.size(); ++k) {
      const auto byte = static_cast<unsigned char>(document[k]);
      if (byte == ' ' || byte == ',' || byte == '-') {
        words.emplace_back();
      } else if (byte == 0xC3 && document.substr(k, 2) == "É") {
        words.back() += "é";
        ++k;
      } else {
        words.back() += static_cast<char>(std::tolower(byte));
      }
    }
    std::erase(words, "");
    return words;
  }

  Real text_score(Index j, const std::string& document, const std::string& label) const {
    const Real alpha = options_.smoothing.value();
    std::map<std::string, Real> count;
    std::set<std::string> known;
    Real all = 0, result = 0;
    for (Index r = 0; r < train_.rows(); ++r) {
      if (!(weight(r) > 0) || !present(r, j)) continue;
      for (const std::string& word : words_of(train_.level(r, j))) {
        known.insert(word);
        if (train_.label(r) != label) continue;
        count[word] += weight(r);
        all += weight(r);
      }
    }
    for (const std::string& word : words_of(document))
      if (known.contains(word))
        result += std::log((count[word] + alpha) / (all + alpha * static_cast<Real>(known.size())));
    return result;
  }

  /// One feature of a discrete family.
  Real score(const Block& block, Index j, const Table& rows, Index i,
             const std::string& label) const {
    const Real alpha = options_.smoothing.value();
    Real w = 0, sum = 0, all_w = 0, all_sum = 0, same_level = 0, block_sum = 0;
    std::set<std::string> levels(train_.schema().feature(j).levels.begin(),
                                 train_.schema().feature(j).levels.end());
    const bool categorical = block.family == Family::categorical;
    for (Index r = 0; r < train_.rows(); ++r) {
      if (!(weight(r) > 0)) continue;
      const bool here = train_.label(r) == label;
      if (block.family == Family::multinomial && here)
        for (const Index f : block.features) block_sum += weight(r) * train_(r, f);
      if (!present(r, j)) continue;
      if (categorical) levels.insert(train_.level(r, j));
      const Real x = categorical ? 0 : Real(train_(r, j));
      all_w += weight(r);
      all_sum += weight(r) * x;
      if (!here) continue;
      w += weight(r);
      sum += weight(r) * x;
      if (categorical && train_.level(r, j) == rows.level(i, j)) same_level += weight(r);
    }
    const Real x = rows(i, j);
    switch (block.family) {
      case Family::bernoulli: {
        const Real p = (sum + alpha) / (w + 2 * alpha);
        return std::log(x == 1 ? p : 1 - p);
      }
      case Family::poisson: {
        const Real rate = (sum + alpha * all_sum / all_w) / (w + alpha);
        if (rate == 0) return x == 0 ? 0 : minus_infinity;
        return x * std::log(rate) - rate - std::lgamma(x + 1);
      }
      case Family::multinomial: {
        const auto d = static_cast<Real>(block.features.size());
        return x == 0 ? 0 : x * std::log((sum + alpha) / (block_sum + alpha * d));
      }
      case Family::exponential: {
        const Real rate = (w + alpha) / (sum + alpha * all_sum / all_w);
        return std::log(rate) - rate * x;
      }
      case Family::text:
        return text_score(j, rows.level(i, j), label);
      case Family::gaussian:
      case Family::categorical: {
        if (!levels.contains(rows.level(i, j))) return 0;  // unknown: as if missing
        return std::log((same_level + alpha) / (w + alpha * static_cast<Real>(levels.size())));
      }
    }
    return std::numeric_limits<Real>::quiet_NaN();
  }

  const Table& train_;
  EstimateOptions options_;
  std::set<std::string> classes_;
  std::vector<Gaussian> gaussian_;
};

}  // namespace suffice::slow
