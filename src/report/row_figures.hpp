#pragma once
// Decisions, losses and log-likelihood ratios of rows whose class is known, many rows at a time.

#include <cstdint>
#include <span>

#include "decide/row_decision.hpp"
#include "report/losses.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

struct RowAnswer {
  Index decided = -1;
  Status status = Status::ok;
  double rejection = 0;  ///< its cost
  Losses losses = {};
};

/// Shared by workers. Refers to its arguments.
class RowFigures {
 public:
  /// Rows that are worked out together.
  static const Index most_rows;

  /// Decisions are those where one mistake costs as much as another and no row is rejected.
  RowFigures(const Priors& priors, const Vector& log_others, Index curves);

  /// Room for most_rows rows.
  struct Scratch {
    Scratch(Index classes, Index curves);
    Vector scores, masses;  ///< classes × most_rows
    Vector ratios;          ///< curves × most_rows, of the last call
  };
  /// n rows of scores, n × K; truth[i] is the class of row i. −1 is allowed: such rows have no
  /// losses. Leaves the ratios in `scratch`.
  void operator()(const double* scores, std::span<const Index> truth, RowAnswer* answers,
                  Scratch& scratch) const;

 private:
  /// A row whose scores are not all ordinary numbers.
  void one_by_one(const double* score, Index truth, Index row, RowAnswer& answer,
                  Scratch& scratch) const;

  const Priors& priors_;
  const Vector& log_others_;
  Index classes_, curves_;
};

}  // namespace suffice
