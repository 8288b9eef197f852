#pragma once
// Why this row? How much each column of the table adds to the ratio of two classes.
//
//   worth of a set S of columns     v(S) = log p(x_S | a) − log p(x_S | b), from exact marginals
//   evidence of a column            what it adds to the columns before it, averaged over all orders
//                                   in which columns may come (its Shapley value)
//
// So the evidence of all columns and the offset v(∅) add up to the ratio. A value that is missing
// has the evidence 0. Columns of different blocks are independent given the class, so that orders
// matter only within a block, unless a class is a mixture or is compared with all others. Up to a
// number of columns all sets are looked at; otherwise some orders, each with its reverse. Normal
// densities take no time for that per row: orders are averaged once.
//
// The ratio is that of the calibrated scores. A projection and a logistic regression have no
// marginals: a column that is not in S has its mean over the training rows there, and the offset
// has the ratio of the mean row.
//
//   const Evidence why = evidence(model, rows);             // the most probable class of each row
//   why.values(0, 3), why.offset[0], why.columns[3]  …      // against the runner-up

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

enum class EvidenceUnit {
  nats,
  bits,  ///< log₂: one bit doubles the odds
  db,    ///< decibels, 10 log₁₀: ten of them make the odds ten times as large
};
std::string_view to_string(EvidenceUnit unit);
/// Throws InvalidArgument, listing the units.
EvidenceUnit evidence_unit_from_string(std::string_view name);
/// How many of it are one nat.
double per_nat(EvidenceUnit unit);

struct EvidenceOptions {
  /// Of the other classes, where a class is compared with all of them, and of the most probable
  /// class. By default the training frequencies.
  std::optional<Priors> priors = {};
  Index exact = 12;  ///< all sets of columns are looked at where there are no more; at most 16
  Index pairs = 64;  ///< orders and their reverses that are averaged where there are more
  std::uint64_t seed = 0;        ///< of these orders
  bool standard_errors = false;  ///< of the averages over orders; much slower
};

/// Which classes are compared, row by row.
struct Contrast {
  static constexpr Index others = -1;  ///< all other classes, mixed by their priors

  std::vector<Index> of, against;  ///< positions of labels

  Index rows() const noexcept { return std::ssize(of); }
};

/// The same classes for all rows: `of` against another class, or against all others. Of two classes
/// the others are the other one. Throws InvalidArgument for a class that the model does not know or
/// that has no training rows, and for one against itself.
Contrast contrast_of(const Model& model, Index rows, std::string_view of,
                     const std::optional<std::string>& against = {});
/// The most probable class of each row against the second. `decided`: classes that were decided,
/// −1 for a row without a decision; empty: none. `scores` are what decisions are made of. Throws
/// InvalidArgument where fewer than two classes have training rows.
Contrast runner_up(const Model& model, const LogLikelihoods& scores, const Priors& priors,
                   const std::vector<Index>& decided = {});

/// In nats.
struct Evidence {
  Matrix values;  ///< n × columns of the table; ±inf where a value is impossible in one class
  Vector offset;  ///< n: what no column says
  Contrast contrast;
  std::vector<std::string> columns;
  Matrix standard_errors = {};  ///< n × columns, where they are wanted

  Index rows() const noexcept { return values.rows(); }
  /// The ratio that they add up to.
  double ratio(Index row) const noexcept;
  /// The columns with the most weight, that first: at most `count` of those that have any.
  std::vector<Index> most_telling(Index row, Index count) const;
};

/// Evidence of one block of rows after the other: what was averaged over orders serves the next
/// ones.
class EvidenceScorer {
 public:
  /// Keeps a view of the model. Throws InvalidArgument where priors are over other classes, and for
  /// impossible options.
  explicit EvidenceScorer(const Model& model, EvidenceOptions options = {});
  explicit EvidenceScorer(Model&& model, EvidenceOptions options = {}) = delete;
  ~EvidenceScorer();
  EvidenceScorer(EvidenceScorer&&) noexcept;

  const Priors& priors() const noexcept;

  /// Of rows that have been scored, so that their values are known to be possible. Throws
  /// InvalidArgument where sizes differ, or the priors rule all others out; Cancelled.
  Evidence operator()(const RowBlock& rows, Contrast contrast, const Execution& execution = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The most probable class of each row against the runner-up.
/// Throws as log_likelihood, runner_up and EvidenceScorer.
Evidence evidence(const Model& model, const RowBlock& rows, const EvidenceOptions& options = {},
                  const Execution& execution = {});
/// The same of one class against another, or against all others.
Evidence evidence(const Model& model, const RowBlock& rows, std::string_view of,
                  const std::optional<std::string>& against = {},
                  const EvidenceOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
