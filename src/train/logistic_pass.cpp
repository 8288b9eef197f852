#include "train/logistic_pass.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "algebra/blas.hpp"
#include "core/kernels.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "factor/factors.hpp"
#include "stats/labels.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Some rows as terms minus their centers, the last column 1.
struct LogisticPass::Panel {
  Index first_row;  ///< in the pass
  Index count;
  const double* terms;        ///< count × terms()
  const std::int32_t* label;  ///< among the classes that have rows; −1: the row is absent
  const double* weight;
  const std::int32_t* fold;  ///< null: no folds are left out
};

/// What a worker writes to.
struct LogisticPass::Worker {
  std::vector<std::unique_ptr<BlockTerms::Scratch>> scratch;
  Vector terms, weight, logits, log_sum, own;
  std::vector<std::int32_t> label;
  Vector kept, posterior, factor, scaled, products;
};

namespace {

/// Curvature is made of all rows up to that many, and of a sample beyond.
constexpr double sampled_rows = 20000;
/// Sums of lanes take that many numbers at most.
constexpr Index most_numbers = Index{1} << 25;
/// Up to that many terms, products of two terms are multiplied with the factors of all pairs of
/// classes at once.
constexpr Index most_terms_of_products = 64;
constexpr Index rows_of_products = 64;

Index pairs_of(Index n) { return n * (n + 1) / 2; }

}  // namespace

Matrix contrasts(Index classes) {
  Matrix v(classes, classes - 1);
  for (Index a = 0; a + 1 < classes; ++a) {
    const double n = static_cast<double>(a + 1);
    for (Index k = 0; k <= a; ++k) v(k, a) = 1 / std::sqrt(n * (n + 1));
    v(a + 1, a) = -n / std::sqrt(n * (n + 1));
  }
  return v;
}

LogisticPass::LogisticPass(const Model& generative, const RowPass& rows,
                           const LogisticOptions& options, const Execution& execution)
    : model_(generative),
      rows_(rows),
      execution_(execution),
      folds_(Folds::dealt(std::max<Index>(options.folds, 1), options.seed)),
      expected_(generative.parts(), generative.factors().blocks) {
  Index origins = 0;
  for (const Density& density : generative.densities()) {
    first_term_.push_back(terms_);
    first_origin_.push_back(origins);
    terms_ += term_count(density);
    origins += origin_count(density);
  }
  first_term_.push_back(terms_);
  first_origin_.push_back(origins);
  for (Index c = 0; c < generative.labels().size(); ++c) {
    const bool seen = generative.weights()[c] > 0;
    position_.push_back(seen ? static_cast<std::int32_t>(seen_.size()) : -1);
    if (seen) seen_.push_back(c);
  }
  if (seen_.size() < 2)
    throw InvalidArgument(
        "logistic regression tells classes apart, and only one class has rows",
        "give rows of another class, or leave " + Option{"discriminative"} + " out");
  contrasts_ = contrasts(classes());
  panel_rows_ = std::clamp<Index>(24576 / terms() / 8 * 8, 8, 512);
  workers_ = std::make_unique<Workers>(execution, 16);
  measure(options);
}

template <class Body>
void LogisticPass::for_each_panel(Index most_lanes, const Body& body) {
  std::vector<Worker> workers(static_cast<std::size_t>(workers_->size()));
  Index first_row = 0;
  folds_.rewind();
  Unscored unscored(model_.schema().size());
  const Index q = terms();
  const auto use_block = [&](const RowBlock& block) {
    if (execution_.stop.stop_requested()) throw Cancelled();
    require_features(model_.schema(), block);
    Vector weight_memory;
    const double* weights = read_weights(block, weight_memory);
    const EncodedNames labels = encode_labels(block, 0, model_.labels(), weights, *workers_);
    if (labels.names.size() != model_.labels().size())
      throw InvalidArgument("the rows have a class that the model does not know",
                            "give the rows of the model again");
    std::vector<std::int32_t> folds;
    if (in_folds_)
      folds = folds_.next(labels.names, labels.code.data(), block.rows(), Column(), weights);
    std::vector<std::unique_ptr<BlockTerms>> terms;
    for (std::size_t b = 0; b + 1 < first_term_.size(); ++b) {
      const auto part = [&](const Vector& of, const std::vector<Index>& first) {
        return std::span<const double>(of.data() + first[b],
                                       static_cast<std::size_t>(first[b + 1] - first[b]));
      };
      terms.push_back(make_block_terms(
          {model_, b, block, true, Missing::allow, *workers_, &unscored}, expected_,
          {.origin = part(origin_, first_origin_), .center = part(center_, first_term_)}));
    }
    const Index panels = (block.rows() + panel_rows_ - 1) / panel_rows_;
    Index lanes = 1;
    while (2 * lanes <= std::min(most_lanes, panels)) lanes *= 2;
    for (Worker& worker : workers) worker.scratch.clear();
    workers_->run(lanes, [&](Index lane, int w) {
      Worker& worker = workers[static_cast<std::size_t>(w)];
      if (worker.scratch.empty()) {
        for (const auto& of : terms) worker.scratch.push_back(of->scratch(panel_rows_));
        if (worker.terms.empty()) {
          worker.terms = Vector(panel_rows_ * q);
          worker.weight = Vector(panel_rows_);
          worker.label.resize(static_cast<std::size_t>(panel_rows_));
        }
      }
      const Index last = panels * (lane + 1) / lanes;
      for (Index p = panels * lane / lanes; p < last; ++p) {
        const Index first = p * panel_rows_, n = std::min(panel_rows_, block.rows() - first);
        Index filled = 0;
        for (Index i = 0; i < n; ++i) {
          const std::int32_t code = labels.code[first + i];
          const double weight = weights ? weights[first + i] : 1;
          worker.label[static_cast<std::size_t>(i)] =
              code < 0 || weight == 0 ? -1 : position_[static_cast<std::size_t>(code)];
          worker.weight[i] = worker.label[static_cast<std::size_t>(i)] < 0 ? 0 : weight;
        }
        // What is in absent rows is never looked at.
        for (Index i = 0; i < n;) {
          Index end = i;
          while (end < n && worker.weight[end] > 0) ++end;
          if (end > i) {
            for (std::size_t b = 0; b < terms.size(); ++b)
              filled += terms[b]->read(first + i, end - i, *worker.scratch[b],
                                       worker.terms.data() + i * q + first_term_[b], q);
          }
          for (Index r = i; r < end; ++r) worker.terms[r * q + q - 1] = 1;
          for (i = end; i < n && !(worker.weight[i] > 0); ++i)
            std::fill_n(worker.terms.data() + i * q, q, 0.0);
        }
        body(Panel{first_row + first, n, worker.terms.data(), worker.label.data(),
                   worker.weight.data(), folds.empty() ? nullptr : folds.data() + first},
             lane, worker, filled);
      }
    });
    first_row += block.rows();
  };
  rows_([&](const RowBlock& rows) {
    const bool sparse = std::any_of(rows.parts().begin(), rows.parts().end(), [](const auto& part) {
      return part.kind == RowBlock::Part::Kind::sparse;
    });
    const Index most = rows_per_block(model_.schema(), sparse);
    for (Index first = 0; first < rows.rows(); first += most)
      use_block(rows.slice(first, std::min(most, rows.rows() - first)));
  });
  row_count_ = first_row;
  ++passes_;
}

void LogisticPass::measure(const LogisticOptions& options) {
  // Around what the densities expect, so that no digits are lost.
  center_ = Vector(terms_);
  origin_ = Vector(first_origin_.back());
  for (std::size_t b = 0; b + 1 < first_term_.size(); ++b) {
    const Vector& mean = expected_.mean(b);
    const Index first = first_term_[b];
    std::ranges::copy(mean, center_.begin() + first);
    const Index squared = first_origin_[b + 1] - first_origin_[b];
    if (squared == 0) continue;
    if (options.standardize) {
      std::ranges::copy(mean, origin_.begin() + first_origin_[b]);
      continue;  // the centers of squares and products begin at 0
    }
    const bool products =
        powers_of(std::get<GaussianDensity>(model_.densities()[b])) == Powers::products;
    Index t = first + mean.size();
    for (Index i = 0; i < mean.size(); ++i)
      for (Index j = i; j < (products ? mean.size() : i + 1); ++j) center_[t++] = mean[i] * mean[j];
  }
  if (!options.intercept) center_.map().setZero();
  struct Lane {
    Vector sums, squares, class_weight;
    Index filled = 0;
  };
  std::vector<Lane> lanes(16);
  const Index q = terms();
  for_each_panel(16, [&](const Panel& panel, Index l, Worker&, Index filled) {
    Lane& lane = lanes[static_cast<std::size_t>(l)];
    if (lane.sums.empty()) lane = {Vector(q), Vector(q), Vector(classes())};
    lane.filled += filled;
    for (Index i = 0; i < panel.count; ++i) {
      const double weight = panel.weight[i];
      if (!(weight > 0)) continue;
      lane.class_weight[panel.label[i]] += weight;
      const double* t = panel.terms + i * q;
      for (Index j = 0; j < q; ++j) {
        lane.sums[j] += weight * t[j];
        lane.squares[j] += weight * t[j] * t[j];
      }
    }
  });
  Vector sums(q), squares(q);
  class_weight_ = Vector(classes());
  for (const Lane& lane : lanes) {
    if (lane.sums.empty()) continue;
    sums.map() += lane.sums.map();
    squares.map() += lane.squares.map();
    class_weight_.map() += lane.class_weight.map();
    filled_ += lane.filled;
  }
  weight_ = class_weight_.map().sum();
  if (std::ranges::any_of(class_weight_, [](double weight) { return !(weight > 0); }))
    throw InvalidArgument("the rows lack a class that the model has",
                          "give the rows of the model again");
  scale_ = Vector(terms_);
  inverse_scale_ = Vector(q);
  inverse_scale_[terms_] = options.intercept ? 1 : 0;
  for (Index t = 0; t < terms_; ++t) {
    const double mean = sums[t] / weight_, square = squares[t] / weight_;
    const double variance = options.intercept ? square - mean * mean : square;
    if (!std::isfinite(square))
      throw DataError("the square of a number is no finite number",
                      "numbers of this size are too large for logistic regression; rescale the "
                      "columns");
    // Below that, a term is constant up to rounding.
    if (variance > 1e-14 * square) {
      scale_[t] = std::sqrt(variance);
      inverse_scale_[t] = 1 / scale_[t];
    }
    if (options.intercept) center_[t] += mean;
  }
  const double parameters = static_cast<double>((classes() - 1) * q);
  const double wanted =
      std::max({std::min(sampled_rows, 4e10 / (parameters * parameters)), 4 * parameters,
                std::min(200 * parameters, 4e9 / (parameters * parameters))});
  stride_ = std::max<Index>(1, static_cast<Index>(static_cast<double>(row_count_) / wanted));
}

double LogisticPass::curvature_work() const {
  const auto q = static_cast<double>(terms());
  return static_cast<double>(row_count_) * q * q * static_cast<double>(pairs_of(classes() - 1));
}

void LogisticPass::add_curvature(const Panel& panel, const LogisticPoint& point, LogisticSums& sums,
                                 Worker& worker) const {
  const Index q = terms(), k = classes(), d = k - 1, stride = kernels::padded(panel_rows_);
  // The rows that have a part, with their posteriors.
  if (worker.kept.empty()) {
    worker.kept = Vector(panel_rows_ * q);
    worker.scaled = Vector(panel_rows_ * q);
    worker.posterior = Vector(panel_rows_ * k);
    worker.factor = Vector(panel_rows_ * pairs_of(d));
  }
  Index m = 0;
  const double extra = point.all_rows ? 1 : static_cast<double>(stride_);
  Vector mean(d);
  for (Index r = 0; r < panel.count; ++r) {
    const Index row = panel.first_row + r;
    if (!(panel.weight[r] > 0) || !is_sampled(point, row)) continue;
    if (point.fold >= 0 && panel.fold[r] == point.fold) continue;
    std::copy_n(panel.terms + r * q, q, worker.kept.data() + m * q);
    const double weight = panel.weight[r] * extra;
    for (Index a = 0; a < d; ++a) {
      mean[a] = 0;
      for (Index c = 0; c <= a + 1; ++c)
        mean[a] += worker.logits[c * stride + r] * contrasts_(c, a);
    }
    double* factor = worker.factor.data() + m * pairs_of(d);
    for (Index a = 0; a < d; ++a)
      for (Index b = a; b < d; ++b) {
        double sum = 0;
        for (Index c = 0; c <= a + 1; ++c)
          sum += worker.logits[c * stride + r] * contrasts_(c, a) * contrasts_(c, b);
        *factor++ = weight * (sum - mean[a] * mean[b]);
      }
    ++m;
  }
  if (m == 0) return;
  const Index pairs = pairs_of(d);
  const double* const terms = worker.kept.data();
  const auto factor_of = [&](Index row, Index pair) { return worker.factor[row * pairs + pair]; };
  if (point.curvature == Curvature::full && pairs >= 3 && q <= most_terms_of_products) {
    const Index columns = pairs_of(q);
    if (worker.products.empty()) worker.products = Vector(rows_of_products * columns);
    for (Index first = 0; first < m; first += rows_of_products) {
      const Index count = std::min(rows_of_products, m - first);
      for (Index r = 0; r < count; ++r) {
        const double* t = terms + (first + r) * q;
        double* product = worker.products.data() + r * columns;
        for (Index i = 0; i < q; ++i)
          for (Index j = i; j < q; ++j) *product++ = t[i] * t[j];
      }
      blas::gemm_tn(columns, pairs, count, 1, worker.products.data(), columns,
                    worker.factor.data() + first * pairs, pairs, 1, sums.curvature.data(), pairs);
    }
    return;
  }
  const auto scaled_rows = [&](const auto& by) {
    for (Index r = 0; r < m; ++r) {
      const double factor = by(r);
      for (Index j = 0; j < q; ++j) worker.scaled[r * q + j] = factor * terms[r * q + j];
    }
    return worker.scaled.data();
  };
  if (point.curvature == Curvature::full) {
    Index pair = 0;
    for (Index a = 0; a < d; ++a)
      for (Index b = a; b < d; ++b, ++pair) {
        double* const out = sums.curvature.data() + pair * q * q;
        if (a == b)
          blas::syrk_tn(q, m, scaled_rows([&](Index r) {
                          return std::sqrt(std::max(0.0, factor_of(r, pair)));
                        }),
                        q, out, q);
        else
          blas::gemm_tn(q, q, m, 1, terms, q,
                        scaled_rows([&](Index r) { return factor_of(r, pair); }), q, 1, out, q);
      }
    return;
  }
  const auto diagonal_pair = [&](Index a) { return a * d - a * (a - 1) / 2; };
  if (point.curvature == Curvature::shared) {
    blas::syrk_tn(q, m, scaled_rows([&](Index r) {
                    double sum = 0;
                    for (Index a = 0; a < d; ++a) sum += factor_of(r, diagonal_pair(a));
                    return std::sqrt(std::max(0.0, sum / static_cast<double>(d)));
                  }),
                  q, sums.curvature.data(), q);
    return;
  }
  for (Index a = 0; a < d; ++a)
    for (Index r = 0; r < m; ++r) {
      const double factor = factor_of(r, diagonal_pair(a));
      double* const out = sums.curvature.data() + a * q;
      for (Index j = 0; j < q; ++j) out[j] += factor * terms[r * q + j] * terms[r * q + j];
    }
}

void LogisticPass::add_point(const Panel& panel, const LogisticPoint& point, const Matrix& weights,
                             LogisticSums& sums, Worker& worker) const {
  const Index q = terms(), k = classes(), n = panel.count, stride = kernels::padded(panel_rows_);
  if (worker.logits.empty()) {
    worker.logits = Vector(k * stride);
    worker.log_sum = Vector(stride);
    worker.own = Vector(stride);
  }
  double* const z = worker.logits.data();
  const Index padded = kernels::padded(n);
  blas::gemm_nt(k, n, q, 1, weights.data(), q, panel.terms, q, 0, z, stride);
  for (Index c = 0; c < k; ++c) std::fill(z + c * stride + n, z + c * stride + padded, 0.0);
  for (Index r = 0; r < n; ++r)
    worker.own[r] = panel.label[r] < 0 ? 0 : z[panel.label[r] * stride + r];
  kernels::softmax(z, stride, k, padded, worker.log_sum.data());
  if (point.curvature != Curvature::none) add_curvature(panel, point, sums, worker);
  for (Index r = 0; r < n; ++r) {
    double weight = panel.weight[r];
    const Index own = panel.label[r];
    if (own >= 0) {
      const double loss = weight * (worker.log_sum[r] - worker.own[r]);
      if (point.fold >= 0 && panel.fold[r] == point.fold) {
        sums.left_out_loss += loss;
        sums.left_out_weight += weight;
        weight = 0;
      } else {
        sums.loss += loss;
        sums.weight += weight;
        // Not the best class, where another one has more than half of what is left.
        if (!(z[own * stride + r] >= 0.5)) {
          double best = 0;
          for (Index c = 0; c < k; ++c) best = std::max(best, z[c * stride + r]);
          if (z[own * stride + r] < best) sums.wrong += weight;
        }
      }
    }
    worker.log_sum[r] = weight;
  }
  for (Index c = 0; c < k; ++c)
    for (Index r = 0; r < n; ++r) z[c * stride + r] *= worker.log_sum[r];
  for (Index r = 0; r < n; ++r)
    if (panel.label[r] >= 0) z[panel.label[r] * stride + r] -= worker.log_sum[r];
  blas::gemm(k, q, n, 1, z, stride, panel.terms, q, 1, sums.gradient.data(), q);
}

Matrix LogisticPass::assembled(const LogisticPoint& point, const Matrix& sums) const {
  const Index q = terms(), d = classes() - 1, n = d * q;
  if (point.curvature == Curvature::diagonal) {
    Matrix result = sums;
    for (Index a = 0; a < d; ++a)
      for (Index j = 0; j < q; ++j) result(0, a * q + j) *= inverse_scale_[j] * inverse_scale_[j];
    return result;
  }
  const auto scaled = [&](double sum, Index i, Index j) {
    return sum * inverse_scale_[i] * inverse_scale_[j];
  };
  if (point.curvature == Curvature::shared) {
    Matrix result(q, q);
    for (Index i = 0; i < q; ++i)
      for (Index j = i; j < q; ++j)
        result(i, j) = result(j, i) = scaled(sums.data()[i * q + j], i, j);
    return result;
  }
  Matrix result(n, n);
  const Index pairs = pairs_of(d);
  const bool products = pairs >= 3 && q <= most_terms_of_products;
  Index pair = 0;
  for (Index a = 0; a < d; ++a)
    for (Index b = a; b < d; ++b, ++pair) {
      Index product = 0;
      for (Index i = 0; i < q; ++i)
        for (Index j = i; j < q; ++j, ++product) {
          const double sum =
              products ? sums.data()[product * pairs + pair] : sums.data()[(pair * q + i) * q + j];
          const double value = scaled(sum, i, j);
          result(a * q + i, b * q + j) = result(a * q + j, b * q + i) = value;
          result(b * q + i, a * q + j) = result(b * q + j, a * q + i) = value;
        }
    }
  return result;
}

std::vector<LogisticSums> LogisticPass::evaluate(std::span<const LogisticPoint> points) {
  const Index q = terms(), k = classes(), d = k - 1;
  in_folds_ = std::ranges::any_of(points, [](const auto& point) { return point.fold >= 0; });
  std::vector<Matrix> weights;
  std::vector<std::pair<Index, Index>> curvature;  // the shape of its sums
  Index numbers = 0;
  for (const LogisticPoint& point : points) {
    Matrix& scaled = weights.emplace_back(*point.weights);
    for (Index c = 0; c < k; ++c)
      for (Index j = 0; j < q; ++j) scaled(c, j) *= inverse_scale_[j];
    const Index pairs = pairs_of(d);
    switch (point.curvature) {
      case Curvature::none:
        curvature.emplace_back(0, 0);
        break;
      case Curvature::diagonal:
        curvature.emplace_back(1, d * q);
        break;
      case Curvature::shared:
        curvature.emplace_back(q, q);
        break;
      case Curvature::full:
        if (pairs >= 3 && q <= most_terms_of_products)
          curvature.emplace_back(pairs_of(q), pairs);
        else
          curvature.emplace_back(pairs * q, q);
        break;
    }
    numbers += k * q + curvature.back().first * curvature.back().second;
  }
  const Index most_lanes = std::clamp<Index>(most_numbers / numbers, 1, 16);
  std::vector<std::vector<LogisticSums>> lanes(static_cast<std::size_t>(most_lanes));
  for_each_panel(most_lanes, [&](const Panel& panel, Index l, Worker& worker, Index) {
    std::vector<LogisticSums>& lane = lanes[static_cast<std::size_t>(l)];
    if (lane.empty()) {
      lane.resize(points.size());
      for (std::size_t p = 0; p < points.size(); ++p) {
        lane[p].gradient = Matrix(k, q);
        if (curvature[p].first > 0)
          lane[p].curvature = Matrix(curvature[p].first, curvature[p].second);
      }
    }
    for (std::size_t p = 0; p < points.size(); ++p)
      add_point(panel, points[p], weights[p], lane[p], worker);
  });
  std::vector<LogisticSums> result = std::move(lanes.front());
  for (std::size_t l = 1; l < lanes.size(); ++l)
    for (std::size_t p = 0; p < lanes[l].size(); ++p) {
      LogisticSums &to = result[p], &from = lanes[l][p];
      to.loss += from.loss;
      to.weight += from.weight;
      to.wrong += from.wrong;
      to.left_out_loss += from.left_out_loss;
      to.left_out_weight += from.left_out_weight;
      to.gradient.map() += from.gradient.map();
      if (!from.curvature.empty()) to.curvature.map() += from.curvature.map();
      from.curvature = {};
    }
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (Index c = 0; c < k; ++c)
      for (Index j = 0; j < q; ++j) result[p].gradient(c, j) *= inverse_scale_[j];
    if (points[p].curvature != Curvature::none)
      result[p].curvature = assembled(points[p], result[p].curvature);
  }
  return result;
}

}  // namespace suffice
