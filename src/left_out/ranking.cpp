#include "left_out/ranking.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "suffice/core/error.hpp"

namespace suffice {

std::string_view to_string(Criterion criterion) {
  switch (criterion) {
    case Criterion::error:
      return "error";
    case Criterion::log_loss:
      return "log-loss";
    case Criterion::cost:
      return "cost";
  }
  return "unknown";
}

Criterion criterion_from_string(std::string_view name) {
  for (const Criterion criterion : {Criterion::error, Criterion::log_loss, Criterion::cost})
    if (name == to_string(criterion)) return criterion;
  throw InvalidArgument("there is no criterion '" + std::string(name) + "'",
                        "choose error, log-loss or cost");
}

namespace {

struct CriterionValue {
  double value, standard_error, tie;
};

CriterionValue criterion_value(const CandidateResult& candidate, Criterion criterion) {
  const Score& score = candidate.score;
  switch (criterion) {
    case Criterion::log_loss:
      return {score.log_loss, candidate.log_loss_se, score.error_rate};
    case Criterion::cost:
      return {score.cost, candidate.cost_se, score.log_loss};
    case Criterion::error:
      break;
  }
  return {score.error_rate, candidate.error_rate_se, score.log_loss};
}

}  // namespace

void rank(Selection& selection, Criterion criterion, bool one_standard_error) {
  const std::vector<CandidateResult>& candidates = selection.candidates;
  selection.ranking.resize(candidates.size());
  std::iota(selection.ranking.begin(), selection.ranking.end(), 0);
  std::ranges::stable_sort(selection.ranking, {}, [&](Index j) {
    const CriterionValue of = criterion_value(candidates[j], criterion);
    return std::tuple(!candidates[j].error.empty(), of.value, of.tie);
  });
  selection.best = selection.ranking.front();
  const CandidateResult& first = candidates[selection.best];
  if (!first.error.empty())
    throw InvalidArgument("no candidate could be estimated",
                          "the first: " + candidates.front().error);
  if (!one_standard_error) return;
  const CriterionValue best = criterion_value(first, criterion);
  for (const Index j : selection.ranking)
    if (candidates[j].error.empty() &&
        criterion_value(candidates[j], criterion).value <= best.value + best.standard_error &&
        candidates[j].parameters < candidates[selection.best].parameters)
      selection.best = j;
}

}  // namespace suffice
