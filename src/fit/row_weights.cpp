#include "fit/row_weights.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "core/few_digits.hpp"
#include "data/weights.hpp"
#include "fit/changed_sample.hpp"
#include "stats/scaled.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

class ScaledWeights : public RowSource {
 public:
  ScaledWeights(std::shared_ptr<RowSource> rows, double by) : rows_(std::move(rows)), by_(by) {}

  const Schema& schema() const override { return rows_->schema(); }
  std::vector<bool> given_families() const override { return rows_->given_families(); }
  bool is_sparse() const override { return rows_->is_sparse(); }
  std::optional<std::string> read_only_once() const override { return rows_->read_only_once(); }
  bool keeps_rows() const override { return rows_->keeps_rows(); }

  RowCounts read(const Reading& reading, const Use& use) override {
    return rows_->read(reading, [&](const RowBlock& block, const Column& groups) {
      Vector memory, weights(block.rows());
      const double* const given = read_weights(block, memory);
      for (Index i = 0; i < weights.size(); ++i) weights[i] = by_ * (given ? given[i] : 1);
      RowBlock scaled = block;
      use(scaled.weights(weights), groups);
    });
  }

 private:
  std::shared_ptr<RowSource> rows_;
  double by_;
};

}  // namespace

void RowWeights::add(const RowBlock& block) {
  Vector memory;
  const double* const weights = read_weights(block, memory);
  given |= weights != nullptr;
  for (Index i = 0; i < block.rows(); ++i) {
    const double weight = weights ? weights[i] : 1;
    rows += weight > 0 ? 1 : 0;
    sum += weight;
    whole = whole && weight == std::floor(weight);
  }
}

void scale_weights(Gathered& gathered, double by) {
  constexpr double most = 1e150;  // whose square is a double
  if (!(by <= most))
    throw InvalidArgument("the weights are too small: their squares are 0 in double precision",
                          "multiply all of them by the same number");
  gathered.notes.push_back(
      {FitNote::Kind::note,
       "Weights are multiplied by " + name_of(few_digits(by, 3)) +
           ", so that they sum to the number of rows: they are no whole numbers, which would count "
           "rows."});
  gathered.statistics = scaled(gathered.statistics, by);
  if (gathered.sample)
    gathered.sample = with_weights_times(*gathered.sample, gathered.statistics.schema(), by);
  gathered.source = std::make_shared<ScaledWeights>(std::move(gathered.source), by);
}

}  // namespace suffice
