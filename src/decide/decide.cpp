#include "suffice/decide/decide.hpp"

#include <vector>

#include "decide/for_rows.hpp"
#include "decide/row_decision.hpp"
#include "decide/same_labels.hpp"

namespace suffice {
namespace {

/// `costs` null: 1 for every mistake.
Decisions decide_rows(const LogLikelihoods& scores, const Priors& priors, const Costs* costs,
                      const DecideOptions& options, const Execution& execution) {
  const Index rows = scores.rows(), classes = scores.labels.size();
  const RowDecider decide(priors, costs, options, rows);
  Decisions result{std::vector<Index>(static_cast<std::size_t>(rows)),
                   std::vector<Status>(static_cast<std::size_t>(rows)), Vector(rows),
                   scores.labels};
  for_rows(rows, classes, execution, [&](Index first, Index last) {
    RowDecider::Scratch scratch(classes);
    for (Index i = first; i < last; ++i) {
      const RowDecision decision = decide(scores.values.row(i).data(), i, scratch);
      result.classes[i] = decision.decided;
      result.status[i] = decision.status;
      result.expected_cost[i] = decision.expected_cost;
    }
  });
  return result;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::reject:
      return "reject";
    case Status::outlier:
      return "outlier";
  }
  return "unknown";
}

Decisions decide(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                 const DecideOptions& options, const Execution& execution) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
  require_same_labels(scores.labels, "the scores", costs.labels(), "the costs");
  return decide_rows(scores, priors, &costs, options, execution);
}

Decisions decide(const LogLikelihoods& scores, const Priors& priors, const DecideOptions& options,
                 const Execution& execution) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
  return decide_rows(scores, priors, nullptr, options, execution);
}

}  // namespace suffice
