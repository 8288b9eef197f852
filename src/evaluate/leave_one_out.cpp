#include "evaluate/leave_one_out.hpp"

#include <algorithm>
#include <string>

#include "data/family.hpp"
#include "data/name_reader.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "models/structure.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Up to here a row may have factorisations of its own.
constexpr std::size_t most_refitted_features = 100;

std::string offer_folds(const std::string& why) {
  return why + ", so leave-one-out has no cheap exact form. Choose a number of folds";
}

}  // namespace

std::optional<std::string> no_leave_one_out(const Schema& schema, const EstimateOptions& given) {
  using Kind = Shrinkage::Kind;
  const EstimateOptions options = resolve(given);
  std::size_t features = 0;
  for (const Block& block : schema.blocks())
    if (block.family == Family::gaussian) features = std::max(features, block.features.size());
  if (features == 0) return {};
  if (options.pca) return offer_folds("principal components change with every row");
  if (options.lda) return offer_folds("discriminant components change with every row");
  const Kind kind = options.shrinkage->kind();
  const bool dense = is_dense(options.covariance);
  if (kind == Kind::oas) return offer_folds("the share of 'oas' changes with every row");
  if (kind == Kind::automatic && (dense || options.covariance == Covariance::diag))
    return offer_folds("the strength of shrinkage 'auto' changes with every row");
  if (!options.pooling.empty())
    return offer_folds("a covariance with given pooling weights changes as a whole with every row");
  const bool moving = options.inference == Inference::plugin
                          ? options.shrinkage->value() > 0 && options.target == Target::diag
                          : true;
  if (dense && kind == Kind::share && moving && features > most_refitted_features)
    return offer_folds(
        "the diagonal target changes with every row, and a factorisation a row is "
        "done up to " +
        std::to_string(most_refitted_features) + " features (there are " +
        std::to_string(features) + ")");
  return {};
}

void log_frequencies_without(const Vector& class_weights, Index label, double weight,
                             std::span<double> out) {
  double total = 0;
  for (Index c = 0; c < class_weights.size(); ++c) {
    out[c] = c == label ? rest(class_weights[c], weight) : class_weights[c];
    total += out[c];
  }
  for (double& log_frequency : out) log_frequency = std::log(log_frequency / total);
}

void throw_not_among(Index row, const std::string& what) {
  throw DataError("row " + std::to_string(row) + " cannot be among the rows of the statistics: " +
                      what + "; give the rows that they were made of",
                  {.row = row, .feature = {}, .label = {}});
}

TakenRows::TakenRows(const RowBlock& rows, const Names& labels, const Vector& class_weights)
    : code_(static_cast<std::size_t>(rows.rows()), -1), weight_(read_weights(rows, scratch_)) {
  if (rows.rows() == 0) return;
  if (rows.labels().kind == Column::Kind::none)
    throw InvalidArgument(
        "leave-one-out needs the label of each row, which says what is taken out; the rows have "
        "none");
  const NameReader reader(rows.labels(), labels);
  reader.read(0, rows.rows(), code_.data(), 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = weight_ ? weight_[i] : 1;
    if (weight == 0) {
      code_[i] = -1;
      continue;
    }
    if (code_[i] == NameReader::missing) throw_not_among(i, "it has no label");
    if (code_[i] < 0) throw_not_among(i, "its label is new");
    if (weight > class_weights[code_[i]] * (1 + 1e-9))
      throw_not_among(i, "it has the weight " + name_of(weight) + ", and all of class '" +
                             labels[code_[i]] + "' the weight " + name_of(class_weights[code_[i]]));
    if (rest(class_weights[code_[i]], weight) == 0) last_.push_back(i);
  }
}

std::vector<std::unique_ptr<BlockRest>> make_rests(const Statistics& statistics,
                                                   const EstimateOptions& options,
                                                   const Model& model, bool with_gaussian) {
  std::vector<std::unique_ptr<BlockRest>> rests;
  for (std::size_t b = 0; b < model.schema().blocks().size(); ++b) {
    const RestInput input{statistics, options, model, b};
    switch (describe(input.schema_block().family).sums) {
      case SumsKind::gaussian:
        rests.push_back(with_gaussian ? make_gaussian_rest(input) : nullptr);
        break;
      case SumsKind::categorical:
        rests.push_back(make_categorical_rest(input));
        break;
      case SumsKind::counts:
        rests.push_back(make_count_rest(input));
        break;
    }
  }
  return rests;
}

struct LeaveOneOut::State {
  EstimateOptions options;
  Model model;
  std::vector<std::unique_ptr<BlockRest>> rests;
};

LeaveOneOut::LeaveOneOut(const Statistics& statistics, const EstimateOptions& given,
                         const Execution& execution) {
  const EstimateOptions options = resolve(given);
  if (const auto why = no_leave_one_out(statistics.schema(), options)) throw InvalidArgument(*why);
  auto state =
      std::make_unique<State>(State{options, estimate(statistics, options, execution), {}});
  state->rests = make_rests(statistics, state->options, state->model, true);
  state_ = std::move(state);
}
LeaveOneOut::~LeaveOneOut() = default;
LeaveOneOut::LeaveOneOut(LeaveOneOut&&) noexcept = default;
LeaveOneOut& LeaveOneOut::operator=(LeaveOneOut&&) noexcept = default;

const Model& LeaveOneOut::model() const noexcept { return state_->model; }

LogLikelihoods LeaveOneOut::operator()(const RowBlock& rows, const Execution& execution) const {
  const Model& model = state_->model;
  require_features(model.schema(), rows);
  const Index classes = model.labels().size();
  const TakenRows taken(rows, model.labels(), model.weights());
  LogLikelihoods result;
  result.values = Matrix(rows.rows(), classes);
  result.labels = model.labels();
  LeftOut left_out(model.schema().size());
  std::vector<Index> empty;
  for (Index c = 0; c < classes; ++c)
    if (model.weights()[c] == 0) empty.push_back(c);
  score_tiles(
      {rows.rows(), model.schema().size(), classes, result.values.data()}, execution,
      [&](Workers& workers) {
        Scorers scorers;
        for (std::size_t b = 0; b < state_->rests.size(); ++b)
          scorers.push_back(state_->rests[b]->scorer(
              {model, b, rows, false, Missing::allow, workers, &left_out}, taken));
        return scorers;
      },
      [&](Index, Index count, double* scores) {
        for (const Index c : empty)
          for (Index i = 0; i < count; ++i) scores[i * classes + c] = -infinity;
      });
  for (const Index row : taken.last_of_class()) result.values(row, taken[row].label) = -infinity;
  std::move(left_out).tell(result);
  return result;
}

}  // namespace suffice
