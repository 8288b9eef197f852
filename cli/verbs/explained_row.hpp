#pragma once
// One row of a table and the evidence of its columns: what explain prints and plot draws.

#include <string>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"
#include "cli/verbs/decision.hpp"
#include "suffice/evidence/evidence.hpp"

namespace suffice::cli {

struct ExplainedRow {
  Rows rows;                ///< this row alone
  Evidence evidence;        ///< in the unit of --unit
  std::string label;        ///< that is decided; empty: none
  Vector posterior;         ///< under the priors of the command
  std::string of, against;  ///< the classes that are compared
  EvidenceUnit unit = EvidenceUnit::nats;

  /// The cell of a column as text; empty where it is missing, and for texts.
  std::string cell(const Model& model, const Plan& plan, Index column) const;
};

/// Row --row of the table, of which the plan has been made. Throws FileError where there are fewer.
ExplainedRow explained_row(const Context& context, const Model& model, const Decision& decision,
                           Table& table, const Plan& plan);

}  // namespace suffice::cli
