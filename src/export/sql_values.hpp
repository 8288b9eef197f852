#pragma once
// The number in a cell as SQL: whether a column can have it, its transformation and what that adds
// to log p(x).

#include <string>

#include "export/formula.hpp"
#include "export/sql_dialect.hpp"

namespace suffice {

/// A condition that is true for numbers outside the domain; empty for levels.
std::string sql_outside(Domain domain, const std::string& x);
/// t(x); NULL outside the domain.
std::string sql_transformed(const SqlSyntax& syntax, const Transform& transform,
                            const std::string& x);
/// log |dt/dx| as an expression of t.
std::string sql_log_derivative(const SqlSyntax& syntax, const Transform& transform,
                               const std::string& t);

}  // namespace suffice
