#pragma once
// Names for the columns of a table that has none (--names).

#include <stop_token>
#include <string>
#include <vector>

#include "cli/readers/source.hpp"

namespace suffice::cli {

/// The lines of a file, each a name, without blanks around it; empty lines at the end do not count.
/// Throws FileError for an empty name, one that comes twice, and one that is not UTF-8.
std::vector<std::string> read_column_names(const std::string& path, const std::stop_token& stop);

/// Gives the columns x0, x1, … of the file `path` their names. A sparse table may have fewer
/// columns than there are names. Throws FileError where the columns have names of their own, or
/// where the numbers of both differ.
void name_columns(std::vector<SourceColumn>& columns, const std::vector<std::string>& names,
                  const std::string& path, bool sparse);

}  // namespace suffice::cli
