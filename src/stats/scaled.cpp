#include "stats/scaled.hpp"

#include <cmath>
#include <utility>
#include <variant>
#include <vector>

namespace suffice {
namespace {

struct ScaleSums {
  double by;

  void operator()(Vector& values) const {
    for (double& value : values) value *= by;
  }
  void operator()(Matrix& values) const { values.map() *= by; }
  template <class Each>
  void operator()(std::vector<Each>& list) const {
    for (Each& each : list) (*this)(each);
  }

  void operator()(GaussianStatistics& sums) const {
    for (auto& [complete, present] : sums.classes) {
      complete.weight *= by;
      (*this)(complete.scatter);
      ScaleSums{std::sqrt(by)}(complete.factor);
      (*this)(complete.squares);
      (*this)(present.weight);
      (*this)(present.squares);
    }
    (*this)(sums.pooled);
  }
  void operator()(CountStatistics& sums) const {
    (*this)(sums.weight);
    (*this)(sums.sum);
  }
  void operator()(CategoricalStatistics& sums) const { (*this)(sums.count); }
  void operator()(TextStatistics& sums) const {
    (*this)(sums.count);
    (*this)(sums.rows);
    (*this)(sums.weight);
    (*this)(sums.lead);
  }
};

}  // namespace

Statistics scaled(const Statistics& statistics, double by) {
  Statistics::Parts parts = statistics.parts();
  ScaleSums{by}(parts.weights);
  ScaleSums{by * by}(parts.squared_weights);
  for (BlockStatistics& block : parts.blocks) std::visit(ScaleSums{by}, block);
  return Statistics(std::move(parts));
}

}  // namespace suffice
