#pragma once
// One kind of work of the benchmarks: rows that lie in memory, a model fitted to them, and their
// log-likelihoods.

#include <string>
#include <suffice/suffice.hpp>

namespace suffice::bench {

struct Work {
  std::string kind;  ///< naive, tied, full, bernoulli, categorical, multinomial
  Schema schema;
  RowBlock rows{0};
  Execution execution = {};

  static Family family_of(const std::string& kind) {
    const bool gaussian = kind == "naive" || kind == "tied" || kind == "full";
    return gaussian ? Family::gaussian : family_from_string(kind);
  }
  Covariance covariance() const {
    return kind == "naive"  ? Covariance::diag
           : kind == "tied" ? Covariance::tied
                            : Covariance::full;
  }

  /// One pass over the rows.
  Statistics sums() const {
    Statistics statistics(schema,
                          {.scatter = kind == "naive" ? Scatter::diagonal : Scatter::dense});
    statistics.update(rows, execution);
    return statistics;
  }
  /// The pass, and the parameters: plain maximum likelihood, as the peers have it.
  Model fit() const {
    return estimate(sums(), {.covariance = covariance(), .shrinkage = Shrinkage::none()},
                    execution);
  }
  /// The whole n × K matrix. For a linear model the term that all classes share is left out, as the
  /// peer's decision function does.
  LogLikelihoods score(const Model& model) const {
    return log_likelihood(model, rows, {.relative = kind == "tied"}, execution);
  }
};

}  // namespace suffice::bench
