#pragma once
// The answer of a query for sums (suffice/database/sums_query.hpp) as Statistics. The answer has a
// row for each sum and describes itself, so that nothing else is needed to read it:
//
//   class  part  kind  i  j  name  value
//
// Classes and names stand in single quotes, so that any text survives a CSV file. Rows may come in
// any order; docs/scale.md lists the kinds.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The columns of an answer, in order.
inline constexpr std::string_view sums_answer_columns[] = {"class", "part", "kind", "i",
                                                           "j",     "name", "value"};

class SumsAnswer {
 public:
  /// A row; what is NULL is −1, unset or NaN.
  struct Row {
    std::optional<std::string_view> label = {};  ///< the column `class`
    Index part = -1;
    std::string_view kind = {};
    Index i = -1, j = -1;
    std::optional<std::string_view> name = {};
    double value = 0;
  };

  /// Throws DataError for a row that no query gives, or that came before.
  void add(const Row& row);

  /// Throws DataError where rows of the answer are missing, where the table has values that a
  /// family cannot have, and where it has no rows with a label.
  Statistics statistics() const;

  /// Rows of the table that have no label, and so are not in the statistics.
  double unlabelled_rows() const noexcept { return unlabelled_; }

 private:
  using Sums = std::unordered_map<std::uint64_t, double>;  ///< by kind, i and j

  struct Description {
    std::optional<double> version = {}, groups = {}, rows = {};
    std::optional<std::string> scatter = {}, label = {}, label_type = {};
    struct Column {
      std::string name = {}, family = {}, type = {};
      std::string transform = "none";
      Index block = 0;
      double place = 0;  ///< in the block
      std::vector<std::string> levels = {};
    };
    std::map<Index, Column> columns = {};
  };
  Schema schema() const;
  Scatter scatter() const;
  void require_whole() const;
  void require_possible(const Schema& schema) const;
  /// The library's names of a class and a level; nothing for NaN.
  std::optional<std::string> class_of(const std::string& written) const;
  std::optional<std::string> level_of(Index feature, const std::string& written) const;
  BlockStatistics begun(const Schema& schema, const Block& block, Index classes) const;
  void add_groups(Statistics::Parts& parts) const;
  void add_levels(const Schema& schema, const Names& labels, Index feature, const Names& names,
                  Matrix& count) const;

  Description description_;
  Index described_ = 0;                                   ///< rows of the description
  std::map<std::pair<std::string, Index>, Sums> groups_;  ///< by class and part
  std::map<std::pair<std::string, Index>, std::map<std::string, double>>  ///< by class and feature
      levels_;
  double unlabelled_ = 0;
};

}  // namespace suffice
