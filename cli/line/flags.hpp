#pragma once
// The flags that several verbs share, by what they are about. Those of one verb stand beside its
// row in cli/verbs/verbs.cpp, those of the model in model_flags.hpp.

#include "cli/line/verb.hpp"

namespace suffice::cli {

FlagGroup labels_file_flag();        ///< --labels
FlagGroup table_flags();             ///< how tables are read
FlagGroup training_column_flags();   ///< the label, the features, their families
FlagGroup text_flags();              ///< what the words of text columns are
FlagGroup selection_column_flags();  ///< the same, with lists of families and transformations
FlagGroup no_label_flag();           ///< --no-label
FlagGroup known_label_flag();        ///< --label where a model already names the column
FlagGroup weight_flag();
FlagGroup prior_flag();
FlagGroup cost_flag();
FlagGroup rejection_flags();                  ///< --reject, --outlier
FlagGroup output_flag(const Output& output);  ///< -o
FlagGroup verbose_flag(const char* description);
FlagGroup common_flags();  ///< of every verb

}  // namespace suffice::cli
