#include "select/chooser.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/special_functions.hpp"
#include "core/standard_error.hpp"
#include "data/weights.hpp"
#include "estimate/rows_used.hpp"
#include "left_out/removed_rows.hpp"
#include "left_out/text_without_row.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Floating-point operations that may be spent on rows with missing numbers.
constexpr double most_work_for_incomplete_rows = 2e10;

/// A sample of wider tables has too few rows to tell anything about models.
constexpr Index most_columns = 250'000;

/// A few rows that are the only ones of their level change no figure.
constexpr double few_lone_rows = 0.005;

/// The time of a calibration grows with the square of their number.
constexpr Index most_classes = 400;

}  // namespace

bool is_better(const Measured& other, const Measured& first, const RowWeights& rows) {
  return is_better(other.loss, first.loss, rows.weight, rows.copies);
}

Chooser::Chooser(ChooserInput input, const Execution& execution)
    : input_(std::move(input)),
      statistics_(input_.statistics),
      proposals_(input_.proposals),
      execution_{.threads = execution.threads, .stop = execution.stop},
      told_(execution),
      classes_(statistics_.labels().size()) {}

Choice Chooser::run() {
  Choice choice;
  choice.options = proposals_.shapes.front();
  choice.options.tails = proposals_.tails.front();
  if (classes_ > most_classes) {
    choice.reason = "there are more than " + std::to_string(most_classes) +
                    " classes, for which a calibration takes too long";
    return choice;
  }
  const RowBlock sampled = input_.sample.left_out();
  if (statistics_.schema().size() > most_columns &&
      static_cast<double>(sampled.rows()) < 0.5 * statistics_.weights().map().sum()) {
    choice.reason = "the table is so wide (" + std::to_string(statistics_.schema().size()) +
                    " columns) that a sample has only " + std::to_string(sampled.rows()) +
                    " rows; name the covariance, or for counts the family multinomial";
    return choice;
  }
  if (std::ranges::count_if(statistics_.weights(), [](double weight) { return weight > 0; }) < 2) {
    choice.reason = "all rows are of one class, so no predictions can be compared";
    return choice;
  }
  if (const auto why = why_documents_need_folds(statistics_.schema(), choice.options)) {
    choice.reason = *why + ", so predictions are not compared by leaving rows out one by one";
    return choice;
  }
  if (execution_.stop.stop_requested()) throw Cancelled();
  read_rows();
  if (!(total_ > 0)) {
    choice.reason = "no row of the sample belongs to a class that has other rows";
    return choice;
  }
  if (in_folds_) choice.sample_folds = CompletedGaussian::folds;
  choice.rows = static_cast<double>(std::ranges::count_if(label_, [](Index c) { return c >= 0; }));
  prior_alone(choice);
  score_other_blocks();
  measure();
  if (measured_.empty()) {
    choice.reason = reason_;
    return choice;
  }
  pick(choice);
  return choice;
}

void Chooser::read_rows() {
  const RowBlock rows = input_.sample.left_out();
  const RemovedRows removed(rows, statistics_.labels(), statistics_.weights());
  const auto& blocks = statistics_.schema().blocks();
  double work = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].family == Family::gaussian) {
      if (is_scored_in_folds(b)) {
        gaussian_.emplace_back(
            b, CompletedGaussian(statistics_, b, input_.sample, fold_completion(), execution_));
        continue;
      }
      SampledGaussian alone(statistics_, b, input_.sample, execution_);
      work += alone.work_for_incomplete_rows();
      gaussian_.emplace_back(b, std::move(alone));
    }
  // Projections are for rows that lack nothing, and take long in folds.
  in_folds_ = std::ranges::any_of(gaussian_, [](const auto& of) { return of.second.index() == 1; });
  if (in_folds_)
    std::erase_if(input_.proposals.shapes, [](const auto& of) { return of.pca || of.lda; });
  const auto estimates = static_cast<double>(proposals_.shapes.size() * proposals_.tails.size());
  incomplete_wanted_ = work * estimates <= most_work_for_incomplete_rows;
  label_.resize(static_cast<std::size_t>(rows.rows()));
  weight_ = Vector(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const RemovedRow row = removed[i];
    weight_[i] = row.weight * input_.sample.copies()[i] * input_.sample.importance()[i];
    bool used = row.label >= 0 && !is_whole_class(row, statistics_.weights());
    for (const auto& [b, scores] : gaussian_)
      if (const auto* block = std::get_if<SampledGaussian>(&scores))
        used =
            used && !block->last_of_class()[i] && (incomplete_wanted_ || !block->incomplete()[i]);
      else
        used = used && !std::get<CompletedGaussian>(scores).unknown()[static_cast<std::size_t>(i)];
    label_[i] = used ? row.label : -1;
    if (used) total_ += weight_[i];
  }
  log_prior_ = Vector(classes_);
  Vector frequency = statistics_.weights();
  if (input_.sample_alone) {
    frequency = Vector(classes_);
    for (Index i = 0; i < rows.rows(); ++i)
      if (const Index c = removed[i].label; c >= 0) frequency[c] += weight_[i];
  }
  const double all = frequency.map().sum();
  for (Index c = 0; c < classes_; ++c) log_prior_[c] = std::log(frequency[c] / all);
}

/// Whether the sample has all rows of the statistics.
bool Chooser::has_all_rows() const {
  const RowBlock sampled = input_.sample.rows();
  Vector memory;
  const double* weights = read_weights(sampled, memory);
  return std::reduce(weights, weights + sampled.rows()) >=
         statistics_.weights().map().sum() * (1 - 1e-9);
}

bool Chooser::is_scored_in_folds(std::size_t block) const {
  if (input_.missing && is_incomplete(std::get<GaussianStatistics>(statistics_.blocks()[block])))
    return true;
  const EstimateOptions& first = proposals_.shapes.front();
  return !first.pca && !first.lda && has_all_rows() &&
         share_of_lone_rows(statistics_.schema(), block, input_.sample) > few_lone_rows;
}

/// EM of the folds has the options of the first proposal.
FoldCompletion Chooser::fold_completion() const {
  FoldCompletion result{.estimate = proposals_.shapes.front(),
                        .complete_missing = input_.missing != nullptr};
  if (!input_.missing) return result;
  result.passes = input_.missing->passes;
  if (!has_all_rows())
    result.all_rows = [this](const auto& use) { input_.missing->rows(statistics_.schema(), use); };
  return result;
}

void Chooser::prior_alone(Choice& choice) const {
  const auto best = std::ranges::max_element(log_prior_) - log_prior_.begin();
  for (std::size_t i = 0; i < label_.size(); ++i) {
    if (label_[i] < 0) continue;
    choice.prior_log_loss -= weight_[i] / total_ * log_prior_[label_[i]];
    if (label_[i] != best) choice.prior_error_rate += weight_[i] / total_;
  }
}

void Chooser::score_other_blocks() {
  const auto& blocks = statistics_.schema().blocks();
  EstimateOptions options = proposals_.shapes.front();  // they differ in Gaussian blocks only
  options.pca = {};
  options.lda = {};
  scores_.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].family != Family::gaussian)
      scores_[b] = scores_without_row(statistics_, b, options, input_.sample, execution_);
}

/// All candidates, group by group: a group has its decompositions in common.
void Chooser::measure() {
  std::vector<bool> done(proposals_.shapes.size());
  std::size_t count = 0;
  for (std::size_t s = 0; s < done.size(); ++s) {
    if (done[s]) continue;
    if (execution_.stop.stop_requested()) throw Cancelled();
    const auto key = SampledGaussian::key_of(proposals_.shapes[s], static_cast<Index>(s));
    std::vector<EstimateOptions> group;
    for (std::size_t k = s; k < done.size(); ++k)
      if (!done[k] && SampledGaussian::key_of(proposals_.shapes[k], static_cast<Index>(k)) == key) {
        done[k] = true;
        group.push_back(proposals_.shapes[k]);
      }
    count += group.size();
    measure_group(group, s == 0 && proposals_.has_default);
    if (told_.progress)
      told_.progress(static_cast<double>(count) / static_cast<double>(done.size()));
  }
}

void Chooser::measure_group(const std::vector<EstimateOptions>& group, bool has_default) {
  std::vector<ScoresOfEstimates> of_block;
  try {
    for (auto& [b, scores] : gaussian_)
      if (auto* block = std::get_if<SampledGaussian>(&scores))
        of_block.push_back(block->scores(group, proposals_.tails, incomplete_wanted_));
      else
        of_block.push_back(std::get<CompletedGaussian>(scores).scores(group, proposals_.tails));
  } catch (const SingularError& error) {
    if (reason_.empty()) reason_ = error.message();
    return;
  } catch (const InvalidArgument& error) {
    if (reason_.empty()) reason_ = error.message();
    return;
  }
  const auto tails = std::ssize(proposals_.tails);
  const Index count = std::ssize(group) * tails;
  const auto first = measured_.size();
  if (has_default) default_ = static_cast<Index>(first);
  measured_.resize(first + static_cast<std::size_t>(count));
  Workers workers(execution_, count);
  workers.run(count, [&](Index k, int) {
    std::vector<Matrix> scores = scores_;
    for (std::size_t g = 0; g < gaussian_.size(); ++g)
      scores[gaussian_[g].first] = std::move(of_block[g][k]);
    EstimateOptions options = group[k / tails];
    options.tails = proposals_.tails[k % tails];
    measured_[first + static_cast<std::size_t>(k)] = measured(std::move(options), scores);
  });
}

Measured Chooser::measured(EstimateOptions options, const std::vector<Matrix>& scores) const {
  Measured result{
      .options = std::move(options), .loss = Vector(std::ssize(label_)), .calibration = {}};
  result.calibration.scale = Vector(std::ssize(scores));
  std::ranges::fill(result.calibration.scale, 1.0);
  result.calibration.offset = Vector(classes_);
  if (input_.calibrate)
    result.calibration =
        fit_calibration(scores, label_, weights(), {log_prior_.data(), at(classes_)}).calibration;
  Vector mass(classes_);
  for (Index i = 0; i < std::ssize(label_); ++i) {
    if (label_[i] < 0) {
      result.loss[i] = std::nan("");
      continue;
    }
    for (Index c = 0; c < classes_; ++c) {
      mass[c] = log_prior_[c] + result.calibration.offset[c];
      for (std::size_t b = 0; b < scores.size(); ++b) {
        const double score = scores[b](i, c);
        mass[c] += score == -infinity ? -infinity : result.calibration.scale[b] * score;
      }
    }
    const double own = mass[label_[i]];
    const auto best = std::ranges::max_element(mass) - mass.begin();
    result.loss[i] = own == -infinity ? infinity : log_sum_exp({mass.data(), at(classes_)}) - own;
    result.log_loss += weight_[i] / total_ * result.loss[i];
    if (best != label_[i] || own == -infinity) result.error_rate += weight_[i] / total_;
  }
  return result;
}

void Chooser::pick(Choice& choice) const {
  std::vector<std::size_t> order(measured_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return measured_[k].log_loss; });
  std::size_t winner = order.front();
  if (default_ >= 0 && !is_better(measured_[winner], measured_[default_], row_weights()))
    winner = static_cast<std::size_t>(default_);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Measured& of = measured_[order[place]];
    choice.candidates.push_back({of.options, of.error_rate, of.log_loss});
    if (order[place] == winner) choice.chosen = static_cast<Index>(place);
    if (static_cast<Index>(order[place]) == default_) choice.incumbent = static_cast<Index>(place);
  }
  choice.options = measured_[winner].options;
  if (input_.calibrate) choice.calibration = measured_[winner].calibration;
}

const Measured* Chooser::best() const {
  const auto found = std::ranges::min_element(measured_, {}, &Measured::log_loss);
  return found == measured_.end() ? nullptr : &*found;
}

}  // namespace suffice
