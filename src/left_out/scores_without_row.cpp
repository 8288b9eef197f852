#include "left_out/scores_without_row.hpp"
#include "suffice/models/parameter_count.hpp"

#include <algorithm>
#include <utility>

namespace suffice {

ScoresWithoutRow::ScoresWithoutRow(const Statistics& all, std::vector<EstimateOptions> candidates,
                                   const Execution& execution)
    : all_(all), candidates_(std::move(candidates)), leave_one_out_(candidates_.size()) {
  for (std::size_t j = 0; j < candidates_.size(); ++j) {
    notes_.push_back(notes_on([&] { leave_one_out_[j].emplace(all, candidates_[j], execution); }));
    if (leave_one_out_[j])
      notes_[j].parameters = parameter_count(leave_one_out_[j]->model()).total();
  }
}

void ScoresWithoutRow::sum_up_without_dominant(const Statistics& nothing, const RowBlock& rows,
                                               std::span<const std::int32_t> label,
                                               const double* weight, Index first_number,
                                               const Execution& execution) {
  std::vector<Index> found = dominant_rows(all_, rows, label, weight);
  if (found.empty()) return;
  dominant_ = score_dominant(std::move(found), nothing, rows, weight, candidates_, execution);
  for (Index& row : dominant_.rows) row += first_number;
  for (std::size_t j = 0; j < notes_.size(); ++j) notes_[j].add({.error = dominant_.errors[j]});
}

void ScoresWithoutRow::score(const RowsToScore& rows, const Use& use,
                             const Execution& execution) const {
  std::vector<double> taken = rows.weights;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (dominant_.has(rows.numbers[i])) taken[i] = 0;  // its scores are known already
  RowBlock labelled = rows.block;
  labelled.labels(Column(rows.truth.data(), rows.size(), Strings(all_.labels().list())))
      .weights(Column(taken));
  for (std::size_t j = 0; j < candidates_.size(); ++j)
    use(static_cast<Index>(j), [&] {
      BlockScores log_p = leave_one_out_[j]->block_scores(labelled, execution);
      for (Index i = 0; i < rows.size(); ++i)
        if (dominant_.has(rows.numbers[i]))
          for (std::size_t b = 0; b < log_p.values.size(); ++b)
            std::copy_n(dominant_.scores(j, b, rows.numbers[i]), all_.labels().size(),
                        log_p.values[b].row(i).begin());
      return log_p;
    });
}

Priors ScoresWithoutRow::frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const {
  add_frequencies_without(scores, all_.weights(), rows.truth, rows.weights);
  return Priors::uniform(all_.labels());
}

}  // namespace suffice
