#pragma once
// What mistakes cost.

#include <string>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/decide/priors.hpp"

namespace suffice {

/// C(true, decided) ≥ or < 0; usually 0 on the diagonal.
class Costs {
 public:
  /// Every mistake costs 1.
  static Costs zero_one(const Names& labels);
  template <class T>
  requires requires(const T& x) { x.labels().size(); }
  static Costs zero_one(const T& of) { return zero_one(of.labels()); }
  /// true × decided, in the (sorted) order of the labels. Throws InvalidArgument on another shape
  /// or a cost that is not finite.
  Costs(Names labels, Matrix cost);
  struct Entry {
    std::string truth, decided;
    double cost;
  };
  /// Named pairs; what is not named costs 1 for a mistake and 0 for a right decision.
  Costs(Names labels, const std::vector<Entry>& entries);

  const Names& labels() const noexcept { return labels_; }
  double operator()(Index truth, Index decided) const noexcept { return cost_(truth, decided); }
  const Matrix& matrix() const noexcept { return cost_; }

 private:
  Names labels_;
  Matrix cost_;
};

/// Two classes: deciding with these priors and costs is deciding with this prior of the first class
/// and cost 1 for each mistake: π₁(C₁₂ − C₁₁) / (π₁(C₁₂ − C₁₁) + π₂(C₂₁ − C₂₂)).
/// Throws InvalidArgument for another number of classes, or where a mistake is cheaper than the
/// right decision.
double effective_prior(const Priors& priors, const Costs& costs);

}  // namespace suffice
