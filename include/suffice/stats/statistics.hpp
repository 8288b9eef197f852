#pragma once
// The sums over rows, per class, from which every model of the library is estimated. They can be
// updated, merged, subtracted and projected; nothing is ever recovered from parameters.
//
// A Gaussian class keeps weight W, mean m and scatter S = Σ w (x − m)(x − m)ᵀ. Two parts A and B
// merge by (Chan, Golub, LeVeque 1979)
//   δ = m_B − m_A,   m = m_A + δ W_B / W,   S = S_A + S_B + δδᵀ W_A W_B / W.
// The law: merging is as if all rows had been in one table, up to rounding.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"
#include "suffice/data/words.hpp"

namespace suffice {

/// What is kept of a Gaussian block's second moments.
enum class Scatter {
  dense,     ///< d × d per class: for every covariance structure
  diagonal,  ///< d per class: for diag, tied-diag, spherical and tied-spherical
  thin,      ///< a factor per class with at most as many rows as the class: the same as dense
  pooled,    ///< d × d for all classes together, and d per class: for all but full
};

/// Weight, mean and squares about the mean, feature by feature, over the values that are present.
/// The mean is `mean + mean_low`: the low-order word keeps what a double would round away.
struct Moments {
  Vector weight, mean, mean_low, squares;

  static constexpr auto fields() {
    return std::tuple{Field{"weight", &Moments::weight}.by(Axis::feature),
                      Field{"mean", &Moments::mean}.by(Axis::feature),
                      Field{"mean_low", &Moments::mean_low}.by(Axis::feature),
                      Field{"squares", &Moments::squares}.by(Axis::feature)};
  }
  friend bool operator==(const Moments&, const Moments&) = default;
};

/// Weight, mean and scatter of rows that are complete in their block.
struct JointMoments {
  double weight = 0;
  Vector mean, mean_low;
  Matrix scatter;  ///< Scatter::dense: S, symmetric, d × d; otherwise empty
  /// Scatter::thin: R with S = Rᵀ R, r × d. Merging stacks R_A, R_B and √(W_A W_B / W) δ, so n rows
  /// have r = n − 1; more than d of them are compressed to d. Otherwise empty.
  Matrix factor = {};
  /// Scatter::pooled: the diagonal of S; empty in a block that was projected, where it is unknown.
  Vector squares = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{"weight", &JointMoments::weight},
        Field{"mean", &JointMoments::mean}.by(Axis::feature),
        Field{"mean_low", &JointMoments::mean_low}.by(Axis::feature),
        Field{"scatter", &JointMoments::scatter}.by(Axis::feature, Axis::feature),
        Field{"factor", &JointMoments::factor, Presence::shown_if_any}.by(Axis::none,
                                                                          Axis::feature),
        Field{"squares", &JointMoments::squares, Presence::shown_if_any}.by(Axis::feature)};
  }
  friend bool operator==(const JointMoments&, const JointMoments&) = default;
};

struct GaussianStatistics {
  struct Class {
    /// The rows without a missing value; Scatter::diagonal: none.
    JointMoments complete;
    /// The values present in the other rows; empty where there are none. Scatter::diagonal: the
    /// values present in all rows.
    Moments present;

    static constexpr auto fields() {
      return std::tuple{Field{"complete", &Class::complete}, Field{"present", &Class::present}};
    }
    friend bool operator==(const Class&, const Class&) = default;
  };
  Scatter kind = Scatter::dense;
  std::vector<Class> classes;
  /// Scatter::pooled: Σ S_c, the scatter within classes, d × d. Merging adds δδᵀ W_A W_B / W of
  /// each class. Empty without complete rows, and for other kinds.
  Matrix pooled = {};

  /// Moments over all present values of a class, whatever was kept. Where the squares of a class
  /// are unknown (JointMoments), they are its share of the pooled ones.
  Moments moments(Index label) const;
  /// Whether the squares of each class are known.
  bool has_class_squares() const;

  static constexpr auto fields() {
    return std::tuple{Field{"scatter", &GaussianStatistics::kind},
                      Field{"classes", &GaussianStatistics::classes}.by(Axis::class_),
                      Field{"pooled", &GaussianStatistics::pooled, Presence::optional}.by(
                          Axis::feature, Axis::feature)};
  }
  friend bool operator==(const GaussianStatistics&, const GaussianStatistics&) = default;
};

/// Features of the families whose sums are a weight and Σ w x: Bernoulli, Poisson, multinomial.
struct CountStatistics {
  Matrix weight;  ///< K × d: weight of the rows in which the feature is present; empty: multinomial
  Matrix sum;     ///< K × d: Σ w x

  static constexpr auto fields() {
    return std::tuple{Field{"weight", &CountStatistics::weight, Presence::shown_if_any}.by(
                          Axis::class_, Axis::feature),
                      Field{"sum", &CountStatistics::sum}.by(Axis::class_, Axis::feature)};
  }
  friend bool operator==(const CountStatistics&, const CountStatistics&) = default;
};

struct CategoricalStatistics {
  std::vector<Names> levels;  ///< per feature
  std::vector<Matrix> count;  ///< per feature, K × levels: Σ w [x = level]

  static constexpr auto fields() {
    return std::tuple{
        Field{"levels", &CategoricalStatistics::levels, Presence::always, Layout::by_feature}.by(
            Axis::feature),
        Field{"count", &CategoricalStatistics::count, Presence::always, Layout::by_feature}.by(
            Axis::feature, Axis::class_)};
  }
  friend bool operator==(const CategoricalStatistics&, const CategoricalStatistics&) = default;
};

/// The words of text columns. Words are joined by name; a word that was counted never leaves.
struct TextStatistics {
  std::vector<Words> words;   ///< per feature
  std::vector<Matrix> count;  ///< per feature, K × words: Σ w x, how often the word was written
  std::vector<Matrix> rows;   ///< per feature, K × words: Σ w [x > 0], the documents that have it
  Matrix weight;              ///< K × features: weight of the rows that have a document
  /// Of hashed words (TextOptions::hash_bits), per feature: a word that each number stands for. It
  /// is the heaviest one where that has more than half of the weight. Empty: words are themselves.
  std::vector<std::vector<std::string>> heaviest = {};
  std::vector<Vector> lead = {};  ///< by how much it leads: + for itself, − for the others

  static constexpr auto fields() {
    return std::tuple{
        Field{"words", &TextStatistics::words, Presence::always, Layout::by_feature}.by(
            Axis::feature),
        Field{"count", &TextStatistics::count, Presence::always, Layout::by_feature}.by(
            Axis::feature, Axis::class_),
        Field{"rows", &TextStatistics::rows, Presence::always, Layout::by_feature}.by(Axis::feature,
                                                                                      Axis::class_),
        Field{"weight", &TextStatistics::weight}.by(Axis::class_, Axis::feature),
        Field{"heaviest", &TextStatistics::heaviest, Presence::optional, Layout::by_feature}.by(
            Axis::feature),
        Field{"lead", &TextStatistics::lead, Presence::optional, Layout::by_feature}.by(
            Axis::feature)};
  }
  friend bool operator==(const TextStatistics&, const TextStatistics&) = default;
};

using BlockStatistics =
    std::variant<GaussianStatistics, CountStatistics, CategoricalStatistics, TextStatistics>;

/// The sums that blocks of a family have, without classes.
BlockStatistics empty_statistics(Family family);

struct StatisticsOptions {
  Scatter scatter = Scatter::dense;
  /// Classes that are known to exist, seen or not. Those found in the data join them.
  std::vector<std::string> labels = {};
  double memory_limit = 0;  ///< as in UpdateOptions
};

/// Sums are added up in blocks of that many rows, whatever the calls: an update with more rows than
/// that cuts them into such blocks and adds one after the other. So updating with consecutive
/// multiples of it gives the same bits as one call. It depends on the features that are numbers,
/// and on whether some of them come as a sparse matrix.
Index rows_per_block(const Schema& schema, bool sparse);

struct UpdateOptions {
  /// Of features, in rows of positive weight; a missing label is refused in any case.
  Missing missing = Missing::allow;
  /// Rows that are summed up at a time, then merged; 0: rows_per_block. More take less time where
  /// there are many classes and features.
  Index block_rows = 0;
  /// Bytes that the scatters of a block may take before they are refused; 0: what this machine has
  /// free.
  double memory_limit = 0;
};

class Statistics {
 public:
  /// What a Statistics is made of; all of it can be read, and put together again (by the file
  /// reader, say).
  struct Parts {
    Schema schema;
    Names labels;
    Vector weights;          ///< per class, over all rows
    Vector squared_weights;  ///< per class, Σ w²
    std::vector<BlockStatistics> blocks;

    friend bool operator==(const Parts&, const Parts&) = default;
  };

  explicit Statistics(Schema schema, const StatisticsOptions& options = {});
  /// Throws InvalidArgument where the shapes do not fit together or a sum is impossible.
  explicit Statistics(Parts parts);

  /// Adds labelled rows. On any exception but std::bad_alloc the statistics are unchanged.
  /// Throws InvalidArgument (no labels, wrong number of features, too large a scatter), DataError
  /// (infinite values, negative weights, counts that are not whole, …), Cancelled.
  Statistics& update(const RowBlock& rows, const UpdateOptions& options,
                     const Execution& execution = {});
  Statistics& update(const RowBlock& rows, const Execution& execution = {}) {
    return update(rows, UpdateOptions{}, execution);
  }

  const Schema& schema() const noexcept { return parts_.schema; }
  /// The classes, in the order of all per-class arrays. A class never leaves.
  const Names& labels() const noexcept { return parts_.labels; }
  const Vector& weights() const noexcept { return parts_.weights; }
  const Vector& squared_weights() const noexcept { return parts_.squared_weights; }
  /// In the order of schema().blocks().
  const std::vector<BlockStatistics>& blocks() const noexcept { return parts_.blocks; }
  const Parts& parts() const noexcept { return parts_; }

  /// Per feature of the schema: the weight of rows in which it was missing, over all classes.
  Vector missing() const;

  /// Equal to the last bit.
  friend bool operator==(const Statistics& a, const Statistics& b) { return a.parts_ == b.parts_; }
  friend Statistics merge(Statistics a, const Statistics& b);

 private:
  Parts parts_;
};

/// As if the rows of both had been in one table. Labels and levels are joined by name. Thin and
/// dense scatters make a dense one, and either of them and a pooled one make a pooled one.
Statistics merge(Statistics a, const Statistics& b);

struct SubtractResult;
/// What remains of `all` when the rows of `part` are taken out: merge(part, rest) is `all`.
/// Labels and levels stay in the dictionary. Throws DataError where that is impossible: a class or
/// level that `all` lacks, a weight or count below zero, a scatter that is not positive
/// semidefinite beyond rounding.
SubtractResult subtract(const Statistics& all, const Statistics& part);

struct SubtractResult {
  Statistics rest;
  /// One sentence for each class and block that lost more than half of its digits.
  std::vector<std::string> warnings;
};

/// A linear map of one Gaussian block: z = (x − offset) · matrix.
struct Projection {
  Index block = 0;                      ///< position in schema().blocks()
  Matrix matrix;                        ///< d × k
  Vector offset;                        ///< d; empty: 0
  std::vector<std::string> names = {};  ///< of the k new features; empty: z0, z1, …
};

/// The statistics of the projected rows, without looking at a row. The block keeps its place; rows
/// that were incomplete in it lack all new features. Needs the whole scatter; a thin one becomes
/// dense where that is no larger. Of a pooled one the squares of each class are lost.
Statistics project(const Statistics& statistics, const Projection& projection,
                   const Execution& execution = {});

/// The sums of some features of the schema alone, in its order: as if there were no others, except
/// that the complete rows of a Gaussian block stay those that lacked none of its features. A thin
/// scatter becomes dense where that is no larger. Throws InvalidArgument as Schema::subset.
Statistics subset(const Statistics& statistics, std::span<const Index> features);

/// The same sums, of which that much is kept: thin as dense or the reverse, either as pooled, and
/// any as diagonal. Throws InvalidArgument where more is asked for than there is, or than there is
/// memory for (`memory_limit` as in UpdateOptions).
Statistics with_scatter(const Statistics& statistics, Scatter scatter, double memory_limit = 0);

/// Whether some Gaussian block has a thin scatter.
bool is_thin(const Statistics& statistics);

/// What is kept of the first Gaussian block; dense where there is none.
Scatter scatter_of(const Statistics& statistics);

/// What is best kept where `needed` is enough: a scatter for each class instead of a pooled one for
/// 100 features or fewer, which takes little room.
Scatter smaller_scatter(Scatter needed, const Schema& schema);

/// What is best kept of rows that may need the whole scatter: a thin factor where there are at
/// most as many rows as features, and more than 100 of these; otherwise `wanted`.
Scatter scatter_for_rows(Scatter wanted, const Schema& schema, Index rows);

}  // namespace suffice
