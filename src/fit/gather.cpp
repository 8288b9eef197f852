#include "suffice/fit/gather.hpp"

#include <utility>

#include "fit/row_weights.hpp"
#include "fit/training.hpp"
#include "suffice/core/names.hpp"
#include "suffice/fit/row_sample.hpp"

namespace suffice {
namespace {

/// One pass over the source.
struct Pass {
  const Schema& schema;
  std::string what;
  /// What is needed of the scatter, for that many rows; none: it is not known how many.
  std::function<Scatter(std::optional<Index> rows)> scatter;
  /// Whether one scatter for all classes will do where there is no room for one for each.
  bool may_pool = false;
  std::optional<ReservoirOptions> reservoir = {};
  bool often = false;             ///< as in Reading
  RowWeights* weights = nullptr;  ///< where they are looked at
};

/// A wide table may ask for more sums than there is memory.
Statistics empty_statistics(const Schema& schema, Scatter scatter) {
  try {
    return Statistics(schema, {.scatter = scatter});
  } catch (const InvalidArgument& error) {
    if (scatter == Scatter::diagonal) throw;
    throw InvalidArgument(error.sentence(),
                          "use " + Option{"covariance", "diag"} + ", or leave columns out");
  }
}

/// Adds blocks to sums, whose scatter is decided when the number of rows is known.
class Sums {
 public:
  Sums(const Pass& pass, const Execution& execution)
      : pass_(pass),
        execution_(execution),
        gathered_{Statistics(pass.schema, {.scatter = Scatter::thin})} {
    if (pass.reservoir) gathered_.reservoir.emplace(pass.schema, *pass.reservoir);
  }

  void add(const RowBlock& rows, std::optional<Index> rows_so_far) {
    if (first_ || scatter_ == Scatter::thin) keep(pass_.scatter(rows_so_far));
    first_ = false;
    try {
      gathered_.statistics.update(rows, execution_);
    } catch (const InvalidArgument& error) {
      if (!pass_.may_pool || scatter_ != Scatter::dense) throw;
      gathered_.statistics = with_scatter(gathered_.statistics, Scatter::pooled);
      gathered_.statistics.update(rows, execution_);  // or what else is wrong
      scatter_ = Scatter::pooled;
      gathered_.notes.push_back(
          {FitNote::Kind::hint,
           "One scatter is kept for all classes together, and full covariances are not tried: " +
               error.sentence() + "."});
    }
    if (gathered_.reservoir) gathered_.reservoir->update(rows);
  }

  Gathered& gathered() { return gathered_; }

 private:
  void keep(Scatter wanted) {
    if (wanted == scatter_) return;
    Statistics empty = empty_statistics(pass_.schema, wanted);  // there may not be room for it
    gathered_.statistics = first_ ? std::move(empty) : with_scatter(gathered_.statistics, wanted);
    scatter_ = wanted;
  }

  const Pass& pass_;
  const Execution& execution_;
  Gathered gathered_;
  Scatter scatter_ = Scatter::thin;
  bool first_ = true;
};

Gathered gathered(RowSource& source, const Pass& pass, bool is_first, bool by_rows,
                  const Execution& execution) {
  Sums sums(pass, execution);
  Gathered& result = sums.gathered();
  Index so_far = 0;
  const RowCounts counts = source.read(
      {.schema = pass.schema, .what = pass.what, .often = pass.often},
      [&](const RowBlock& rows, const Column&) {
        if (is_first && so_far == 0)
          result.remarks = remarks_on_first_rows(pass.schema, rows, source.given_families());
        so_far += rows.rows();
        if (pass.weights) pass.weights->add(rows);
        sums.add(rows, by_rows ? std::optional(so_far) : std::nullopt);
      });
  result.rows = counts.rows;
  result.unlabelled_rows = counts.unlabelled;
  if (is_first)
    for (Remark& remark : remarks_on(result.statistics))
      result.remarks.push_back(std::move(remark));
  if (is_first && is_thin(result.statistics))
    result.notes.push_back(
        {FitNote::Kind::hint,
         "More columns than rows: covariances are kept as thin factors, exact and no larger than "
         "the table."});
  return std::move(result);
}

/// What is best kept where this is needed, for that many rows.
Scatter for_rows(Scatter needed, const Schema& schema, std::optional<Index> rows) {
  return rows && needed != Scatter::diagonal ? scatter_for_rows(needed, schema, *rows) : needed;
}

Pass pass_to_fit(const Schema& schema, const FitOptions& options, std::string what) {
  const bool chooses = options.chooses();
  return {
      .schema = schema,
      .what = std::move(what),
      .scatter = [&](std::optional<Index> rows) { return scatter_to_fit(schema, options, rows); },
      .may_pool = chooses && !options.is_fixed("covariance") && !options.is_fixed("pca") &&
                  !options.is_fixed("lda")};
}

/// Sparse rows are never made dense for a choice: of many columns only naive models are tried.
bool counts_rows(const RowSource& source, const FitOptions& options) {
  return !source.is_sparse() || !options.chooses();
}

}  // namespace

bool Gathered::has_all_rows() const {
  return sample && static_cast<double>(sample->size()) == rows - unlabelled_rows;
}

Scatter scatter_to_fit(const Schema& schema, const FitOptions& options, std::optional<Index> rows) {
  if (options.chooses()) return scatter_to_choose(schema, choose_options(options), rows);
  const Scatter needed = options.mixes() && needs_dense_scatter(options.estimate)
                             ? Scatter::dense
                             : needed_scatter(options.estimate);
  return for_rows(smaller_scatter(needed, schema), schema, rows);
}

Gathered gather(RowSource& rows, const GatherOptions& options, const Execution& execution) {
  const Schema& schema = rows.schema();
  const Pass pass{.schema = schema,
                  .what = "reading",
                  .scatter =
                      [&](std::optional<Index> count) {
                        return for_rows(needed_scatter(options.estimate), schema, count);
                      },
                  .reservoir = options.reservoir};
  return gathered(rows, pass, true, true, execution);
}

namespace {

/// Throws InvalidArgument where the options need more than the source has.
void require_possible(const FitOptions& options, const RowSource& rows) {
  const std::optional<std::string> once = rows.read_only_once();
  require_possible(options,
                   !once               ? Material::rows
                   : rows.keeps_rows() ? Material::rows_kept
                                       : Material::rows_once,
                   once.value_or(""));
}

/// The same of a sample of the rows.
Gathered gather_some(RowSource& rows, FitOptions options, const Execution& execution) {
  auto sample = std::make_shared<RowSample>(rows, *options.max_rows, options.seed);
  options.max_rows.reset();
  Gathered result = gather_for(*sample, options, execution);
  const double all = sample->counts().rows - sample->counts().unlabelled;
  if (result.rows < all)
    result.notes.push_back({FitNote::Kind::note, "Learns from " + name_of(result.rows) + " of " +
                                                     name_of(all) + " rows, drawn at random."});
  // What reads the sample (as it is, or with other weights) does not own it.
  auto owners = std::make_shared<std::pair<std::shared_ptr<RowSample>, std::shared_ptr<RowSource>>>(
      std::move(sample), std::move(result.source));
  result.source = {owners, owners->second.get()};
  return result;
}

}  // namespace

Gathered gather_for(RowSource& rows, const FitOptions& options, const Execution& execution) {
  require_possible(options, rows);
  if (options.max_rows) return gather_some(rows, options, execution);
  Pass pass = pass_to_fit(rows.schema(), options, "reading");
  const bool compares = options.chooses() || options.compares_columns();
  if (compares) pass.reservoir = {.seed = options.seed};
  pass.often = options.estimate.discriminative || options.mixes();
  RowWeights weights;
  pass.weights = &weights;
  Gathered result = gathered(rows, pass, true, counts_rows(rows, options), execution);
  if (!compares && scatter_of(result.statistics) == Scatter::pooled)
    result.notes.push_back(
        {FitNote::Kind::hint,
         "Many columns: one scatter is kept for all classes together, which is all that these "
         "models need."});
  if (compares) result.sample = std::exchange(result.reservoir, std::nullopt)->sample();
  result.source = {std::shared_ptr<void>(), &rows};  // not ours
  if (const double factor = weights.factor(); factor != 1) scale_weights(result, factor);
  return result;
}

Statistics gather_again(const Gathered& first, const Schema& schema, const FitOptions& options,
                        const Execution& execution) {
  if (!first.has_all_rows())
    return gathered(*first.source, pass_to_fit(schema, options, "reading again"), false,
                    counts_rows(*first.source, options), execution)
        .statistics;
  Statistics statistics(schema, {.scatter = scatter_to_fit(schema, options, first.sample->size())});
  statistics.update(first.sample->rows(), execution);
  return statistics;
}

}  // namespace suffice
