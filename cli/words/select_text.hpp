#pragma once
// A selection as people and as programs read it.

#include <string>
#include <utility>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/select/select.hpp"

namespace suffice::cli {

struct SelectSummary {
  const Selection& selection;
  const Model& model;  ///< the best one, estimated from all rows
  double rows = 0, unlabelled_rows = 0;
  std::string files, output;
  /// Per candidate, the columns of which several meanings were compared; empty: none.
  std::vector<std::vector<std::pair<std::string, std::string>>> columns = {};
};

/// The candidates, best first, and which one was chosen.
std::string select_text(const Context& context, const SelectSummary& summary);

/// The keys are those of the contract, "select --json".
Json select_json(const Context& context, const SelectSummary& summary);

}  // namespace suffice::cli
