#include "cli/words/show_decisions.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "cli/line/suggest.hpp"
#include "cli/output/text.hpp"
#include "suffice/core/error.hpp"
#include "suffice/inspect/boundary.hpp"
#include "suffice/inspect/minimum_error.hpp"

namespace suffice::cli {
namespace {

std::optional<MinimumError> known_minimum(const Context& context, const Model& model,
                                          const Priors& priors) {
  try {
    return minimum_error(model, priors, {.seed = context.options.seed}, context.execution);
  } catch (const InvalidArgument&) {  // discriminative models, documents
    return {};
  }
}

std::vector<BoundaryPoint> points_of(const Context& context, const Model& model,
                                     const Decision& decision) {
  const std::string& name = context.options.feature;
  std::vector<std::string> names;
  for (const Feature& feature : model.schema().features()) names.push_back(feature.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    const std::string near = nearest(name, names);
    throw InvalidArgument("the model has no feature '" + name + "'",
                          near.empty() ? "show lists them" : "did you mean '" + near + "'?");
  }
  return boundary(model, found - names.begin(), decision.priors,
                  decision.costs ? *decision.costs : Costs::zero_one(model.labels()));
}

}  // namespace

std::string minimum_error_text(const Context& context, const Model& model, const Priors& priors) {
  if (model.labels().size() < 2) return {};
  const std::optional<MinimumError> found = known_minimum(context, model, priors);
  if (!found) return {};
  std::string text = "Minimum error: " + rounded(found->value, 3);
  if (found->low < found->high)
    text +=
        fmt::format(" (95 % interval {} to {})", rounded(found->low, 3), rounded(found->high, 3));
  return text + ", if the model is right\n";
}

Json minimum_error_json(const Context& context, const Model& model, const Priors& priors) {
  const std::optional<MinimumError> found = known_minimum(context, model, priors);
  if (!found) return nullptr;
  return {{"value", to_json(found->value)},
          {"low", to_json(found->low)},
          {"high", to_json(found->high)}};
}

std::string boundary_text(const Context& context, const Model& model, const Decision& decision) {
  const std::vector<BoundaryPoint> points = points_of(context, model, decision);
  const std::string& name = context.options.feature;
  std::string text =
      heading(context.terminal, "where the decision changes along " + printable(name));
  if (points.empty()) {
    text += "The decision is the same everywhere.\n";
  } else {
    TextTable table({name, "below", "above"},
                    {TextTable::Align::decimal, TextTable::Align::left, TextTable::Align::left});
    for (const BoundaryPoint& point : points)
      table.add({rounded(point.x, 6), model.labels()[point.left], model.labels()[point.right]});
    text += table.render(context.terminal);
  }
  if (model.schema().size() > 1)
    text += "The other columns are not known here" +
            std::string(model.calibration() ? ", and the calibration has no part" : "") + ".\n";
  return text;
}

Json boundary_json(const Context& context, const Model& model, const Decision& decision) {
  Json json = Json::array();
  for (const BoundaryPoint& point : points_of(context, model, decision))
    json.push_back({{"x", to_json(point.x)},
                    {"left", model.labels()[point.left]},
                    {"right", model.labels()[point.right]}});
  return json;
}

}  // namespace suffice::cli
