#pragma once
// The first pass over the rows: their sums, and a sample of them where something is to be compared.

#include <memory>
#include <optional>
#include <vector>

#include "suffice/fit/fit_options.hpp"
#include "suffice/fit/row_source.hpp"
#include "suffice/stats/remarks.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Something that was done otherwise than one may expect.
struct FitNote {
  enum class Kind {
    warning,  ///< it may be wrong
    note,     ///< worth knowing
    hint,     ///< worth knowing where all went well
  };
  Kind kind = Kind::warning;
  Sentence sentence;
};

/// What is known after the first pass.
struct Gathered {
  Statistics statistics;
  double rows = 0, unlabelled_rows = 0;
  std::optional<SampledRows> sample = {};   ///< where something is to be compared
  std::optional<Reservoir> reservoir = {};  ///< of GatherOptions::reservoir
  std::vector<Remark> remarks = {};
  std::vector<FitNote> notes = {};
  std::shared_ptr<RowSource> source = {};  ///< for further passes; null: there are sums only

  /// Whether the sample has all rows with a label.
  bool has_all_rows() const;
};

/// Sums for a file: whatever may be estimated from them later. `estimate` says which scatter is
/// kept, and the reservoir is kept beside the sums.
struct GatherOptions {
  EstimateOptions estimate = {};
  std::optional<ReservoirOptions> reservoir = {};
};
Gathered gather(RowSource& rows, const GatherOptions& options = {},
                const Execution& execution = {});

/// What `fit` needs with these options; `rows` must outlive it. Throws InvalidArgument where it
/// will need more than the source has, as Statistics::update, and what the source throws.
Gathered gather_for(RowSource& rows, const FitOptions& options, const Execution& execution = {});
/// The sums of the same rows once more, with other meanings of their columns.
Statistics gather_again(const Gathered& first, const Schema& schema, const FitOptions& options,
                        const Execution& execution = {});

/// The scatter that is kept for `fit` with these options. Without `rows` these are many.
Scatter scatter_to_fit(const Schema& schema, const FitOptions& options,
                       std::optional<Index> rows = {});

}  // namespace suffice
