#pragma once
// Scores of rows by models that have not seen them. How a model comes to be without a row differs
// (ScoresByFold, ScoresWithoutRow, ScoresByStrength, ScoresOfSample); what is made of the scores
// does not (Contest).

#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

/// Some rows that are scored together, all of one group.
struct LeftOutRows {
  Index group = 0;                ///< a fold; 0 where rows are left out one by one
  std::vector<Index> truth = {};  ///< positions of their classes; −1: a row that does not count
  std::vector<double> weights = {};  ///< that they are counted with

  Index size() const noexcept { return std::ssize(truth); }
};

/// With their features, and their numbers in the pass.
struct RowsToScore : LeftOutRows {
  RowBlock block{0};
  std::vector<Index> numbers = {};
};

/// What is known of a candidate beside its scores.
struct CandidateNotes {
  Sentence error = {};  ///< why it cannot be
  double parameters = 0, seconds = 0;

  void add(const CandidateNotes& more) {
    if (error.empty()) error = more.error;
    parameters = std::max(parameters, more.parameters);
    seconds += more.seconds;
  }
};

class HeldOut {
 public:
  virtual ~HeldOut() = default;

  /// `scores` makes log p(x_b | c) of the rows, up to a term that all classes of a row share, or
  /// throws why the candidate cannot be. It is for one call.
  using Use = std::function<void(Index candidate, const std::function<BlockScores()>& scores)>;
  /// Calls `use` for each candidate, several of them at a time. A row that has no score has NaN.
  virtual void score(const RowsToScore& rows, const Use& use, const Execution& execution) const = 0;

  /// The frequencies of the classes among the rows that the models have seen. Where they differ
  /// from row to row, they are added to the scores, and the result is uniform.
  virtual Priors frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const = 0;
};

/// log p(x | c) plus the log of the frequency of c among the other rows: a row of weight w leaves
/// its class w less. Where every class gives the row density 0, the frequencies alone.
void add_frequencies_without(LogLikelihoods& scores, const Vector& class_weights,
                             std::span<const Index> truth, std::span<const double> weights);

/// What can be wrong with a candidate: the message of what `work` throws, or nothing. Cancelled and
/// DataError pass through.
template <class Work>
Sentence error_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const InvalidArgument& error) {
    return error.message();
  } catch (const SingularError& error) {
    return error.message();
  }
}

/// The same, and how long it took.
template <class Work>
CandidateNotes notes_on(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  CandidateNotes notes{.error = error_of(work)};
  notes.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return notes;
}

}  // namespace suffice
