#include "score/mixed_scores.hpp"

#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"

namespace suffice {

MixedScores::MixedScores(const Model& model) {
  const Mixture& mixture = *model.mixture();
  const Vector shares = mixture.shares();
  const Index classes = model.labels().size();
  const std::vector<std::vector<Index>> by_class = mixture.by_class(classes);
  for (Index c = 0; c < classes; ++c) {
    first_.push_back(std::ssize(order_));
    for (const Index g : by_class[at(c)]) {
      order_.push_back(g);
      log_share_.push_back(model.weights()[c] > 0 ? std::log(shares[g]) : -infinity);
    }
  }
  first_.push_back(std::ssize(order_));
}

void MixedScores::operator()(const double* components, double* classes) const noexcept {
  for (std::size_t c = 0; c + 1 < first_.size(); ++c) {
    const Index begin = first_[c], end = first_[c + 1];
    double most = -infinity;
    for (Index k = begin; k < end; ++k) {
      const double joint = components[order_[at(k)]] + log_share_[at(k)];
      if (joint > most) most = joint;
    }
    if (most == -infinity || end - begin == 1) {
      classes[c] = most;
      continue;
    }
    double sum = 0;
    for (Index k = begin; k < end; ++k)
      sum += std::exp(components[order_[at(k)]] + log_share_[at(k)] - most);
    classes[c] = most + std::log(sum);
  }
}

}  // namespace suffice
