#include "select/fold_sums.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/parallel.hpp"
#include "data/weights.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Sums of the other folds are put together for each fold anew up to this many folds.
constexpr Index few_folds = 16;

InvalidArgument rows_beside_sums() {
  return InvalidArgument("rows and sums of folds cannot be learned together",
                         "give all rows, or the sums of all folds");
}

}  // namespace

void require_few_folds(Index folds) {
  constexpr Index most = 10'000;
  if (folds > most)
    throw InvalidArgument("the number of folds is " + std::to_string(folds) +
                              ", and there are at most " + std::to_string(most) +
                              ", since each has sums of its own",
                          "leave out one row at a time instead");
}

FoldSums::FoldSums(const Schema& schema, Scatter scatter, Index folds, std::uint64_t seed)
    : folds_(Folds::dealt(std::max<Index>(folds, 1), seed)),
      sums_(schema, scatter),
      leaves_one_out_(folds == 0) {}

void FoldSums::require_first_pass() const {
  if (has_ended())
    throw InvalidArgument("the first pass has ended: rows cannot be learned any more");
}

EncodedNames FoldSums::labels_of(const RowBlock& block, const double* weight,
                                 const Execution& execution) const {
  if (block.labels().kind == Column::Kind::none)
    throw InvalidArgument("choosing a model needs labelled rows", "give the RowBlock its labels");
  Workers workers(execution, 1 + block.rows() / 65536);
  return encode_labels(block, 0, labels(), weight, workers);
}

void FoldSums::learn(const RowBlock& rows, const Column& names, const Execution& execution) {
  require_first_pass();
  if (summed_elsewhere_) throw rows_beside_sums();
  if (rows.rows() == 0) return;
  if (names.kind != Column::Kind::none && folds_.rows() == 0) folds_ = Folds::named();
  one_at_a_time_ = !folds_.has_names() && leaves_one_out_;
  Vector memory;
  const double* weight = read_weights(rows, memory);
  const EncodedNames labels = labels_of(rows, weight, execution);
  const std::vector<std::int32_t> fold =
      folds_.next(labels.names, labels.code.data(), rows.rows(), names, weight);
  require_few_folds(folds_.size());
  sums_.update(rows, labels.names, {labels.code.data(), fold.size()}, fold, weight, execution);
}

void FoldSums::learn(const std::string& fold, const Statistics& sums) {
  require_first_pass();
  if (folds_.rows() > 0) throw rows_beside_sums();
  if (!summed_elsewhere_) folds_ = Folds::named();
  summed_elsewhere_ = true;
  sums_.add(sums, folds_.add(fold));
  require_few_folds(folds_.size());
}

void FoldSums::learn_beside(const Statistics& sums, Scatter scatter) {
  require_first_pass();
  const bool some = scatter == Scatter::diagonal || (scatter == Scatter::pooled && !is_thin(sums));
  beside_ = some ? with_scatter(sums, scatter) : sums;
}

/// Folds have come in the order of their first rows.
void FoldSums::sort_folds() {
  const Names sorted(folds_.names());
  names_ = sorted.list();
  number_.resize(names_.size());
  for (const std::string& name : folds_.names()) {
    number_[at(*sorted.find(name))] = std::ssize(position_);
    position_.push_back(*sorted.find(name));
  }
}

void FoldSums::end() {
  if (has_ended()) return;
  rows_ = folds_.rows();
  if (summed_elsewhere_ ? labels().empty() : rows_ == 0)
    throw InvalidArgument("there are no rows to choose a model by");
  if (labels().size() < 2)
    throw InvalidArgument("all rows are of class '" + labels()[0] + "'",
                          "there is nothing to choose by before there are two classes");
  if (folds_.has_names() && folds_.size() < 2)
    throw InvalidArgument("the column of folds has one name only, '" + folds_.names()[0] + "'",
                          "the rows that are scored must not be those that were learned, so at "
                          "least two folds are needed");
  const Index most = folds_.rows_of_largest_class();
  if (!folds_.has_names() && !one_at_a_time_ && most < folds_.size())
    throw InvalidArgument(
        "there are " + std::to_string(folds_.size()) + " folds, but the largest class has " +
            std::to_string(most) + (most == 1 ? " row" : " rows") + ", so a fold could be empty",
        "use " + (most < 2
                      ? "more rows"
                      : std::to_string(most) + " folds or fewer, or leave out one row at a time"));
  Statistics all = beside_ ? merge(*beside_, sums_.all()) : sums_.all();
  if (all.labels() != labels())
    throw InvalidArgument("the sums beside the rows have classes that the rows have not",
                          "both must have the same classes");
  sort_folds();
  folds_.rewind();
  all_ = std::move(all);
}

FoldSums::Places FoldSums::next(const RowBlock& block, const Column& names, const double* weight,
                                const Execution& execution) {
  Places places{labels_of(block, weight, execution), {}};
  if (places.labels.names != labels())
    throw InvalidArgument("the second pass has classes that the first had not",
                          "both must be over the same rows");
  for (const std::int32_t fold :
       folds_.next(labels(), places.labels.code.data(), block.rows(), names, weight))
    places.fold.push_back(fold < 0 ? -1 : position_[at(fold)]);
  return places;
}

void FoldSums::require_same_rows(double scored) const {
  const double learned = all_->weights().map().sum();
  if (summed_elsewhere_ && std::abs(scored - learned) > 1e-9 * learned)
    throw InvalidArgument("the first pass had rows of weight " + name_of(learned) +
                              " and the second of weight " + name_of(scored),
                          "both must be over the same rows");
  if (!summed_elsewhere_ && folds_.rows() != rows_)
    throw InvalidArgument("the first pass had " + std::to_string(rows_) + " rows and the second " +
                              std::to_string(folds_.rows()),
                          "both must be over the same rows");
}

void FoldSums::for_each_without(std::span<const Index> folds,
                                const std::function<void(Index, const Statistics&)>& use,
                                const Execution& execution) const {
  const auto use_all = [&](Index fold, const Statistics& others) {
    use(fold, beside_ ? merge(*beside_, others) : others);
  };
  if (std::ssize(names_) <= few_folds) {
    for (const Index fold : folds) use_all(fold, sums_.without(number_[at(fold)], execution));
    return;
  }
  std::vector<Index> numbers;
  for (const Index fold : folds) numbers.push_back(number_[at(fold)]);
  sums_.for_each_without(
      numbers,
      [&](Index number, const Statistics& others) { use_all(position_[at(number)], others); },
      execution);
}

RowPass FoldSums::rows_outside(Index fold, const Selector::RowsOfFolds& rows) const {
  return [this, fold, &rows](const std::function<void(const RowBlock&)>& use) {
    Folds folds = folds_;
    folds.rewind();
    rows([&](const RowBlock& block, const Column& names) {
      Vector memory;
      const double* weight = read_weights(block, memory);
      const EncodedNames classes = labels_of(block, weight, {.threads = 1});
      const std::vector<std::int32_t> of =
          folds.next(classes.names, classes.code.data(), block.rows(), names, weight);
      Vector weights(block.rows());
      for (Index i = 0; i < block.rows(); ++i)
        if (of[at(i)] >= 0 && position_[at(of[at(i)])] != fold) weights[i] = weight ? weight[i] : 1;
      RowBlock left = block;
      left.weights(Column(weights));
      use(left);
    });
  };
}

std::vector<std::string> FoldSums::notes() const {
  std::vector<std::string> notes;
  for (Index c = 0; c < labels().size(); ++c) {
    if (one_at_a_time_) {
      // One row (of whatever weight): W² = Σ w².
      const double weight = all_->weights()[c];
      if (all_->squared_weights()[c] >= weight * weight * (1 - 1e-12))
        notes.push_back("class '" + labels()[c] +
                        "' has one row: without it nothing is known of the class, so it is an "
                        "error and its log-loss is infinite");
      continue;
    }
    const std::vector<Index> in = sums_.parts_of(c);
    if (in.size() == 1)
      notes.push_back("class '" + labels()[c] + "' has rows in fold '" +
                      names_[at(position_[at(in[0])])] +
                      "' only: the models that score them do not know it, so they are errors and "
                      "their log-loss is infinite");
  }
  return notes;
}

}  // namespace suffice
