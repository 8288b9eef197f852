#include "suffice/left_out/leave_one_out.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/constants.hpp"
#include "core/minus_or_zero.hpp"
#include "left_out/block_without_row.hpp"
#include "left_out/text_without_row.hpp"
#include "score/score_rows.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

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
  if (options.discriminative)
    return offer_folds("the weights of a discriminative model change with every row");
  if (!options.components.is_one())
    return offer_folds("the components of a mixture change with every row");
  if (keeps_some(options)) return offer_folds("the kept features change with every row");
  if (const auto why = why_documents_need_folds(schema, options)) return offer_folds(*why);
  std::size_t features = 0;
  for (const Block& block : schema.blocks())
    if (block.family == Family::gaussian) features = std::max(features, block.features.size());
  if (features == 0) return {};
  if (options.shrink_means) return offer_folds("shrunken means change with every row");
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
        "the diagonal target changes with every row, and a factorisation per row is "
        "done up to " +
        std::to_string(most_refitted_features) + " features (there are " +
        std::to_string(features) + ")");
  return {};
}

void log_frequencies_without(const Vector& class_weights, Index label, double weight,
                             std::span<double> out) {
  double total = 0;
  for (Index c = 0; c < class_weights.size(); ++c) {
    out[c] = c == label ? minus_or_zero(class_weights[c], weight) : class_weights[c];
    total += out[c];
  }
  for (double& log_frequency : out) log_frequency = std::log(log_frequency / total);
}

struct LeaveOneOut::State {
  EstimateOptions options;
  Model model;
  std::vector<std::unique_ptr<BlockWithoutRow>> blocks;
};

namespace {

/// Leaving out a row from full and tied covariances takes whole matrices, which a wide table does
/// not have; diagonals are enough for the rest. None: the statistics will do.
std::optional<Statistics> without_thin_scatter(const Statistics& statistics,
                                               const EstimateOptions& options) {
  constexpr Index most = 1000;
  if (!is_thin(statistics)) return std::nullopt;
  Index features = 0;
  for (const Block& block : statistics.schema().blocks())
    if (block.family == Family::gaussian) features = std::max(features, std::ssize(block.features));
  if (!is_dense(options.covariance)) return with_scatter(statistics, Scatter::diagonal);
  if (features > most)
    throw InvalidArgument("leaving out one row at a time from the covariance of " +
                              std::to_string(features) + " features takes matrices of their square",
                          "use folds, or " + Option{"covariance", "diag"});
  return with_scatter(statistics, Scatter::dense);
}

}  // namespace

LeaveOneOut::LeaveOneOut(const Statistics& of_rows, const EstimateOptions& given,
                         const Execution& execution) {
  const EstimateOptions options = resolve(given);
  if (const auto why = no_leave_one_out(of_rows.schema(), options)) throw InvalidArgument(*why);
  const std::optional<Statistics> converted = without_thin_scatter(of_rows, options);
  const Statistics& statistics = converted ? *converted : of_rows;
  auto state =
      std::make_unique<State>(State{options, estimate(statistics, options, execution), {}});
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b)
    state->blocks.push_back(make_block_without_row({statistics, state->options, state->model, b}));
  state_ = std::move(state);
}
LeaveOneOut::~LeaveOneOut() = default;
LeaveOneOut::LeaveOneOut(LeaveOneOut&&) noexcept = default;
LeaveOneOut& LeaveOneOut::operator=(LeaveOneOut&&) noexcept = default;

const Model& LeaveOneOut::model() const noexcept { return state_->model; }

LogLikelihoods LeaveOneOut::operator()(const RowBlock& rows, const Execution& execution) const {
  return added_up(block_scores(rows, execution));
}

BlockScores LeaveOneOut::block_scores(const RowBlock& rows, const Execution& execution) const {
  const Model& model = state_->model;
  const RemovedRows removed(rows, model.labels(), model.weights());
  BlockScores result =
      score_blocks({.model = model,
                    .rows = rows,
                    .make =
                        [&](const ScorerInput& input) {
                          return state_->blocks[input.block]->scorer(input, removed);
                        }},
                   execution);
  for (const Index row : removed.whole_classes())
    for (Matrix& values : result.values) values(row, removed[row].label) = -infinity;
  return result;
}

}  // namespace suffice
