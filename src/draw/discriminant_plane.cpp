#include "draw/discriminant_plane.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "algebra/blas.hpp"
#include "draw/view.hpp"

namespace suffice::draw {
namespace {

std::vector<Index> varying(const GaussianDensity& density) {
  std::vector<Index> result;
  for (Index j = 0; j < density.mean.cols(); ++j)
    if (!std::ranges::binary_search(density.constant, j)) result.push_back(j);
  return result;
}

/// A class's share of the rows, its mean and covariance, over the features that vary.
struct ClassMoments {
  double weight;
  Vector mean;
  Matrix covariance;
};

std::vector<ClassMoments> moments_of(const Model& model, const GaussianDensity& density,
                                     const std::vector<Index>& used) {
  std::vector<ClassMoments> result;
  double all = 0;
  for (const double weight : model.weights()) all += weight;
  const auto n = std::ssize(used);
  const Index classes = model.labels().size();
  // The rows of the density that a class has, and their shares.
  const std::vector<Index> one(static_cast<std::size_t>(classes), 1);
  Mixture mixture = model.mixture() ? *model.mixture() : mixture_of(model.labels(), one);
  if (!model.mixture()) mixture.weights = model.weights();
  const Vector shares = mixture.shares();
  const auto by_class = mixture.by_class(classes);
  for (Index c = 0; c < classes; ++c) {
    if (!(model.weights()[c] > 0)) continue;
    ClassMoments of{model.weights()[c] / all, Vector(n), Matrix(n, n)};
    for (const Index g : by_class[static_cast<std::size_t>(c)])
      for (Index i = 0; i < n; ++i) of.mean[i] += shares[g] * density.mean(g, used[i]);
    for (const Index g : by_class[static_cast<std::size_t>(c)]) {
      const Matrix whole = covariance_of(density, g);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          of.covariance(i, j) +=
              shares[g] * (whole(used[i], used[j]) + (density.mean(g, used[i]) - of.mean[i]) *
                                                         (density.mean(g, used[j]) - of.mean[j]));
    }
    result.push_back(std::move(of));
  }
  return result;
}

/// Square matrices of the same size: A · B, and Aᵀ · B.
Matrix product(const Matrix& a, const Matrix& b) {
  const Index n = a.rows();
  Matrix result(n, n);
  blas::gemm(n, n, n, 1, a.data(), n, b.data(), n, 0, result.data(), n);
  return result;
}
Matrix transposed_product(const Matrix& a, const Matrix& b) {
  const Index n = a.rows();
  Matrix result(n, n);
  blas::gemm_tn(n, n, n, 1, a.data(), n, b.data(), n, 0, result.data(), n);
  return result;
}

/// W with Wᵀ S W = I in the directions in which S is not 0, found on the correlation scale.
Matrix whitener_of(const Matrix& covariance, const Vector& deviation) {
  const Index n = covariance.rows();
  Matrix vectors(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) vectors(i, j) = covariance(i, j) / (deviation[i] * deviation[j]);
  Vector values(n);
  blas::eigh(n, vectors.data(), n, values.data());
  const double least = 1e-10 * values[n - 1];
  Matrix result(n, n);
  for (Index k = 0; k < n; ++k)
    if (values[k] > least)
      for (Index i = 0; i < n; ++i)
        result(i, k) = vectors(k, i) / (deviation[i] * std::sqrt(values[k]));
  return result;
}

/// In whitened coordinates: how the classes differ from the pool, by means and a little by
/// covariances.
Matrix differences(const std::vector<ClassMoments>& classes, const Vector& center,
                   const Matrix& whitener) {
  const Index n = center.size();
  Matrix result(n, n);
  for (const ClassMoments& of : classes) {
    Vector mean(n);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < n; ++k) mean[k] += whitener(i, k) * (of.mean[i] - center[i]);
    Matrix rest = product(transposed_product(whitener, of.covariance), whitener);
    for (Index k = 0; k < n; ++k) rest(k, k) -= 1;
    const Matrix squared = product(rest, rest);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < n; ++k)
        result(i, k) += of.weight * (mean[i] * mean[k] + 0.01 * squared(i, k));
  }
  return result;
}

}  // namespace

LinearMap discriminant_plane(const Model& model, const GaussianDensity& density) {
  const std::vector<Index> used = varying(density);
  const std::vector<ClassMoments> classes = moments_of(model, density, used);
  const auto n = std::ssize(used);
  Vector center(n), deviation(n);
  Matrix within(n, n);
  for (const ClassMoments& of : classes)
    for (Index i = 0; i < n; ++i) {
      center[i] += of.weight * of.mean[i];
      for (Index j = 0; j < n; ++j) within(i, j) += of.weight * of.covariance(i, j);
    }
  for (Index i = 0; i < n; ++i) deviation[i] = within(i, i) > 0 ? std::sqrt(within(i, i)) : 1;
  const Matrix whitener = whitener_of(within, deviation);
  Matrix vectors = differences(classes, center, whitener);
  Vector values(n);
  blas::eigh(n, vectors.data(), n, values.data());

  LinearMap map{Matrix(density.mean.cols(), 2), Vector(density.mean.cols())};
  for (Index i = 0; i < n; ++i) map.offset[used[i]] = center[i];
  for (Index k = 0; k < 2; ++k) {
    double largest = 0;  // the sign is a choice: the entry that counts most is positive
    std::vector<double> direction(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) direction[i] += whitener(i, j) * vectors(n - 1 - k, j);
      if (std::abs(direction[i] * deviation[i]) > std::abs(largest))
        largest = direction[i] * deviation[i];
    }
    for (Index i = 0; i < n; ++i)
      map.matrix(used[i], k) = largest < 0 ? -direction[i] : direction[i];
  }
  return map;
}

}  // namespace suffice::draw
