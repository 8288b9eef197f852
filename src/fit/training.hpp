#pragma once
// What the steps of `fit` share.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/fit/fit_options.hpp"
#include "suffice/fit/gather.hpp"
#include "suffice/fit/row_source.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/train/passes.hpp"

namespace suffice {

/// What `choose` is told by the options alone.
ChooseOptions choose_options(const FitOptions& options);
/// A warning that EM was stopped.
Sentence passes_ran_out(const PassOptions& passes);

struct Training {
  Gathered gathered;
  const FitOptions& options;
  const Execution execution;  ///< without progress
  bool fills = false;         ///< sums get what they lack (fit/fallbacks.hpp)
  /// By schema, what was put into sums: Filled::values.
  std::vector<std::pair<Schema, std::vector<double>>> put_in = {};

  const Statistics& statistics() const { return gathered.statistics; }
  /// The rows once more; null: there are sums only.
  RowSource* source() const { return gathered.source.get(); }
  void warn(Sentence sentence);
  void note(Sentence sentence);
  /// Threads and stop, and FitOptions::progress with these words.
  Execution showing(std::string_view what) const;

  /// Whether the rows can be read under another schema: from the source, or the sample has them
  /// all.
  bool can_read_again() const;
  /// The sums under another schema, with what they lack, where they get it.
  Statistics read_again(const Schema& schema);
  /// What `choose` is told.
  ChooseOptions choose_options() const;
  /// How rows are read again for EM. Nothing where they cannot be.
  MissingOptions missing() const;
  /// All rows for passes that are called `what`.
  RowPass pass(std::string what, bool unlabelled = false) const;
};

}  // namespace suffice
