#pragma once
// Training, from rows to a model: one pass for the sums, the choice of the model and of changed
// columns, EM, mixtures, logistic regression, calibration.
//
//   RowsInMemory rows(schema, block);
//   const Fit found = fit(rows);
//   save(found.model, "model.suffice");
//
// Without options the model is chosen by how well it predicts rows that were left out, and
// calibrated (select/choose.hpp).

#include <optional>
#include <string>
#include <vector>

#include "suffice/fit/fit_options.hpp"
#include "suffice/fit/gather.hpp"
#include "suffice/fit/row_source.hpp"
#include "suffice/left_out/leave_one_out_shrinkage.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice {

/// Columns whose meaning was changed, since a model of the changed ones predicts better.
struct ColumnChanges {
  std::vector<std::string> changes = {};     ///< in words
  double log_loss_before = 0, log_loss = 0;  ///< of rows that were left out
  bool in_folds = false;                     ///< several rows at a time
};

/// A calibration of a model that was not chosen.
struct FoundCalibration {
  Index folds = 0;  ///< 0: one row at a time
  double log_loss_before = 0, log_loss = 0, frequency_log_loss = 0;
};

/// The threshold of shrink_means "auto".
struct FoundThreshold {
  double delta = 0;
  Index compared = 0, folds = 0;
  double error_rate = 0, log_loss = 0;
};

struct Fit {
  Model model;
  Statistics statistics;                 ///< of the changed columns, where they were
  double rows = 0, unlabelled_rows = 0;  ///< all that were read; of these, without a label
  std::optional<LeaveOneOutShrinkage::Choice> strength = {};  ///< of shrinkage "loo"
  std::optional<FoundThreshold> threshold = {};
  std::optional<Choice> choice = {};  ///< where the model was chosen
  std::optional<ColumnChanges> columns = {};
  std::optional<FoundCalibration> calibration = {};
  std::optional<MixtureFit> mixture = {};
  std::vector<Remark> remarks = {};  ///< on columns that were probably meant otherwise
  std::vector<FitNote> notes = {};   ///< what was done otherwise than asked for, and why
};

/// Throws InvalidArgument for options that are impossible or need what the source does not have,
/// DataError where there is nothing to learn, SingularError as estimate, Cancelled, and what the
/// source throws.
Fit fit(RowSource& rows, const FitOptions& options = {}, const Execution& execution = {});
/// Of sums alone.
Fit fit(Statistics statistics, const FitOptions& options = {}, const Execution& execution = {});
/// After the first pass: of gather_for with the same options, or of sums and a sample of the rows.
Fit fit(Gathered gathered, const FitOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
