#pragma once
// Evidence in words.

#include <string>

#include "cli/input/plan.hpp"
#include "suffice/evidence/evidence.hpp"

namespace suffice::cli {

/// Rows of a table whose columns, in the order of the schema, are where the plan says.
struct TableView {
  const Schema& schema;
  const Plan& plan;
  const Rows& rows;
};

/// "+4.1", "-0.41", "+120".
std::string with_sign(double value);
/// A cell as a person would write it; empty where the table has no such column, and for texts.
std::string cell_text(const TableView& table, Index row, Index column);
/// The columns of a row with the most weight: "bill_length_mm=39.2 (+4.1), island=Torgersen
/// (+2.3)". Row `row` of the evidence is that of the table.
std::string reasons(const Evidence& evidence, const TableView& table, Index row, Index count);

}  // namespace suffice::cli
