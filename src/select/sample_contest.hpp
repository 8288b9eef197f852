#pragma once
// Candidates judged on a sample of rows, each of which is scored without itself, and the choice
// among them.

#include <functional>
#include <optional>

#include "left_out/contest.hpp"
#include "select/proposals.hpp"
#include "suffice/select/choose.hpp"

namespace suffice {

class SampleContest {
 public:
  struct Input {
    const Statistics& statistics;
    const SampledRows& sample;
    Proposals proposals;
    bool calibrate = true;
    /// How missing numbers of Gaussian blocks are completed; null: dense structures use complete
    /// rows.
    const MissingOptions* missing = nullptr;
    /// As in ScoresOfSample.
    bool sample_alone = false;
    std::uint64_t seed = 0;
  };
  SampleContest(const Input& input, const Execution& execution);

  /// Where nothing could be compared, its options are those of the first proposal.
  const Choice& choice() const noexcept { return choice_; }
  /// The candidate with the least log-loss; null: there is none.
  const CandidateResult* best() const;
  /// Whether the best candidate here is better than that of another contest on the same rows, which
  /// may be of another schema.
  bool is_better_than(const SampleContest& other) const;

 private:
  void set_figures_of_frequencies(const Vector& class_weights);
  bool is_better(const Vector& losses, const Vector& first) const;

  Choice choice_;
  std::optional<Contest> contest_;
  Selection selection_;
  LeftOutRows rows_;
  Vector copies_;
};

/// The best candidate, unless the first one is a default, and within one standard error of it.
/// `is_better` compares positions among the candidates.
Choice choice_of(const Selection& selection, bool has_default,
                 const std::function<bool(Index other, Index first)>& is_better);

}  // namespace suffice
