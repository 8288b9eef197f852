#pragma once
// predict --output evidence and --reasons: what each column of the table adds to a ratio.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/verb.hpp"
#include "cli/output/cell_sink.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/scoring.hpp"
#include "suffice/evidence/evidence.hpp"

namespace suffice::cli {

class EvidenceColumns {
 public:
  /// Throws InvalidArgument for classes that the model does not have.
  EvidenceColumns(const Context& context, const Model& model, const Decision& decision,
                  const Plan& plan);

  bool is_wanted() const { return scorer_ != nullptr; }
  /// Whether the scores of rows are needed, to tell which classes are compared.
  bool needs_scores() const { return is_wanted() && of_.empty(); }
  /// How many numbers it makes of a row.
  Index numbers() const;

  void add_columns(std::vector<RowColumn>& columns) const;
  void read(const ScoredRows& scored);
  /// Of row i of the rows that were read last.
  void add_cells(CellSink& cells, const ScoredRows& scored, Index i) const;

 private:
  const Context& context_;
  const Model& model_;
  const Plan& plan_;
  bool values_, texts_;
  double factor_ = 1;  // the unit
  int digits_;
  std::string of_;
  std::optional<std::string> against_;
  std::unique_ptr<EvidenceScorer> scorer_;
  Evidence evidence_;
};

/// The class and the one that it is compared with: none where it is compared with all others, and
/// no class at all where each row has its own.
std::pair<std::string, std::optional<std::string>> classes_of(const EvidenceChoice& choice,
                                                              const Names& labels);
/// Says that a calibration has a part that evidence has not.
void note_isotonic(const Model& model, Terminal& terminal);
/// Throws UsageError for impossible --between and --for.
void check_classes_compared(const Command& command);
/// Throws UsageError where flags for evidence contradict each other, or have nothing to act on.
void check_evidence(const Command& command);

}  // namespace suffice::cli
