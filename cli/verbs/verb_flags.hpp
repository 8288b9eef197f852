#pragma once
// The flags that one verb has, or that few have; those of many verbs are in cli/line/flags.hpp.

#include "cli/line/flags.hpp"

namespace suffice::cli {

FlagGroup choice_flags();
FlagGroup fit_calibration_flag();
FlagGroup fit_category_flag();
FlagGroup priors_flags();
FlagGroup fit_missing_flags();
FlagGroup fit_restarts_flag();  ///< fit and select
FlagGroup fit_unlabelled_flags();
FlagGroup calibrate_flags();
FlagGroup fit_fold_flag();
FlagGroup fit_flags();
FlagGroup reservoir_flag();
FlagGroup drift_flags();
FlagGroup sql_flags();
FlagGroup predict_flags();
FlagGroup evidence_flags();
FlagGroup explain_flags();
FlagGroup set_flags();  ///< predict and evaluate
FlagGroup suspects_flags();
FlagGroup show_flags();
FlagGroup sample_flags();
FlagGroup export_flags();
FlagGroup report_flags();
FlagGroup plot_flags();

}  // namespace suffice::cli
