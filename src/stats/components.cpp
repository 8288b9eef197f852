#include "suffice/stats/components.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/eigenvectors.hpp"
#include "stats/moments.hpp"
#include "stats/one_block.hpp"
#include "stats/pooled.hpp"
#include "stats/project.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// What is left of an eigenvalue, beside the largest of n, when nothing but rounding is there.
double rounding_of_eigenvalues(Index n) {
  return 10 * static_cast<double>(n + 10) * std::numeric_limits<double>::epsilon();
}

std::string number(Index n) { return std::to_string(n); }

/// The complete rows of all classes of a block.
struct CompleteRows {
  CompleteRows(const Statistics& statistics, Index block)
      : sums(require_projectable(statistics, block)),
        classes(sums.classes),
        names(statistics.schema().names(statistics.schema().blocks()[block])) {
    total = total_of(sums);
    if (!(total.weight > 0))
      throw InvalidArgument(
          "there is no row in which all Gaussian features are present, so their components are "
          "unknown",
          "leave out the features that are often missing, or give more rows");
    squares = squares_of(total);
    for (Index j = 0; j < total.mean.size(); ++j)
      if (squares[j] > 0) varying.push_back(j);
    if (varying.empty())
      throw InvalidArgument(
          "every Gaussian feature is constant over all complete rows, so there are no components",
          "give rows that differ, or leave " + Option{"pca"} + " and " + Option{"lda"} + " out");
  }

  Index features() const { return total.mean.size(); }
  Vector mean() const {
    Vector result(features());
    for (Index j = 0; j < features(); ++j) result[j] = total.mean[j] + total.mean_low[j];
    return result;
  }
  /// m_c − m of one feature.
  double deviation(const JointMoments& of_class, Index j) const {
    return difference({of_class.mean[j], of_class.mean_low[j]}, {total.mean[j], total.mean_low[j]})
        .high;
  }

  const GaussianStatistics& sums;
  const std::vector<GaussianStatistics::Class>& classes;
  std::vector<std::string> names;
  JointMoments total;
  Vector squares;              ///< of the total
  std::vector<Index> varying;  ///< the features that are not constant over all rows
};

void check_components(Index asked, Index features, Index rank) {
  if (asked > features)
    throw InvalidArgument("there are " + number(features) +
                          " Gaussian features, so pca has at most " + number(features) +
                          " components, not " + number(asked));
  if (asked > rank)
    throw InvalidArgument(
        "the rows vary in " + number(rank) + " directions (of " + number(features) +
            " features; beyond these the variance is 0 up to rounding), so pca has at most " +
            number(rank) + " components, not " + number(asked),
        "ask for " + number(rank) + " or fewer, or for a share of the variance");
}

/// C = Σ S_c / W of some features, each divided by its deviation within classes.
class WithinClasses {
 public:
  explicit WithinClasses(const CompleteRows& rows) : rows_(rows), deviation_(rows.features()) {
    const auto n = static_cast<Index>(rows.varying.size());
    std::vector<Index> all(static_cast<std::size_t>(rows.features()));
    std::iota(all.begin(), all.end(), Index{0});
    sum_ = scatter_within(rows.sums, all);
    std::vector<std::string> flat;
    for (const Index j : rows.varying) {
      deviation_[j] = std::sqrt(sum_(j, j) / rows.total.weight);
      if (!(deviation_[j] > 0)) flat.push_back(rows.names[j]);
    }
    const Index rank = n - std::ssize(flat);
    if (rank < n) throw_separated(rank, std::move(flat));
  }

  /// P with Pᵀ C P = I over the directions in which classes vary; its rows are those of the varying
  /// features. Throws where classes differ in another direction.
  Matrix whitener() const {
    const auto n = static_cast<Index>(rows_.varying.size());
    Matrix vectors(n, n);  // first the correlations within classes
    Vector values(n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        vectors(i, j) = sum_(feature(i), feature(j)) / rows_.total.weight /
                        (deviation_[feature(i)] * deviation_[feature(j)]);
    blas::eigh(n, vectors.data(), n, values.data());
    const double least = rounding_of_eigenvalues(n) * values[n - 1];
    const Index flat =
        std::find_if(values.begin(), values.end(), [&](double value) { return value > least; }) -
        values.begin();
    require_no_difference(vectors, flat);
    Matrix result(n, n - flat);
    for (Index i = 0; i < n; ++i)
      for (Index k = flat; k < n; ++k)
        result(i, k - flat) = vectors(k, i) / std::sqrt(values[k]) / deviation_[feature(i)];
    return result;
  }

 private:
  Index feature(Index i) const { return rows_.varying[i]; }

  /// The means of the classes must not differ along the first `flat` vectors, beyond rounding.
  void require_no_difference(const Matrix& vectors, Index flat) const {
    const auto n = static_cast<Index>(rows_.varying.size());
    if (flat == 0) return;
    Vector along(flat);  // variance between classes
    double all = 1;
    for (const auto& of_class : rows_.classes) {
      if (!(of_class.complete.weight > 0)) continue;
      const double share = of_class.complete.weight / rows_.total.weight;
      Vector apart(n);
      for (Index i = 0; i < n; ++i) {
        apart[i] = rows_.deviation(of_class.complete, feature(i)) / deviation_[feature(i)];
        all += share * apart[i] * apart[i];
      }
      for (Index k = 0; k < flat; ++k) {
        const double t =
            std::inner_product(apart.begin(), apart.end(), vectors.row(k).begin(), 0.0);
        along[k] += share * t * t;
      }
    }
    for (const double variance : along)
      if (variance > rounding_of_eigenvalues(n) * all) throw_separated(n - flat, {});
  }

  [[noreturn]] void throw_separated(Index rank, std::vector<std::string> flat) const {
    const auto n = static_cast<Index>(rows_.varying.size());
    const std::string directions =
        number(n - rank) + (n - rank == 1 ? " direction" : " directions");
    const Sentence advice = "take principal components first (" + Option{"pca"} + "), " +
                            (flat.empty()       ? ""
                             : flat.size() == 1 ? "leave this feature out, "
                                                : "leave these features out, ") +
                            "or give more rows";
    throw SingularError({.features = std::move(flat)}, rank, n,
                        "classes differ in " + directions +
                            " in which no class varies (the rank within classes is " +
                            number(rank) + " of " + number(n) + "), so " + Option{"lda"} +
                            " has no finite answer",
                        advice);
  }

  const CompleteRows& rows_;
  Matrix sum_;        ///< Σ S_c
  Vector deviation_;  ///< per feature
};

/// Makes the columns of `q` orthonormal, one after the other: those of small eigenvalues have parts
/// of the larger ones in them. Twice is enough.
void orthonormalise(Matrix& q) {
  for (Index k = 0; k < q.cols(); ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Index other = 0; other < k; ++other) {
        double dot = 0;
        for (Index i = 0; i < q.rows(); ++i) dot += q(i, other) * q(i, k);
        for (Index i = 0; i < q.rows(); ++i) q(i, k) -= dot * q(i, other);
      }
      double square = 0;
      for (Index i = 0; i < q.rows(); ++i) square += q(i, k) * q(i, k);
      for (Index i = 0; i < q.rows(); ++i) q(i, k) /= std::sqrt(square);
    }
  }
}

}  // namespace

Index components_for(double share, const Vector& explained, Index rank) {
  constexpr double slack = 1e-12;  // sums of all shares are 1 up to rounding
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += explained[k];
    if (sum >= share - slack && share < 1) return k + 1;
  }
  return rank;
}

std::string to_string(const Pca& pca) {
  if (!(pca.share > 0)) return number(pca.components);
  // 90% where that is read back as the same share, 0.123… otherwise.
  const double percent = 100 * pca.share;
  return percent / 100 == pca.share ? name_of(percent) + "%" : name_of(pca.share);
}

Pca pca_from_string(std::string_view text) {
  std::string_view digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, value);
  const bool share = percent || (value > 0 && value <= 1 && digits != "1");
  if (error != std::errc() || read != end || (!share && value != std::floor(value)) ||
      !(std::abs(value) < 1e15))
    throw InvalidArgument(
        Option{"pca"} +
        " needs a number of components (50) or a share of the variance (90%), not '" +
        std::string(text) + "'");
  const Pca pca = share ? Pca{.share = percent ? value / 100 : value}
                        : Pca{.components = static_cast<Index>(value)};
  require_possible(pca);
  return pca;
}

void require_possible(const Pca& pca) {
  if (pca.share != 0 && pca.components != 0)
    throw InvalidArgument(Option{"pca"} +
                          " needs a number of components or a share of the variance, not both");
  if (pca.share != 0 && !(pca.share > 0 && pca.share <= 1))
    throw InvalidArgument(
        "the share of the variance that " + Option{"pca"} + " keeps is " + name_of(pca.share),
        "it must be above 0 and at most 1 (100 %)");
  if (pca.share == 0 && pca.components < 1)
    throw InvalidArgument(Option{"pca"} + " must be at least 1 component, not " +
                          number(pca.components));
}

namespace {

/// Eigenvalues and unit vectors (rows) of T of the varying features, each divided by its scale; in
/// ascending order. The vectors may be those of the largest values only, in the last rows.
struct Spectrum {
  Vector values;
  Matrix vectors;
  double all = 0;  ///< the trace
};

Spectrum spectrum_of(const CompleteRows& rows, const Vector& scale, Index wanted) {
  const auto n = static_cast<Index>(rows.varying.size());
  Spectrum result{Vector(n), Matrix(n, n)};
  for (Index i = 0; i < n; ++i) {
    const double* from = rows.total.scatter.row(rows.varying[i]).data();
    for (Index j = 0; j < n; ++j)
      result.vectors(i, j) = from[rows.varying[j]] / rows.total.weight / scale[i] / scale[j];
    result.all += result.vectors(i, i);
  }
  blas::largest_eigenvectors(n, result.vectors.data(), n, result.values.data(), wanted);
  return result;
}

/// The same of a factor A of T = Aᵀ A: A Aᵀ has the same eigenvalues but zeros, and with its unit
/// vectors v those of T are Aᵀ v / √λ.
Spectrum thin_spectrum_of(const CompleteRows& rows, const Vector& scale) {
  const Matrix& factor = rows.total.factor;
  const Index n = std::ssize(rows.varying), r = factor.rows();
  Matrix a(r, n), gram(r, r);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) = factor(i, rows.varying[j]) / scale[j] / std::sqrt(rows.total.weight);
  Spectrum result{Vector(r), Matrix(r, n)};
  blas::gemm_nt(r, r, n, 1, a.data(), n, a.data(), n, 0, gram.data(), r);
  for (Index i = 0; i < r; ++i) result.all += gram(i, i);
  blas::eigh(r, gram.data(), r, result.values.data());
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < r; ++j)
      gram(i, j) = result.values[i] > 0 ? gram(i, j) / std::sqrt(result.values[i]) : 0;
  blas::gemm(r, n, r, 1, gram.data(), r, a.data(), n, 0, result.vectors.data(), n);
  for (Index i = 0; i < r; ++i) blas::choose_sign(n, result.vectors.row(i).data());
  return result;
}

}  // namespace

LinearMap principal_components(const Statistics& statistics, Index block, const Pca& pca) {
  require_possible(pca);
  const CompleteRows rows(statistics, block);
  const auto n = static_cast<Index>(rows.varying.size());
  if (pca.share == 0) check_components(pca.components, rows.features(), rows.features());
  Vector scale(n);
  for (Index i = 0; i < n; ++i)
    scale[i] = pca.standardize ? std::sqrt(rows.squares[rows.varying[i]] / rows.total.weight) : 1;
  const Index wanted = pca.share > 0 ? n : std::min(pca.components, n);
  auto [values, vectors, all] =
      rows.total.scatter.empty() ? thin_spectrum_of(rows, scale) : spectrum_of(rows, scale, wanted);
  std::reverse(values.begin(), values.end());
  const double least = rounding_of_eigenvalues(n) * values[0];
  const Index rank =
      std::find_if(values.begin(), values.end(), [&](double value) { return !(value > least); }) -
      values.begin();
  for (double& value : values) value /= all;
  const Index k = pca.share > 0 ? components_for(pca.share, values, rank) : pca.components;
  check_components(k, rows.features(), rank);

  LinearMap map{Matrix(rows.features(), k), rows.mean(), Vector(k)};
  std::copy_n(values.begin(), k, map.explained.begin());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j)
      map.matrix(rows.varying[i], j) = vectors(vectors.rows() - 1 - j, i) / scale[i];
  return map;
}

namespace {

/// All directions in which rows vary are as good as the features, and fewer than rows.
LinearMap thin_discriminants(const Statistics& statistics, Index block, Index dimensions) {
  const Statistics alone = statistics_of_block(statistics, static_cast<std::size_t>(block));
  const LinearMap all = principal_components(alone, 0, {.share = 1, .standardize = true});
  const Statistics projected = with_scatter(
      project(alone, {.block = 0, .matrix = all.matrix, .offset = all.offset}), Scatter::dense);
  return compose(all, discriminant_components(projected, 0, dimensions));
}

}  // namespace

LinearMap discriminant_components(const Statistics& statistics, Index block, Index dimensions) {
  if (require_projectable(statistics, block).kind == Scatter::thin)
    return thin_discriminants(statistics, block, dimensions);
  const CompleteRows rows(statistics, block);
  std::vector<const JointMoments*> seen;
  for (const auto& of_class : rows.classes)
    if (of_class.complete.weight > 0) seen.push_back(&of_class.complete);
  const auto classes = static_cast<Index>(seen.size());
  if (dimensions < 1)
    throw InvalidArgument("lda needs 1 dimension or more, not " + number(dimensions));
  if (dimensions > classes - 1)
    throw InvalidArgument("the means of " + number(classes) +
                          (classes == 1 ? " class span " : " classes span ") + number(classes - 1) +
                          (classes == 2 ? " dimension" : " dimensions") + ", so lda has at most " +
                          number(classes - 1) + ", not " + number(dimensions));
  if (dimensions > rows.features())
    throw InvalidArgument(
        "lda makes at most as many dimensions as there are features or principal components, " +
        number(rows.features()) + " here, not " + number(dimensions));

  // In whitened features C is the identity and B/W is Zᵀ Z, with a row √(W_c/W) (m_c − m) P per
  // class. Its eigenvectors are Zᵀ u for the eigenvectors u of the small matrix Z Zᵀ.
  const Matrix p = WithinClasses(rows).whitener();
  const Index n = p.rows(), r = p.cols();
  Matrix apart(classes, n), z(classes, r), vectors(classes, classes);
  for (Index c = 0; c < classes; ++c)
    for (Index i = 0; i < n; ++i)
      apart(c, i) = std::sqrt(seen[c]->weight / rows.total.weight) *
                    rows.deviation(*seen[c], rows.varying[i]);
  blas::gemm(classes, r, n, 1, apart.data(), n, p.data(), r, 0, z.data(), r);
  blas::gemm_nt(classes, classes, r, 1, z.data(), r, z.data(), r, 0, vectors.data(), classes);
  Vector values(classes);
  blas::eigh(classes, vectors.data(), classes, values.data());
  const double least = rounding_of_eigenvalues(classes) * values[classes - 1];
  const Index rank = values.end() - std::find_if(values.begin(), values.end(),
                                                 [&](double value) { return value > least; });
  if (dimensions > rank)
    throw InvalidArgument("the means of the " + number(classes) + " classes differ in " +
                          number(rank) + (rank == 1 ? " direction" : " directions") +
                          " only, so lda has at most " + number(rank) + ", not " +
                          number(dimensions));

  LinearMap map{Matrix(rows.features(), dimensions), rows.mean(), Vector(dimensions)};
  Matrix q(r, dimensions), result(n, dimensions);
  for (Index k = 0; k < dimensions; ++k) {
    map.explained[k] = values[classes - 1 - k];
    const auto u = vectors.row(classes - 1 - k);
    for (Index c = 0; c < classes; ++c)
      for (Index i = 0; i < r; ++i) q(i, k) += z(c, i) * u[c];
  }
  orthonormalise(q);
  blas::gemm(n, dimensions, r, 1, p.data(), r, q.data(), dimensions, 0, result.data(), dimensions);
  for (Index i = 0; i < n; ++i)
    std::ranges::copy(std::as_const(result).row(i), map.matrix.row(rows.varying[i]).begin());
  return map;
}

LinearMap first_components(const LinearMap& map, Index k) {
  if (k < 1 || k > map.matrix.cols())
    throw InvalidArgument("a map with " + number(map.matrix.cols()) + " components has no first " +
                          number(k));
  LinearMap result{Matrix(map.matrix.rows(), k), map.offset, {}};
  for (Index i = 0; i < map.matrix.rows(); ++i)
    std::copy_n(map.matrix.row(i).begin(), k, result.matrix.row(i).begin());
  if (!map.explained.empty())
    result.explained = Vector(std::span(map.explained.data(), static_cast<std::size_t>(k)));
  return result;
}

LinearMap compose(const LinearMap& first, const LinearMap& second) {
  const Index d = first.matrix.rows(), between = first.matrix.cols(), k = second.matrix.cols();
  if (second.matrix.rows() != between)
    throw InvalidArgument("a map of " + number(second.matrix.rows()) +
                          " numbers cannot follow one that makes " + number(between));
  LinearMap result{Matrix(d, k), first.offset, second.explained};
  blas::gemm(d, k, between, 1, first.matrix.data(), between, second.matrix.data(), k, 0,
             result.matrix.data(), k);
  return result;
}

}  // namespace suffice
