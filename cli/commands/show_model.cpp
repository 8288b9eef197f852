#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/commands/show.hpp"
#include "cli/output/text.hpp"
#include "models/feature_family.hpp"
#include "suffice/models/separation.hpp"

namespace suffice::cli {
namespace {

/// What covariance has at feature j of class c, whatever the structure keeps.
double kept_variance(const GaussianDensity& density, Index c, Index j) {
  switch (density.structure) {
    case Covariance::full:
      return density.covariance[c](j, j);
    case Covariance::tied:
      return density.covariance[0](j, j);
    case Covariance::diag:
      return density.covariance[0](c, j);
    case Covariance::tied_diag:
      return density.covariance[0](0, j);
    case Covariance::spherical:
      return density.covariance[0](c, 0);
    case Covariance::tied_spherical:
      break;
  }
  return density.covariance[0](0, 0);
}

/// The variance, or the squared scale of a Student's t.
double variance(const GaussianDensity& density, Index c, Index j) {
  const double kept = kept_variance(density, c, j);
  if (density.scale.empty()) return kept;
  return kept * density.scale(c, density.scale.cols() == 1 ? 0 : j);
}

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

std::string value_of(const Model& model, std::string_view option) {
  for (const auto& [name, value] : model.parts().options)
    if (name == option) return value;
  return {};
}

/// "12.3" of a list of numbers: rounded, at most five of them.
std::string rounded_list(const std::string& numbers) {
  std::string text;
  int count = 0;
  for (std::size_t at = 0; at < numbers.size(); ++count) {
    const std::size_t comma = std::min(numbers.find(',', at), numbers.size());
    if (count == 5) return text + ", …";
    text += (count ? ", " : "") + rounded(std::stod(numbers.substr(at, comma - at)), 3);
    at = comma + 1;
  }
  return text;
}

/// Draws one block after the other.
class DensityText {
 public:
  DensityText(const Context& context, const Model& model)
      : context_(context), model_(model), separation_(separation(model)) {}

  const Vector& separation_of_features() const { return separation_; }

  std::string draw(std::size_t b) {
    const Block& block = model_.schema().blocks()[b];
    names_ = names_of(model_, b);
    std::vector<double> values;
    for (const Index feature : block.features) values.push_back(separation_[feature]);
    // Projections come in the order of what they explain.
    projection_ = projection_of(model_.densities()[b]);
    if (projection_) values.assign(names_.size(), 0);
    shown_ = largest(values, context_.options.top);
    if (shown_.size() == names_.size()) std::sort(shown_.begin(), shown_.end());
    std::string text =
        std::visit([&](const auto& density) { return table(density); }, model_.densities()[b]);
    if (shown_.size() < names_.size())
      text += fmt::format(
          "{} of {} {}; --top 0 shows all.\n", shown_.size(), names_.size(),
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

  /// One row a feature; `cell(c, j)` for the classes that have seen rows.
  template <class Cell>
  std::string per_feature(Cell&& cell) const {
    const bool explains = projection_ && !projection_->explained.empty();
    const bool is_lda = !value_of(model_, "lda").empty();
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
    std::string text =
        title("gaussian", fmt::format("mean ± {}, covariance {}",
                                      density.dof.empty() ? "deviation" : "scale of Student's t",
                                      to_string(density.structure)));
    text += per_feature([&](Index c, Index j) {
      const bool is_constant =
          std::find(density.constant.begin(), density.constant.end(), j) != density.constant.end();
      return fmt::format("{} ± {}", rounded(density.mean(c, j)),
                         is_constant ? "0" : rounded(std::sqrt(variance(density, c, j)), 3));
    });
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
           per_feature([&](Index c, Index j) { return rounded(values_of(density)(c, j)); });
  }
  std::string table(const MultinomialDensity& density) const {
    return title("multinomial", "probability of a word") +
           per_feature([&](Index c, Index j) { return rounded(density.probability(c, j)); });
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
                   per_class([&](Index c) { return rounded(probability(c, l)); }));
    }
    std::string text =
        title("categorical", "probability of a level") + levels.render(context_.terminal);
    if (left_out > 0)
      text += fmt::format("{} not shown, the least probable ones; --top 0 shows all.\n",
                          counted(static_cast<double>(left_out), "level"));
    return text;
  }

  const Context& context_;
  const Model& model_;
  Vector separation_;
  const LinearMap* projection_ = nullptr;  ///< of the block in hand
  std::vector<std::string> names_;         // of its features, or projections
  std::vector<Index> shown_;               // positions in the block
};

std::string separation_text(const Context& context, const Model& model, const Vector& values) {
  const auto classes =
      std::count_if(model.weights().begin(), model.weights().end(), [](double w) { return w > 0; });
  // What went through a projection has none by itself.
  const auto known = std::ranges::count_if(values, [](double value) { return !std::isnan(value); });
  if (classes < 2 || values.size() < 2 || known == 0) return {};
  TextTable table({"feature", "family", "divergence"},
                  {TextTable::Align::left, TextTable::Align::left, TextTable::Align::right});
  for (const Index j : largest({values.begin(), values.end()}, context.options.top)) {
    const Feature& feature = model.schema().feature(j);
    if (std::isnan(values[j])) continue;
    table.add({feature.name, std::string(to_string(feature.family)), rounded(values[j])});
  }
  return heading(context.terminal, "features that tell the classes apart, each by itself") +
         table.render(context.terminal) +
         "Jeffreys' divergence in nats, the mean over all pairs of classes.\n";
}

/// The columns that are not 0 throughout: those of the numbers.
std::string matrix_text(const Terminal& terminal, const Discriminant& g) {
  std::vector<std::string> headings = {"A"};
  std::vector<Index> shown;
  for (Index j = 0; j < g.A.cols(); ++j) {
    if (g.A.map().col(j).isZero(0)) continue;
    shown.push_back(j);
    headings.push_back(g.columns[j]);
  }
  TextTable table(headings);
  for (const Index i : shown) {
    std::vector<std::string> cells = {g.columns[i]};
    for (const Index j : shown) cells.push_back(rounded(g.A(i, j)));
    table.add(std::move(cells));
  }
  return table.render(terminal);
}

}  // namespace

namespace {
/// So many rows that nothing else counts.
bool is_endless(const std::string& rows) { return std::stod(rows) > 1e6; }
}  // namespace

std::string shrinkage_in_words(const Model& model) {
  const std::string asked = value_of(model, "shrinkage"), rows = value_of(model, "shrinkage_rows"),
                    target_rows = value_of(model, "target_rows"),
                    shares = value_of(model, "shrinkage_shares"),
                    covariance = value_of(model, "covariance");
  const std::string shared = covariance == "diag" ? "variances" : "covariance";
  std::string text;
  if (!shares.empty()) text = "the share of the spherical target is " + rounded_list(shares);
  if (!rows.empty() && covariance == "tied")
    text = is_endless(rows) ? "the covariance is diagonal"
                            : fmt::format("the covariance has all rows and {} rows of its diagonal",
                                          rounded_list(rows));
  else if (!rows.empty())
    text = is_endless(rows)
               ? fmt::format("each class has the {} of all classes", shared)
               : fmt::format("each class has its own rows and {} rows of the {} of all classes",
                             rounded_list(rows), shared);
  if (!target_rows.empty())
    text += is_endless(target_rows)
                ? ", which is diagonal"
                : fmt::format(", which has {} rows of its diagonal", rounded_list(target_rows));
  if (rows == "inf" || target_rows == "inf")
    text += ", for there are too few rows to tell correlations";
  if (text.empty()) return {};
  const bool is_plugin = value_of(model, "estimate") == "plugin";
  return fmt::format("shrinkage {}: {}; --shrinkage 0 is {}\n", asked, text,
                     is_plugin ? "plain maximum likelihood" : "the weakest prior, worth one row");
}

std::string projection_in_words(const Model& model) {
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const LinearMap* map = projection_of(model.densities()[b]);
    if (!map) continue;
    std::string text = fmt::format("{} of {} features",
                                   counted(static_cast<double>(map->matrix.cols()), "projection"),
                                   model.schema().blocks()[b].features.size());
    const std::string pca = value_of(model, "pca_components");
    if (!pca.empty())
      text += fmt::format(": {} principal component{} {} % of the variance", pca,
                          pca == "1" ? " has" : "s have",
                          rounded(100 * std::stod(value_of(model, "pca_explained")), 4));
    return text + "\n";
  }
  return {};
}

std::string model_text(const Context& context, const Model& model) {
  std::string text = context.terminal.styled("model", Style::bold) + ": ";
  text += classes_text(context.terminal, model.schema(), model.labels(), model.weights());
  DensityText blocks(context, model);
  for (std::size_t b = 0; b < model.densities().size(); ++b) text += blocks.draw(b);
  text += separation_text(context, model, blocks.separation_of_features());
  if (!model.parts().options.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [name, value] : model.parts().options)
      if (!is_found(name)) pairs.push_back(name + ' ' + value);
    text += heading(context.terminal, "estimated with") +
            fmt::format("{}\n", fmt::join(pairs, ", ")) + shrinkage_in_words(model) +
            projection_in_words(model);
  }
  return text;
}

std::string discriminant_text(const Context& context, const Model& model) {
  std::vector<Discriminant> functions;
  std::vector<std::string> labels;
  for (Index c = 0; c < model.labels().size(); ++c) {
    if (!(model.weights()[c] > 0)) continue;  // its log-likelihood is -inf everywhere
    functions.push_back(discriminant(model, model.labels()[c]));
    labels.push_back(model.labels()[c]);
  }
  if (functions.empty()) return {};
  const Discriminant& first = functions.front();
  const auto dimension = std::ssize(first.columns);
  const std::int64_t top = context.options.top;
  std::string text = heading(context.terminal,
                             first.is_linear() ? "linear discriminant: g(x) = w·x + b, larger wins"
                                               : "quadratic discriminant: g(x) = xᵀ A x + b·x + c, "
                                                 "larger wins");
  ClassTable table({first.is_linear() ? "w" : "b"}, Names(labels));
  std::vector<double> largest_weight(static_cast<std::size_t>(dimension));
  for (Index j = 0; j < dimension; ++j)
    for (const Discriminant& g : functions)
      largest_weight[j] = std::max(largest_weight[j], std::abs(g.w[j]));
  std::vector<Index> order = largest(largest_weight, top);
  std::sort(order.begin(), order.end());
  const auto cells = [&](auto&& of) {
    std::vector<std::string> row;
    for (const Discriminant& g : functions) row.push_back(rounded(of(g)));
    return row;
  };
  for (const Index j : order)
    table.add({first.columns[j]}, cells([&](const Discriminant& g) { return g.w[j]; }));
  table.add({first.is_linear() ? "(b)" : "(c)"}, cells([](const Discriminant& g) { return g.c; }));
  text += table.render(context.terminal);
  if (std::ssize(order) < dimension)
    text += fmt::format("{} of {} coefficients, the largest; --top 0 shows all.\n", order.size(),
                        dimension);
  if (first.is_linear()) return text;
  if (top > 0 && dimension > top)
    return text + fmt::format("A has {0} × {0} numbers a class; --top 0 or --json shows them.\n",
                              dimension);
  for (std::size_t c = 0; c < functions.size(); ++c)
    text += heading(context.terminal, "A of class '" + printable(labels[c]) + "'") +
            matrix_text(context.terminal, functions[c]);
  return text;
}

}  // namespace suffice::cli
