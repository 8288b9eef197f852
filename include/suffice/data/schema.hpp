#pragma once
// What the columns mean: names, families, and the blocks of features that are independent of each
// other given the class. log p(x | class) is the sum over the blocks.

#include <compare>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/core/boxed.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/text_options.hpp"

namespace suffice {

/// The distribution of a feature given the class.
enum class Family {
  gaussian,     ///< numbers; jointly normal within their block
  bernoulli,    ///< 0 or 1
  categorical,  ///< one of a set of named levels
  poisson,      ///< counts: 0, 1, 2, …
  multinomial,  ///< counts of words of one document: a language model over the block's features
  exponential,  ///< waiting times: numbers from 0 on
  text,         ///< documents: a language model over the words of a column
};

/// All families, in the order of the enumeration.
std::span<const Family> families();
std::string_view to_string(Family family);
/// Throws InvalidArgument, listing the families.
Family family_from_string(std::string_view name);

/// What is done to a number before it is summed or scored. The density stays one of the number as
/// it was: the logarithm of the derivative is part of log p(x | class). (That of √x integrates to
/// the probability that a normal number is not negative, as roots are.)
struct Transform {
  enum class Kind {
    none,
    log,         ///< x > 0
    log1p,       ///< log(1 + x), x > −1
    sqrt,        ///< x ≥ 0; at 0, where the derivative is infinite, it is left out
    logit,       ///< log(x / (1 − x)), 0 < x < 1
    signed_log,  ///< sign(x) log(1 + |x| / scale)
  };
  Kind kind = Kind::none;
  double scale = 1;  ///< of the signed logarithm; 1 elsewhere

  static const Transform none, log, log1p, sqrt, logit;
  /// Throws InvalidArgument unless the scale is finite and above 0.
  static Transform signed_log(double scale = 1);

  friend auto operator<=>(const Transform&, const Transform&) = default;
};

inline constexpr Transform Transform::none{};
inline constexpr Transform Transform::log{Kind::log};
inline constexpr Transform Transform::log1p{Kind::log1p};
inline constexpr Transform Transform::sqrt{Kind::sqrt};
inline constexpr Transform Transform::logit{Kind::logit};

/// All kinds, in the order of the enumeration.
std::span<const Transform::Kind> transform_kinds();
std::string_view to_string(Transform::Kind kind);
/// "log", "signed-log:0.5"; the scale is left out where it is 1.
std::string to_string(const Transform& transform);
/// Throws InvalidArgument, listing the transformations.
Transform transform_from_string(std::string_view text);

/// 1 where a column of names has a level, and 0 elsewhere: a number that lies in a Gaussian block
/// beside others. A Bernoulli feature is one of whether a value of a column is there, of any family
/// but text; the column is then a feature beside it.
struct Indicator {
  std::string column;
  std::optional<std::string> level = {};  ///< unset: 1 where the value is missing
  /// The level that has no indicator: all indicators of the column are 0 there, and at levels that
  /// are not listed. Empty for a Bernoulli feature.
  std::string reference = {};

  friend bool operator==(const Indicator&, const Indicator&) = default;
};

/// One number or name of a row: a column, or an indicator of one.
struct Feature {
  std::string name;
  Family family = Family::gaussian;
  /// Categorical only: levels that are known to exist, seen or not. Levels found in the data join
  /// them.
  std::vector<std::string> levels = {};
  Transform transform = Transform::none;  ///< Gaussian only
  /// Gaussian: of a level; Bernoulli: of missing values. Unset: the column of its name.
  Boxed<Indicator> indicator = {};
  TextOptions text = {};  ///< text only: what its words are

  /// The column that it is read from.
  const std::string& column() const { return indicator ? indicator->column : name; }
  /// Whether it says if a value of its column is missing, and nothing of the value.
  bool is_of_missing() const { return family == Family::bernoulli && indicator; }

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Features of one family that are modelled together.
struct Block {
  Family family = Family::gaussian;
  std::vector<Index> features;  ///< positions in the schema

  friend bool operator==(const Block&, const Block&) = default;
};

/// Cannot change once made; copies share it.
class Schema {
 public:
  Schema() : contents_(std::make_shared<const Contents>()) {}
  /// One block for each family that occurs, in the order of first occurrence.
  /// Throws InvalidArgument on an empty or a repeated name, on a column that is read both as it is
  /// and by indicators of its levels, or on no features at all.
  explicit Schema(std::vector<Feature> features);
  /// Blocks as given: positions of features; each feature in exactly one block, one family per
  /// block.
  Schema(std::vector<Feature> features, std::vector<std::vector<Index>> blocks);

  /// `count` features x0, x1, … of one family.
  static Schema numbered(Index count, Family family = Family::gaussian);

  Index size() const noexcept { return static_cast<Index>(features().size()); }
  const std::vector<Feature>& features() const noexcept { return contents_->features; }
  const Feature& feature(Index i) const noexcept { return features()[static_cast<std::size_t>(i)]; }
  const std::vector<Block>& blocks() const noexcept { return contents_->blocks; }
  /// What rows have: the names of the columns that the features are read from, in the order in
  /// which they are first read. One for each feature, unless there are indicators.
  const std::vector<std::string>& columns() const;
  Index column_count() const noexcept {
    return contents_->reader.empty() ? size() : std::ssize(contents_->reader);
  }
  /// The position of a feature's column among them.
  Index column(Index feature) const noexcept {
    return contents_->column.empty() ? feature
                                     : contents_->column[static_cast<std::size_t>(feature)];
  }
  /// The first feature that is read from a column, other than that of its missing values.
  const Feature& reader(Index column) const noexcept {
    return feature(contents_->reader.empty() ? column
                                             : contents_->reader[static_cast<std::size_t>(column)]);
  }
  /// Whether a column is read by indicators of its levels.
  bool has_level_indicators(Index column) const noexcept {
    return reader(column).indicator && !reader(column).is_of_missing();
  }
  /// Whether a column has names: that of a categorical feature, or of indicators.
  bool has_names(Index column) const noexcept {
    return reader(column).family == Family::categorical || has_level_indicators(column);
  }
  /// Whether a column has strings: names, or documents.
  bool has_strings(Index column) const noexcept {
    return has_names(column) || reader(column).family == Family::text;
  }
  bool has_text() const noexcept;
  bool has_indicators() const noexcept { return !contents_->column.empty(); }
  bool has_level_indicators() const noexcept;
  bool has_missing_indicators() const noexcept;
  bool has_transforms() const noexcept { return contents_->has_transforms; }
  /// The names of the features of a block, in the block's order.
  std::vector<std::string> names(const Block& block) const;
  /// The name of the column with the labels; empty: unknown. It travels with
  /// statistics and models, so that a table can be evaluated without naming it again.
  const std::string& label() const noexcept { return label_; }
  Schema with_label(std::string label) const;
  /// Of these features alone, in the order in which they stand here; blocks that keep none of
  /// theirs are gone. Throws InvalidArgument for none, and for a position outside.
  Schema subset(std::span<const Index> features) const;

  /// Same names, families, transformations, indicators, words and blocks; declared levels and the
  /// label's column may differ. Throws InvalidArgument that names the first difference; `verb` says
  /// what was tried
  /// ("merge", "score").
  void require_compatible(const Schema& other, std::string_view verb) const;

  friend bool operator==(const Schema& a, const Schema& b) {
    return a.label_ == b.label_ && (a.contents_ == b.contents_ || *a.contents_ == *b.contents_);
  }

 private:
  struct Contents {
    std::vector<Feature> features = {};
    std::vector<Block> blocks = {};
    // These follow from the features. Without indicators feature i is read from column i, and the
    // lists are empty.
    bool has_transforms = false;
    std::vector<Index> column = {};  ///< per feature
    std::vector<Index> reader = {};  ///< per column
    /// Made when somebody asks for them: a million names take room.
    mutable std::once_flag once = {};
    mutable std::vector<std::string> columns = {};

    friend bool operator==(const Contents& a, const Contents& b) {
      return a.features == b.features && a.blocks == b.blocks;
    }
  };
  static std::shared_ptr<const Contents> contents(std::vector<Feature> features,
                                                  std::vector<Block> blocks);
  std::shared_ptr<const Contents> contents_;
  std::string label_;
};

/// Where the columns of `part` are among those of `whole`, which must have them all. Throws
/// InvalidArgument.
std::vector<Index> positions_of_columns(const Schema& whole, const Schema& part);

}  // namespace suffice
