#include "suffice/inspect/usual_value.hpp"

#include <algorithm>
#include <variant>

#include "core/at.hpp"
#include "data/transform.hpp"

namespace suffice {
namespace {

/// Of indicators the mean is the share of their level; the reference has what is left.
struct Levels {
  std::string most_frequent;
  double share = 0, sum = 0;

  void add(const std::string& level, double mean) {
    sum += mean;
    if (mean > share) {
      share = mean;
      most_frequent = level;
    }
  }
};

class ValueOf {
 public:
  ValueOf(const Schema& schema, const Block& block, Index column, Index label)
      : schema_(schema), block_(block), column_(column), label_(label) {}

  UsualValue operator()(const GaussianDensity& density) const {
    if (!density.projection.empty()) return {};
    Levels levels;
    std::string reference;
    for (Index j = 0; j < std::ssize(block_.features); ++j) {
      const Index position = block_.features[at(j)];
      if (schema_.column(position) != column_) continue;
      const Feature& feature = schema_.feature(position);
      const double mean = density.mean(label_, j);
      if (!feature.indicator) return {.number = transformed_back(feature.transform, mean)};
      if (!feature.indicator->level) continue;  // of missing values
      reference = feature.indicator->reference;
      levels.add(*feature.indicator->level, mean);
    }
    if (reference.empty()) return {};
    levels.add(reference, 1 - levels.sum);
    return {.level = levels.most_frequent};
  }
  UsualValue operator()(const BernoulliDensity& density) const {
    return mean(density.probability, [](double p) { return p; });
  }
  UsualValue operator()(const PoissonDensity& density) const {
    return mean(density.rate, [](double rate) { return rate; });
  }
  UsualValue operator()(const ExponentialDensity& density) const {
    return mean(density.rate, [](double rate) { return 1 / rate; });
  }
  UsualValue operator()(const CategoricalDensity& density) const {
    for (Index j = 0; j < std::ssize(block_.features); ++j) {
      if (schema_.column(block_.features[at(j)]) != column_) continue;
      const auto row = density.probability[at(j)].row(label_);
      if (row.empty()) return {};
      return {.level = density.levels[at(j)][std::ranges::max_element(row) - row.begin()]};
    }
    return {};
  }
  UsualValue operator()(const MultinomialDensity&) const { return {}; }
  UsualValue operator()(const TextDensity&) const { return {}; }

 private:
  template <class Of>
  UsualValue mean(const Matrix& parameter, const Of& of) const {
    for (Index j = 0; j < std::ssize(block_.features); ++j)
      if (schema_.column(block_.features[at(j)]) == column_)
        return {.number = of(parameter(label_, j))};
    return {};
  }

  const Schema& schema_;
  const Block& block_;
  Index column_, label_;
};

}  // namespace

UsualValue usual_value(const Model& model, Index column, Index label) {
  if (model.mixture() || model.logistic()) return {};
  const Schema& schema = model.schema();
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const Block& block = schema.blocks()[b];
    if (std::ranges::none_of(block.features, [&](Index f) { return schema.column(f) == column; }))
      continue;
    return std::visit(ValueOf(schema, block, column, label), model.densities()[b]);
  }
  return {};
}

}  // namespace suffice
