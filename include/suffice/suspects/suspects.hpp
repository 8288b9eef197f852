#pragma once
// Which labels are probably wrong? Rows whose label is contradicted by the model of all other rows.
//
//   SuspectFinder finder(rows);
//   finder.read([&](const RowBlock& block, Index first, const std::vector<Suspicion>& found) { …
//   });
//
// The model is the best one of `fit` that has an exact leave-one-out form. Every row is scored
// without itself. Wrong labels spoil the model that is to find them, so the strongest suspects are
// subtracted from the sums, exactly, and all rows are judged again by the model of the others.
//
// A row is a suspect where some other class is more probable than its own, at least as probable as
// that class is on average for the rows that look like what their label says, and where the overlap
// of the densities does not explain the label: they give it a probability of 0.05 at most. What is
// needed for that beside the sums (calibrations, averages) is found on a sample of the rows.

#include <functional>
#include <memory>
#include <vector>

#include "suffice/fit/fit.hpp"
#include "suffice/fit/row_source.hpp"

namespace suffice {

struct SuspectOptions {
  /// What the model is chosen by. Rows that lack a number have no part in joint Gaussian densities:
  /// without a row, completed numbers are not what they were.
  FitOptions fit = {};
};

/// What a row's features say of its label.
struct Suspicion {
  Index label = -1;        ///< position of its class; −1: it has no label
  Index looks_like = -1;   ///< the most probable of the other classes
  double probability = 0;  ///< of that class, by the other rows, under the frequencies of classes
  /// The logarithm of the odds of that class over its own. −inf for the only row of a class, of
  /// which nothing is known.
  double score = 0;
  bool flagged = false;
};

class SuspectFinder {
 public:
  /// Reads the rows until it knows the model of those that are not suspect: once for the sums, once
  /// to find the strongest suspects. Keeps a view of `rows`. Throws InvalidArgument where there is
  /// one class only, or no model has an exact form, and what fit throws.
  explicit SuspectFinder(RowSource& rows, const SuspectOptions& options = {},
                         const Execution& execution = {});
  ~SuspectFinder();
  SuspectFinder(SuspectFinder&&) noexcept;

  /// Of the rows without the strongest suspects, calibrated.
  const Model& model() const noexcept;
  Index rows() const noexcept;  ///< that have a label
  Index unlabelled_rows() const noexcept;
  /// How many were subtracted before all rows were judged.
  Index subtracted() const noexcept;
  const std::vector<Remark>& remarks() const noexcept;
  const std::vector<FitNote>& notes() const noexcept;

  /// Judges all rows: reads them once more, in order. `first` is the number of the first one among
  /// all rows of the source, those without a label included.
  using Use =
      std::function<void(const RowBlock& rows, Index first, const std::vector<Suspicion>& found)>;
  void read(const Use& use, const Execution& execution = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A suspect and the number of its row.
struct Suspect {
  Index row = 0;
  Suspicion found = {};
};
/// Worst first: by their scores, and of equals the first row first.
bool is_worse(const Suspect& a, const Suspect& b);

}  // namespace suffice
