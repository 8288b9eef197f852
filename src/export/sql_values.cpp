#include "export/sql_values.hpp"

#include <cmath>

#include "export/sql_terms.hpp"

namespace suffice {

std::string sql_outside(Domain domain, const std::string& x) {
  const std::string largest = "1.7976931348623157e308";
  switch (domain) {
    case Domain::finite:
      return "abs(" + x + ") > " + largest;
    case Domain::positive:
      return "(" + x + " <= 0e0 OR " + x + " > " + largest + ")";
    case Domain::above_minus_one:
      return "(" + x + " <= -1e0 OR " + x + " > " + largest + ")";
    case Domain::not_negative:
      return "(" + x + " < 0e0 OR " + x + " > " + largest + ")";
    case Domain::unit_interval:
      return "(" + x + " <= 0e0 OR " + x + " >= 1e0)";
    case Domain::zero_or_one:
      return "(" + x + " <> 0e0 AND " + x + " <> 1e0)";
    case Domain::count:
      return "(" + x + " < 0e0 OR " + x + " > " + largest + " OR " + x + " <> floor(" + x + "))";
    case Domain::level:
      break;
  }
  return "";
}

std::string sql_transformed(const SqlSyntax& syntax, const Transform& transform,
                            const std::string& x) {
  switch (transform.kind) {
    case Transform::Kind::none:
      break;
    case Transform::Kind::log:
      return "CASE WHEN " + x + " > 0e0 THEN ln(" + x + ") END";
    case Transform::Kind::log1p:
      return "CASE WHEN " + x + " > -1e0 THEN " + sql_log1p(x) + " END";
    case Transform::Kind::sqrt:
      return "CASE WHEN " + x + " >= 0e0 THEN sqrt(" + x + ") END";
    case Transform::Kind::logit:
      return "CASE WHEN " + x + " > 0e0 AND " + x + " < 1e0 THEN ln(" + x + ") - " +
             sql_log1p("(-" + x + ")") + " END";
    case Transform::Kind::signed_log: {
      const std::string size = "(abs(" + x + ") / " + sql_number(syntax, transform.scale) + ")";
      return "CASE WHEN " + x + " < 0e0 THEN -" + sql_log1p(size) + " ELSE " + sql_log1p(size) +
             " END";
    }
  }
  return x;
}

std::string sql_log_derivative(const SqlSyntax& syntax, const Transform& transform,
                               const std::string& t) {
  switch (transform.kind) {
    case Transform::Kind::none:
      break;
    case Transform::Kind::log:
    case Transform::Kind::log1p:
      return "-" + t;
    case Transform::Kind::sqrt:
      return "CASE WHEN " + t + " > 0e0 THEN -ln(2e0 * " + t + ") ELSE 0e0 END";
    case Transform::Kind::logit:  // beyond 700 the logarithm is 0
      return "abs(" + t + ") + 2e0 * ln(1e0 + CASE WHEN abs(" + t + ") < 700e0 THEN exp(-abs(" + t +
             ")) ELSE 0e0 END)";
    case Transform::Kind::signed_log:
      return sql_number(syntax, -std::log(transform.scale)) + " - abs(" + t + ")";
  }
  return "0e0";
}

}  // namespace suffice
