#include "cli/words/show_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"
#include "cli/words/model_words.hpp"
#include "cli/words/schema_text.hpp"
#include "cli/words/show_logistic.hpp"
#include "inspect/telling_words.hpp"
#include "models/feature_family.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/inspect/separation.hpp"

namespace suffice::cli {
namespace {

const LinearMap* projection_of(const Density& density) {
  const auto* gaussian = std::get_if<GaussianDensity>(&density);
  return gaussian && !gaussian->projection.empty() ? &gaussian->projection : nullptr;
}

/// Of what a block's density is over: its features, as they are transformed, or z0, z1, ….
std::vector<std::string> names_of(const Model& model, std::size_t b) {
  const Block& block = model.schema().blocks()[b];
  if (const LinearMap* map = projection_of(model.densities()[b])) {
    std::vector<std::string> names;
    for (Index k = 0; k < map->matrix.cols(); ++k) names.push_back(fmt::format("z{}", k));
    return names;
  }
  return transformed_names(model.schema(), block);
}

/// Draws one block after the other.
class DensityText {
 public:
  DensityText(const Context& context, const Model& model)
      : context_(context), model_(model.components()), separation_(separation(model)) {}

  const Vector& separation_of_features() const { return separation_; }

  std::string draw(std::size_t b) {
    const Block& block = model_.schema().blocks()[b];
    names_ = names_of(model_, b);
    block_ = b;
    std::vector<double> values;
    for (const Index feature : block.features) values.push_back(separation_[feature]);
    // Projections come in the order of what they explain.
    projection_ = projection_of(model_.densities()[b]);
    if (projection_) values.assign(names_.size(), 0);
    shown_ = largest(values, context_.options.top);
    possible_ = names_.size();
    const auto* gaussian = std::get_if<GaussianDensity>(&model_.densities()[b]);
    if (gaussian && !gaussian->deviation.empty()) show_survivors(gaussian->deviation);
    if (shown_.size() == names_.size()) std::sort(shown_.begin(), shown_.end());
    std::string text =
        std::visit([&](const auto& density) { return table(density); }, model_.densities()[b]);
    if (shown_.size() < possible_)
      text += fmt::format(
          "{} of {} {}; --top 0 shows all.\n", shown_.size(), possible_,
          projection_ ? "projections" : "features, those that tell the classes apart best");
    return text;
  }

 private:
  std::string title(std::string_view family, std::string_view what) const {
    return heading(context_.terminal, fmt::format("{}, {}: {}", family,
                                                  counted(static_cast<double>(names_.size()),
                                                          projection_ ? "projection" : "feature"),
                                                  what));
  }

  /// Of shrunken means only those that differ, the largest deviations first.
  void show_survivors(const Matrix& deviation) {
    std::vector<double> most(names_.size());
    for (Index c = 0; c < deviation.rows(); ++c)
      for (Index j = 0; j < deviation.cols(); ++j)
        most[j] = std::max(most[j], std::abs(deviation(c, j)));
    shown_ = largest(most, context_.options.top);
    std::erase_if(shown_, [&](Index j) { return most[j] == 0; });
    possible_ =
        static_cast<std::size_t>(std::ranges::count_if(most, [](double size) { return size > 0; }));
  }

  /// How far the classes deviate, where means were shrunk.
  std::string deviations(const Matrix& deviation) const {
    if (deviation.empty() || shown_.empty()) return {};
    return heading(context_.terminal,
                   "deviation of the class means, in standard errors, after shrinking") +
           per_feature([&](Index c, Index j) {
             return deviation(c, j) == 0 ? std::string("0") : rounded(deviation(c, j), 3);
           });
  }

  /// One row per feature; `cell(c, j)` for the classes that have seen rows.
  template <class Cell>
  std::string per_feature(Cell&& cell) const {
    const bool explains = projection_ && !projection_->explained.empty();
    const bool is_lda = model_.parts().options && model_.parts().options->lda;
    std::vector<std::string> headings{projection_ ? "projection" : "feature"};
    if (explains) headings.push_back(is_lda ? "between / within" : "of the variance");
    ClassTable table(headings, model_.labels());
    for (const Index j : shown_) {
      std::vector<std::string> heads{names_[j]};
      if (explains)
        heads.push_back(is_lda ? rounded(projection_->explained[j])
                               : rounded(100 * projection_->explained[j], 3) + " %");
      table.add(std::move(heads), per_class([&](Index c) { return cell(c, j); }));
    }
    return table.render(context_.terminal);
  }

  template <class Cell>
  std::vector<std::string> per_class(Cell&& cell) const {
    std::vector<std::string> cells;
    for (Index c = 0; c < model_.labels().size(); ++c)
      cells.push_back(model_.weights()[c] > 0 ? cell(c) : "-");
    return cells;
  }

  std::string table(const GaussianDensity& density) const {
    // A t that the option `tails` asked for has the covariance.
    const auto& options = model_.parts().options;
    const bool has_scale = !density.dof.empty() && !(options && !options->tails->is_normal());
    std::string text =
        title("gaussian", fmt::format("mean ± {}, covariance {}",
                                      has_scale ? "scale of Student's t" : "deviation",
                                      to_string(density.structure)));
    text += per_feature([&](Index c, Index j) {
      const bool is_constant =
          std::find(density.constant.begin(), density.constant.end(), j) != density.constant.end();
      const double variance =
          diagonal_at(density, c, j) * (has_scale ? scale_at(density, c, j) : 1);
      return with_deviation(density.mean(c, j), is_constant ? 0 : std::sqrt(variance));
    });
    text += deviations(density.deviation);
    if (density.dof.cols() == 1) {
      ClassTable dof({"degrees of freedom"}, model_.labels());
      dof.add({""}, per_class([&](Index c) { return rounded(density.dof(c, 0)); }));
      text += dof.render(context_.terminal);
    }
    std::vector<std::string> constant;
    for (const Index j : density.constant) constant.push_back(names_[j]);
    if (!constant.empty())
      text += fmt::format("Left out, because constant over all rows: {}.\n",
                          list_for_message(constant, 10));
    return text;
  }
  template <FeatureDensity Features>
  std::string table(const Features& density) const {
    return title(to_string(Features::family), FeatureFamily<Features>::shown) +
           per_feature([&](Index c, Index j) { return figure(values_of(density)(c, j), 3); });
  }
  std::string table(const MultinomialDensity& density) const {
    return title("multinomial", "probability of a word") +
           per_feature([&](Index c, Index j) { return figure(density.probability(c, j), 3); });
  }
  std::string table(const CategoricalDensity& density) const {
    ClassTable levels({"feature", "level"}, model_.labels());
    Index left_out = 0;
    for (const Index j : shown_) {
      const Matrix& probability = density.probability[j];
      std::vector<double> most(static_cast<std::size_t>(probability.cols()));
      for (Index l = 0; l < probability.cols(); ++l)
        for (Index c = 0; c < probability.rows(); ++c)
          most[l] = std::max(most[l], probability(c, l));
      std::vector<Index> order = largest(most, context_.options.top);
      left_out += std::ssize(most) - std::ssize(order);
      if (order.size() == most.size()) std::sort(order.begin(), order.end());
      for (const Index l : order)
        levels.add({l == order.front() ? names_[j] : "", density.levels[j][l]},
                   per_class([&](Index c) { return figure(probability(c, l), 3); }));
    }
    std::string text =
        title("categorical", "probability of a level") + levels.render(context_.terminal);
    if (left_out > 0)
      text += fmt::format("{} not shown, the least probable ones; --top 0 shows all.\n",
                          counted(static_cast<double>(left_out), "level"));
    return text;
  }

  std::string table(const TextDensity& density) const {
    const bool complement = density.event_model == EventModel::complement;
    const bool presence = density.event_model == EventModel::bernoulli;
    std::string text = title("text", presence     ? "probability that a document has a word"
                                     : complement ? "share of a word in the other classes"
                                                  : "probability of a word");
    for (const Index j : shown_) {
      ClassTable words({"telling for", "word"}, model_.labels());
      const auto top = static_cast<std::size_t>(context_.options.top);
      for (Index c = 0; c < model_.labels().size(); ++c) {
        const std::vector<Index> telling = telling_words(model_, block_, j, c, top);
        for (const Index i : telling)
          words.add({i == telling.front() ? model_.labels()[c] : "",
                     density.heaviest.empty() || density.heaviest[j].empty()
                         ? std::string(density.words[j][i])
                         : density.heaviest[j][i]},
                    per_class([&](Index k) { return figure(density.probability[j](k, i), 3); }));
      }
      text += fmt::format(
          "'{}': {} ({})\n", names_[j],
          counted(static_cast<double>(density.words[j].size()), "word"),
          to_string(model_.schema().feature(model_.schema().blocks()[block_].features[j]).text));
      text += words.render(context_.terminal);
    }
    return text;
  }

  const Context& context_;
  const Model& model_;
  std::size_t block_ = 0;
  Vector separation_;
  const LinearMap* projection_ = nullptr;  ///< of the block in hand
  std::vector<std::string> names_;         // of its features, or projections
  std::vector<Index> shown_;               // positions in the block
  std::size_t possible_ = 0;               // how many could be shown
};

std::string separation_text(const Context& context, const Model& model, const Vector& values) {
  const auto classes =
      std::count_if(model.weights().begin(), model.weights().end(), [](double w) { return w > 0; });
  // What went through a projection has none by itself.
  const auto known = std::ranges::count_if(values, [](double value) { return !std::isnan(value); });
  if (classes < 2 || values.size() < 2 || known == 0) return {};
  TextTable table({"feature", "family", "divergence"},
                  {TextTable::Align::left, TextTable::Align::left, TextTable::Align::decimal});
  for (const Index j : largest({values.begin(), values.end()}, context.options.top)) {
    const Feature& feature = model.schema().feature(j);
    if (std::isnan(values[j])) continue;
    table.add({feature.name, std::string(to_string(feature.family)), figure(values[j], 3)});
  }
  return heading(context.terminal, "features that tell the classes apart, each by itself") +
         table.render(context.terminal) +
         "Jeffreys' divergence in nats, the mean over all pairs of classes.\n";
}

/// The shares of a mixture.
std::string components_text(const Context& context, const Model& model) {
  if (!model.mixture()) return {};
  const auto& [names, label, weights] = *model.mixture();
  const Vector shares = model.mixture()->shares();
  TextTable table({"component", "class", "weight", "share"},
                  {TextTable::Align::left, TextTable::Align::left, TextTable::Align::decimal,
                   TextTable::Align::decimal});
  for (Index g = 0; g < names.size(); ++g)
    table.add({names[g], model.labels()[label[static_cast<std::size_t>(g)]], rounded(weights[g], 6),
               rounded(shares[g], 3)});
  return heading(context.terminal, "components of the classes") + table.render(context.terminal);
}

}  // namespace

std::string model_text(const Context& context, const Model& model,
                       const std::string& minimum_error) {
  std::string text = context.terminal.styled("model", Style::bold) + ": ";
  text += classes_text(context.terminal, model.schema(), model.labels(), model.weights()) + '\n';
  text += kept_in_words(model) + model_in_words(model) + mixture_in_words(model) +
          missing_in_words(model) + shrinkage_in_words(model) + means_in_words(model) +
          smoothing_in_words(model) + projection_in_words(model) + calibration_in_words(model) +
          choice_in_words(model) + units_in_words(model) +
          options_in_words(model, context.options.verbose) + parameters_in_words(model) +
          minimum_error;
  if (model.logistic())
    return text + logistic_text(context, model) + indicators_text(model.schema());
  text += components_text(context, model);
  DensityText blocks(context, model);
  for (std::size_t b = 0; b < model.densities().size(); ++b) text += blocks.draw(b);
  text += indicators_text(model.schema());
  return text + separation_text(context, model, blocks.separation_of_features());
}

}  // namespace suffice::cli
