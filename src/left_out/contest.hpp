#pragma once
// Candidates judged by rows that their models have not seen: errors, log-losses and costs, by group
// of rows, before and after a calibration of each candidate.
//
//   Contest contest({.labels = labels, .class_weights = weights, .candidates = candidates});
//   for (const RowsToScore& rows : all) contest.add(contest.judge(held_out, rows, execution));
//   contest.calibrate(held_out, execution);
//   const Selection selection = contest.finish(Criterion::log_loss);

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "left_out/held_out.hpp"
#include "left_out/score_sums.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

class Contest {
 public:
  struct Rules {
    Names labels = {};
    Vector class_weights = {};  ///< of all rows; these frequencies are divided out of calibrations
    std::vector<EstimateOptions> candidates = {};
    Index groups = 1;                   ///< 1: rows are left out one by one
    Index rows = 0;                     ///< that will be judged
    Index blocks = 1;                   ///< of scores
    std::optional<Priors> priors = {};  ///< none: frequencies among the rows that a model has seen
    std::optional<Costs> costs = {};    ///< none: every mistake costs 1
    bool calibrate = false;
    std::uint64_t seed = 0;  ///< draws the rows of a calibration where there are too many
  };
  explicit Contest(Rules rules);

  void decide_with(std::optional<Priors> priors, std::optional<Costs> costs);
  const std::optional<Priors>& priors() const noexcept { return rules_.priors; }
  const Costs& costs() const noexcept { return costs_; }

  /// What some rows say of all candidates. Parts are made by any threads, and added in the order of
  /// the rows.
  struct Part {
    LeftOutRows kept = {};                         ///< the rows whose scores are kept
    std::vector<std::vector<Matrix>> scores = {};  ///< of these, per candidate and block
    std::vector<ScoreSums> sums = {};              ///< per candidate, of all rows
    std::vector<CandidateNotes> notes = {};
  };
  Part judge(const HeldOut& held_out, const RowsToScore& rows, const Execution& execution) const;
  void add(Part part);
  /// Finds the calibrations by all rows that were kept (or 50 000 of them), and measures again.
  void calibrate(const HeldOut& held_out, const Execution& execution);
  /// All rows at once: judges and calibrates one candidate after the other, keeps the log-loss of
  /// each row instead of its scores.
  void judge_at_once(const HeldOut& held_out, const RowsToScore& rows, const Execution& execution);

  void note(Index candidate, const CandidateNotes& notes);
  const CandidateNotes& notes(Index candidate) const { return standings_[candidate].notes; }
  /// Whether no candidate could be estimated.
  bool has_failed() const;
  /// Before a calibration. Sums of rows that were judged elsewhere may be added.
  ScoreSums& sums(Index candidate, Index group = 0) { return standings_[candidate].before[group]; }
  const ScoreSums& sums(Index candidate, Index group = 0) const {
    return standings_[candidate].before[group];
  }
  /// Of judge_at_once, per row; NaN: the row was left out.
  const Vector& losses(Index candidate) const { return standings_[candidate].losses; }

  /// Throws InvalidArgument, with the first reason, where no candidate could be estimated.
  Selection finish(Criterion criterion, bool one_standard_error = false) const;

 private:
  struct Standing {
    CandidateNotes notes = {};
    std::vector<ScoreSums> before, after;  ///< per group
    std::optional<Calibration> calibration = {};
    Vector losses = {};
  };
  /// The scores of some rows by one candidate.
  struct Scored {
    const LeftOutRows* rows;
    std::vector<Matrix> blocks;
  };
  bool keeps(Index row) const;
  ScoreSums measured(const HeldOut& held_out, LogLikelihoods scores, const LeftOutRows& rows,
                     Vector* losses = nullptr) const;
  Calibration calibration(std::span<const Scored> scored) const;
  void settle(Standing& of, const HeldOut& held_out, std::vector<Scored> scored, Vector* losses,
              const Execution& execution) const;
  CandidateResult result(Index candidate) const;

  Rules rules_;
  Costs costs_;
  double kept_share_;  ///< of the rows
  std::vector<Standing> standings_;
  std::vector<Part> kept_;
};

}  // namespace suffice
