#include "left_out/block_without_row.hpp"

#include "left_out/discrete_without_row.hpp"
#include "left_out/gaussian_without_row.hpp"

namespace suffice {

std::unique_ptr<BlockWithoutRow> make_block_without_row(const BlockInput& input) {
  if (std::holds_alternative<GaussianDensity>(input.model.densities()[input.block]))
    return make_gaussian_without_row(input);
  return make_discrete_without_row(input);
}

Matrix added_scores(const Model& model, const RowBlock& rows, Index width,
                    const Execution& execution,
                    const std::function<Scorers(const InputOfBlock&)>& make) {
  Matrix result(rows.rows(), width);
  Unscored unscored(model.schema().size());
  score_tiles(
      {rows.rows(), model.schema().size(), width, result.data()}, execution,
      [&](Workers& workers) {
        return make([&](std::size_t block) {
          return ScorerInput{model, block, rows, false, Missing::allow, workers, &unscored};
        });
      },
      [](Index, Index, double*) {});
  return result;
}

}  // namespace suffice
