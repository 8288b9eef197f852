#include "suffice/evidence/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/quoted.hpp"
#include "data/row_checks.hpp"
#include "decide/same_labels.hpp"
#include "evidence/game.hpp"
#include "evidence/joint_orders.hpp"
#include "suffice/core/error.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {
namespace {

constexpr std::array<std::pair<EvidenceUnit, std::string_view>, 3> unit_names{{
    {EvidenceUnit::nats, "nats"},
    {EvidenceUnit::bits, "bits"},
    {EvidenceUnit::db, "db"},
}};

Index position_of(const Model& model, std::string_view label) {
  const auto found = model.labels().find(std::string(label));
  if (!found)
    throw InvalidArgument("the model has no class " + quoted(label),
                          "its classes are " + list_for_message(model.labels().list()));
  if (!(model.weights()[*found] > 0))
    throw InvalidArgument("class " + quoted(label) + " has no training rows",
                          "compare classes that have some");
  return *found;
}

/// The most probable class but one (−1: none is left out), among those with training rows; −1 where
/// there is no other. Where none is possible, the most frequent.
Index most_probable(const Model& model, const double* scores, const Priors& priors, Index but) {
  Index best = -1;
  const auto is_better = [&](Index c) {
    const double joint = scores[c] + priors.log()[c], other = scores[best] + priors.log()[best];
    if (joint != other && !std::isnan(joint)) return joint > other;
    return priors[c] > priors[best];
  };
  for (Index c = 0; c < model.labels().size(); ++c)
    if (c != but && model.weights()[c] > 0 && (best < 0 || is_better(c))) best = c;
  return best;
}

void require_two_classes(const Model& model) {
  if (std::ranges::count_if(model.weights(), [](double weight) { return weight > 0; }) < 2)
    throw InvalidArgument("evidence compares two classes, and the model has only one",
                          "an outlier score needs no second class");
}

using Pair = std::pair<Index, Index>;  // of, against

}  // namespace

std::string_view to_string(EvidenceUnit unit) {
  return unit_names[static_cast<std::size_t>(unit)].second;
}

EvidenceUnit evidence_unit_from_string(std::string_view name) {
  for (const auto& [unit, known] : unit_names)
    if (known == name) return unit;
  throw InvalidArgument("unknown unit " + quoted(name), "use nats, bits or db");
}

double per_nat(EvidenceUnit unit) {
  switch (unit) {
    case EvidenceUnit::nats:
      break;
    case EvidenceUnit::bits:
      return 1 / std::numbers::ln2;
    case EvidenceUnit::db:
      return 10 / std::numbers::ln10;
  }
  return 1;
}

double Evidence::ratio(Index row) const noexcept {
  double sum = offset[row];
  for (const double value : values.row(row)) sum += value;
  return sum;
}

std::vector<Index> Evidence::most_telling(Index row, Index count) const {
  std::vector<std::pair<double, Index>> order;
  for (Index j = 0; j < values.cols(); ++j)
    if (const double value = values(row, j); value != 0) order.emplace_back(-std::abs(value), j);
  const Index wanted = std::min(count, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + wanted, order.end());
  std::vector<Index> result;
  for (Index k = 0; k < wanted; ++k) result.push_back(order[at(k)].second);
  return result;
}

Contrast contrast_of(const Model& model, Index rows, std::string_view of,
                     const std::optional<std::string>& against) {
  require_two_classes(model);
  const Index a = position_of(model, of);
  Index b = against ? position_of(model, *against) : Contrast::others;
  if (a == b)
    throw InvalidArgument("class " + quoted(of) + " cannot be compared with itself",
                          "name two classes");
  if (b == Contrast::others && model.labels().size() == 2) b = 1 - a;
  return {std::vector<Index>(at(rows), a), std::vector<Index>(at(rows), b)};
}

Contrast runner_up(const Model& model, const LogLikelihoods& scores, const Priors& priors,
                   const std::vector<Index>& decided) {
  require_two_classes(model);
  require_same_labels(model.labels(), "the model", priors.labels(), "the priors");
  require_same_labels(model.labels(), "the model", scores.labels, "the scores");
  if (!decided.empty() && std::ssize(decided) != scores.rows())
    throw InvalidArgument(std::to_string(decided.size()) + " decisions do not fit scores of " +
                          std::to_string(scores.rows()) + " rows");
  Contrast contrast;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double* score = scores.values.row(i).data();
    Index of = decided.empty() ? -1 : decided[at(i)];
    if (of < 0 || !(model.weights()[of] > 0)) of = most_probable(model, score, priors, -1);
    contrast.of.push_back(of);
    contrast.against.push_back(most_probable(model, score, priors, of));
  }
  return contrast;
}

struct EvidenceScorer::State {
  State(const Model& of, EvidenceOptions given)
      : model(of),
        components(of.components()),
        options(std::move(given)),
        orders(options.exact, options.pairs, options.seed),
        averaged(model.schema().blocks().size()) {
    if (options.exact < 0 || options.exact > 16)
      throw InvalidArgument(
          "all sets of " + std::to_string(options.exact) + " columns cannot be looked at",
          "0 to 16 are possible");
    if (options.pairs < 1)
      throw InvalidArgument("evidence needs at least one pair of orders", "64 are the default");
    if (!options.priors) options.priors = Priors::from_counts(model);
    require_same_labels(model.labels(), "the model", options.priors->labels(), "the priors");
  }

  /// What the log-densities of a block are multiplied by where components are compared.
  double scale(std::size_t block) const {
    if (!model.calibration()) return 1;
    return model.calibration()->scale[model.mixture() ? 0 : static_cast<Index>(block)];
  }

  struct Worker {
    std::vector<std::unique_ptr<BlockGame::Scratch>> scratch;  // per block
  };
  struct Call {
    const Contrast& contrast;
    std::vector<std::unique_ptr<BlockGame>> blocks;
    std::map<Pair, Worth> worths;
  };
  bool separates(const Worth& worth, const Pair& pair) const {
    return pair.second >= 0 && worth.side(true).size() == 1 && worth.side(false).size() == 1;
  }
  void add(const Call& call, Index first, Index count, Worker& worker, const Shares& shares,
           const Shares& variances) const;
  void add_by_block(const Call& call, std::size_t block, const std::map<Pair, std::vector<Index>>&,
                    Worker& worker, const Shares& shares, const Shares& variances) const;

  const Model& model;
  const Model& components;
  EvidenceOptions options;
  Orders orders;
  std::vector<AveragedOrders> averaged;  ///< per block
};

/// The rows [first, first + count) of the call; row i of `shares` is row first + i.
void EvidenceScorer::State::add(const Call& call, Index first, Index count, Worker& worker,
                                const Shares& shares, const Shares& variances) const {
  std::map<Pair, std::vector<Index>> separable, coupled;
  for (Index i = 0; i < count; ++i) {
    const Pair pair{call.contrast.of[at(first + i)], call.contrast.against[at(first + i)]};
    (separates(call.worths.at(pair), pair) ? separable : coupled)[pair].push_back(i);
  }
  std::vector<Player> players;
  for (std::size_t b = 0; b < call.blocks.size(); ++b) {
    call.blocks[b]->read(first, count, *worker.scratch[b]);
    add_by_block(call, b, separable, worker, shares, variances);
    players.push_back(
        {call.blocks[b].get(), worker.scratch[b].get(), model.mixture() ? 1 : scale(b)});
  }
  if (model.calibration())
    for (const auto& [pair, rows] : separable)
      for (const Index i : rows)
        shares.row(i)[shares.columns] +=
            model.calibration()->offset[pair.first] - model.calibration()->offset[pair.second];
  for (const auto& [pair, rows] : coupled)
    play(orders, players, call.worths.at(pair), rows, shares, variances);
}

/// The ratio of two components is the sum of its blocks, and a block's share in it the difference
/// of two.
void EvidenceScorer::State::add_by_block(const Call& call, std::size_t block,
                                         const std::map<Pair, std::vector<Index>>& rows,
                                         Worker& worker, const Shares& shares,
                                         const Shares& variances) const {
  const BlockGame& game = *call.blocks[block];
  BlockGame::Scratch& scratch = *worker.scratch[block];
  std::map<Pair, std::vector<Index>> rest;  // of components
  if (variances.values && game.is_sampled()) {
    for (const auto& [pair, of] : rows) {
      const std::vector<Index>& parts = call.worths.at(pair).components();
      rest[{parts[0], parts[1]}] = of;
    }
  } else {
    std::map<Index, std::vector<Index>> as_of, as_against;  // by component
    std::map<Index, Pair> pair_of;                          // by row
    for (const auto& [pair, of] : rows) {
      const std::vector<Index>& parts = call.worths.at(pair).components();
      as_of[parts[0]].insert(as_of[parts[0]].end(), of.begin(), of.end());
      as_against[parts[1]].insert(as_against[parts[1]].end(), of.begin(), of.end());
      for (const Index i : of) pair_of[i] = {parts[0], parts[1]};
    }
    for (const auto& [c, of] : as_of)
      for (const Index i : game.add_shares(c, scale(block), 1, of, scratch, shares))
        rest[pair_of[i]].push_back(i);
    for (const auto& [c, of] : as_against)
      game.add_shares(c, -scale(block), -1, of, scratch, shares);
  }
  const std::array<Player, 1> alone{{{&game, &scratch, scale(block)}}};
  for (const auto& [pair, of] : rest)
    play(orders, alone, Worth(1, pair.first, pair.second), of, shares, variances);
}

EvidenceScorer::EvidenceScorer(const Model& model, EvidenceOptions options)
    : state_(new State(model, std::move(options))) {}
EvidenceScorer::~EvidenceScorer() = default;
EvidenceScorer::EvidenceScorer(EvidenceScorer&&) noexcept = default;

const Priors& EvidenceScorer::priors() const noexcept { return *state_->options.priors; }

Evidence EvidenceScorer::operator()(const RowBlock& rows, Contrast contrast,
                                    const Execution& execution) {
  State& s = *state_;
  const Index n = rows.rows(), columns = s.model.schema().column_count();
  require_features(s.model.schema(), rows);
  if (contrast.rows() != n || std::ssize(contrast.against) != n)
    throw InvalidArgument("classes to compare of " + std::to_string(contrast.rows()) +
                          " rows do not fit " + std::to_string(n) + " rows");
  Evidence result{.values = Matrix(n, columns),
                  .offset = Vector(n),
                  .contrast = std::move(contrast),
                  .columns = s.model.schema().columns()};
  if (s.options.standard_errors) result.standard_errors = Matrix(n, columns);
  constexpr Index most_rows = 512, most_numbers = Index{1} << 22;
  const Index piece = std::clamp<Index>(
      most_numbers / ((columns + 1) * s.components.labels().size()), 4, most_rows);
  const Index pieces = (n + piece - 1) / piece;
  Workers workers(execution, pieces);
  State::Call call{.contrast = result.contrast, .blocks = {}, .worths = {}};
  for (Index i = 0; i < n; ++i)
    if (const Pair pair{call.contrast.of[at(i)], call.contrast.against[at(i)]};
        !call.worths.contains(pair))
      call.worths.emplace(pair, Worth(s.model, *s.options.priors, pair.first, pair.second));
  for (std::size_t b = 0; b < s.model.schema().blocks().size(); ++b)
    call.blocks.push_back(
        make_block_game({s.components, b, rows, s.orders, s.averaged[b], workers}));
  std::vector<State::Worker> own(at(workers.size()));
  for (State::Worker& worker : own)
    for (const auto& block : call.blocks) worker.scratch.push_back(block->scratch());
  Progress progress(execution, static_cast<double>(n));
  workers.run(pieces, [&](Index p, int worker) {
    const Index first = p * piece, count = std::min(piece, n - first);
    Matrix values(count, columns + 1),
        variances(s.options.standard_errors ? count : 0, columns + 1);
    s.add(call, first, count, own[static_cast<std::size_t>(worker)], {values.data(), columns},
          {variances.data(), columns});
    for (Index i = 0; i < count; ++i) {
      // What is impossible on both sides tells nothing.
      for (double& value : values.row(i))
        if (std::isnan(value)) value = 0;
      std::copy_n(values.row(i).data(), columns, result.values.row(first + i).data());
      result.offset[first + i] = values(i, columns);
      for (Index j = 0; j < columns && variances.rows() > 0; ++j)
        result.standard_errors(first + i, j) = std::sqrt(variances(i, j));
    }
    progress.advance(static_cast<double>(count));
  });
  progress.finish();
  return result;
}

Evidence evidence(const Model& model, const RowBlock& rows, const EvidenceOptions& options,
                  const Execution& execution) {
  EvidenceScorer scorer(model, options);
  const LogLikelihoods scores = calibrated_scores(model, rows, {.relative = true}, execution);
  return scorer(rows, runner_up(model, scores, scorer.priors()), execution);
}

Evidence evidence(const Model& model, const RowBlock& rows, std::string_view of,
                  const std::optional<std::string>& against, const EvidenceOptions& options,
                  const Execution& execution) {
  EvidenceScorer scorer(model, options);
  Contrast contrast = contrast_of(model, rows.rows(), of, against);
  calibrated_scores(model, rows, {.relative = true}, execution);  // whether values are possible
  return scorer(rows, std::move(contrast), execution);
}

}  // namespace suffice
