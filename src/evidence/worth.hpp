#pragma once
// What a set of columns is worth: the ratio of two sides, each a mixture of classes, each of these
// a mixture of components.
//
//   log Σ_c π_c exp(score_c),   score_c = scale · log Σ_g share_g p(x_S | g) + offset_c

#include <vector>

#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

class Worth {
 public:
  /// The class `of` against the class `against`, or all others (Contrast::others).
  Worth(const Model& model, const Priors& priors, Index of, Index against);
  /// scale (log p(x_S | a) − log p(x_S | b)) of two components, or log p(x_S | a) alone (b = −1).
  Worth(double scale, Index a, Index b);

  /// The components whose scores it is made of.
  const std::vector<Index>& components() const noexcept { return components_; }
  /// Those of each side, as positions among them.
  const std::vector<Index>& side(bool of) const noexcept { return of ? of_.parts : against_.parts; }
  /// `scores` are in the order of components().
  double operator()(const double* scores) const;

 private:
  struct Class {
    double log_weight = 0, scale = 1, offset = 0;
    std::vector<Index> parts = {};  ///< positions among the components
    std::vector<double> log_share = {};
  };
  struct Side {
    std::vector<Class> classes = {};
    std::vector<Index> parts = {};  ///< of all classes
    double score(const double* scores) const;
  };
  void add(Side& side, const Model& model, Index c, double log_weight);

  std::vector<Index> components_;
  Side of_, against_;
};

}  // namespace suffice
