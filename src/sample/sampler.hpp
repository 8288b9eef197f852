#pragma once
// Draws rows of a mixture of a model's classes. What all rows share (Cholesky factors, cumulative
// probabilities) is worked out once.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/random.hpp"
#include "models/feature_family.hpp"
#include "suffice/models/model.hpp"
#include "suffice/sample/sample.hpp"

namespace suffice {

/// One number ≥ 0 per class, summing to 1 (to 1e-9), 0 for classes of weight 0. Throws
/// InvalidArgument.
void require_mixture(const Model& model, std::span<const double> mixture);

/// Room for rows of the model, with its names.
Sample empty_sample(const Model& model, Index rows);

class Sampler {
 public:
  /// Requires a mixture that passes require_mixture, and that the model outlives this object.
  Sampler(const Model& model, std::span<const double> mixture);

  /// What drawing needs of memory; one a thread, used again and again.
  struct Scratch {
    std::vector<RowRandom> random;    ///< of each row
    std::vector<Index> label, order;  ///< of each row; rows of one class together
    Vector normal, product;
    std::vector<Index> document;
    /// The documents of the rows, feature by feature of the schema; empty: no text.
    std::vector<std::vector<std::string>> texts;
  };

  /// Rows first … first + count of a seed; a row comes from its own variates alone: the first picks
  /// the class, the blocks follow in order. `document_length` has one number per block (multinomial
  /// blocks look at theirs); `rows` is count × features of the schema. The classes are left in
  /// scratch.label.
  void draw(std::uint64_t seed, std::uint64_t first, Index count, const Index* document_length,
            double* rows, Scratch& scratch) const;

  /// The class of a row: what drawing it begins with.
  Index draw_class(RowRandom& random) const;
  /// The next word of a document of that class, which joins those that it has. Requires a
  /// multinomial block.
  Index draw_word(RowRandom& random, std::size_t block, Index label,
                  std::vector<Index>& document) const;

 private:
  struct Gaussian {
    const GaussianDensity* density;
    std::vector<Index> used;
    std::vector<Matrix> factor;  ///< per covariance: L with Σ = L Lᵀ over the used features
    Matrix deviation;  ///< the other structures: one row a covariance, one number a used feature
  };
  struct Features {  ///< independent ones, of one family
    const Matrix* value;
    const Matrix* shape;  ///< null: the family has none
    double (*draw)(const FeatureParameters&, RowRandom&);
  };
  struct Multinomial {
    Matrix cumulative;  ///< K × d
    /// K × d: where a search for u · total among the sums of a class begins, for u from j / d on.
    std::vector<std::int32_t> start;
    const Vector* concentration;  ///< K, or empty
    Index pick_word(double u, Index label) const;
    Index next_word(RowRandom& random, Index label, std::vector<Index>& document) const;
  };
  struct Categorical {
    std::vector<Matrix> cumulative;  ///< per feature, K × levels
  };
  struct Text {
    const TextDensity* density;
    std::vector<Matrix> cumulative;  ///< per feature, K × words
    std::string draw(RowRandom& random, std::size_t feature, Index label, Index length) const;
  };
  struct Prepare;
  using Part = std::variant<Gaussian, Features, Multinomial, Categorical, Text>;
  struct Draw;

  const Model* model_;
  std::vector<double> cumulative_;  ///< of the mixture
  std::vector<Part> parts_;         ///< in the order of the schema's blocks
};

}  // namespace suffice
