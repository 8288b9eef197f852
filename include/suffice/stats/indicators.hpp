#pragma once
// Categorical columns as numbers of the Gaussian block: each level but one becomes an indicator,
// which is 1 in the rows that have it and 0 elsewhere. Then categories and numbers share one
// covariance, as in linear discriminant analysis of one-hot encoded columns.
//
//   Statistics apart(schema);            // a first pass: the levels and how frequent they are
//   apart.update(rows);
//   Statistics within(indicators_of(apart).schema);
//   within.update(rows);                 // the same rows once more
//
// The density then treats indicators as normal numbers: log p(x) is not the probability of a
// category.

#include <string>
#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The levels of a column that are to be indicators.
struct ColumnLevels {
  std::string column;
  std::vector<std::string> levels = {};  ///< each gets an indicator, in this order
  std::string reference = {};            ///< one more level, which has none
  bool missing = false;                  ///< whether missing values get one
};

/// The same columns, of which those listed become indicators in the first Gaussian block, or in one
/// of their own where there is none. The indicator of level "male" of column "sex" is named
/// "sex=male", that of missing values "sex is missing"; a name that is taken gets stars. Throws
/// InvalidArgument for a column that is no categorical feature of the schema.
Schema with_indicators(const Schema& schema, const std::vector<ColumnLevels>& columns);

/// Columns of which some rows of positive weight have no value, in the order of the schema: those
/// of single numbers and categories, without a feature that says so.
std::vector<std::string> columns_with_missing_values(const Statistics& statistics);

/// The same features, and for each of these columns a Bernoulli feature that is 1 where the column
/// is missing ("age is missing"), in a block of their own: given the class, whether values are
/// missing is independent of the values that are there. Throws InvalidArgument for a column that is
/// none of the schema's.
Schema with_missing_indicators(const Schema& schema, const std::vector<std::string>& columns);

struct IndicatorOptions {
  Index levels = 400;  ///< at most, in all columns together
};

struct Indicators {
  Schema schema;  ///< that of the statistics, with indicators
  std::vector<ColumnLevels> columns = {};
  /// Categorical columns that stay as they are: they have too many levels for the limit (the ones
  /// with most levels first), or fewer than two.
  std::vector<std::string> too_many = {}, too_few = {};
};

/// Levels that occur in the statistics (weight above 0), without the most frequent one of each
/// column, which is the reference. Missing values are a level of their own.
Indicators indicators_of(const Statistics& statistics, const IndicatorOptions& options = {});

}  // namespace suffice
