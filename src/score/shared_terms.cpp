#include "score/shared_terms.hpp"

#include <algorithm>

#include "factor/factors.hpp"

namespace suffice {
namespace {

struct HasSharedTerms {
  bool operator()(const GaussianFactor& factor) const { return !factor.linear.empty(); }
  bool operator()(const CountFactor& factor) const { return factor.shared != nullptr; }
  bool operator()(const CategoricalFactor&) const { return false; }
  bool operator()(const TextFactor&) const { return false; }
};

}  // namespace

bool has_shared_terms(const Model& model) {
  if (model.logistic()) return false;
  if (model.mixture()) return has_shared_terms(model.components());
  if (model.schema().has_transforms()) return true;
  return std::ranges::any_of(model.factors().blocks, [](const auto& factor) {
    return std::visit(HasSharedTerms{}, factor);
  });
}

}  // namespace suffice
