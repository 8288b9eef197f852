#pragma once
// What looks like a mistake in a table that can be learnt from all the same: identifiers, codes and
// dates as features, names that differ in a blank. The edges show these remarks in their own words.

#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

struct Remark {
  /// What would be better.
  enum class Remedy {
    none,         ///< the sentence says it
    leave_out,    ///< leave the columns out
    categorical,  ///< if the numbers are codes, make the columns categorical
    text,         ///< make the column text
  };
  std::string sentence;  ///< ends where the remedy follows
  Remedy remedy = Remedy::none;
  std::vector<std::string> columns = {};
  bool is_hint = false;  ///< may be meant as it is
};

/// Rows that remarks_on_first_rows looks at: the same for any chunks.
Index rows_for_remarks(const Schema& schema);

/// Columns of numbers that count the rows, or that look like codes: few different whole numbers
/// that repeat. These are the first rows of a table; those after rows_for_remarks do not count.
/// `chosen`, where given, says for each column whether its family was chosen by somebody: then its
/// numbers are what they are.
std::vector<Remark> remarks_on_first_rows(const Schema& schema, const RowBlock& rows,
                                          const std::vector<bool>& chosen = {});

/// What the sums show: columns of text that look like identifiers, dates or numbers, or have very
/// many levels; names that a person would take for one; too many classes.
std::vector<Remark> remarks_on(const Statistics& statistics);

}  // namespace suffice
