#include "cli/words/show_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"
#include "cli/words/schema_text.hpp"
#include "data/family.hpp"

namespace suffice::cli {
namespace {

class SumsText {
 public:
  SumsText(const Context& context, const Statistics& statistics)
      : context_(context), statistics_(statistics) {}

  std::string draw(std::size_t b) {
    const Block& block = statistics_.schema().blocks()[b];
    family_ = block.family;
    features_ = block.features;
    names_ = transformed_names(statistics_.schema(), block);
    const std::int64_t top = context_.options.top;
    shown_ = top > 0 ? std::min<Index>(std::ssize(names_), top) : std::ssize(names_);
    std::string text =
        std::visit([&](const auto& sums) { return table(sums); }, statistics_.blocks()[b]);
    if (shown_ < std::ssize(names_))
      text +=
          fmt::format("The first {} of {} features; --top 0 shows all.\n", shown_, names_.size());
    return text;
  }

 private:
  std::string title(std::string_view what) const {
    return heading(context_.terminal,
                   fmt::format("{}, {}: {}", to_string(family_),
                               counted(static_cast<double>(names_.size()), "feature"), what));
  }

  static const char* what_is_kept(Scatter kind) {
    switch (kind) {
      case Scatter::dense:
        return "full scatter kept";
      case Scatter::diagonal:
        return "only the diagonal kept";
      case Scatter::thin:
        return "full scatter kept (thin)";
      case Scatter::pooled:
        return "one scatter kept for all classes";
    }
    return "";
  }

  std::string table(const GaussianStatistics& sums) const {
    std::vector<Moments> moments;
    for (Index c = 0; c < std::ssize(sums.classes); ++c) moments.push_back(sums.moments(c));
    ClassTable rows({"feature"}, statistics_.labels());
    for (Index j = 0; j < shown_; ++j) {
      std::vector<std::string> cells;
      for (const Moments& m : moments)
        cells.push_back(
            m.weight.empty() || !(m.weight[j] > 0)
                ? "-"
                : with_deviation(m.mean[j] + m.mean_low[j], std::sqrt(m.squares[j] / m.weight[j])));
      rows.add({names_[j]}, std::move(cells));
    }
    return title(std::string("mean ± deviation, ") + what_is_kept(sums.kind)) +
           rows.render(context_.terminal);
  }

  std::string table(const CountStatistics& sums) const {
    ClassTable rows({"feature"}, statistics_.labels());
    for (Index j = 0; j < shown_; ++j) {
      std::vector<std::string> cells;
      for (Index c = 0; c < sums.sum.rows(); ++c) cells.push_back(counted(sums.sum(c, j)));
      rows.add({names_[j]}, std::move(cells));
    }
    return title(describe(family_).sum_is) + rows.render(context_.terminal);
  }

  std::string table(const CategoricalStatistics& sums) const {
    ClassTable rows({"feature", "level"}, statistics_.labels());
    Index left_out = 0;
    for (Index j = 0; j < shown_; ++j) {
      const Matrix& count = sums.count[j];
      std::vector<double> total(static_cast<std::size_t>(count.cols()));
      for (Index l = 0; l < count.cols(); ++l) total[l] = count.map().col(l).sum();
      std::vector<Index> order = largest(total, context_.options.top);
      left_out += std::ssize(total) - std::ssize(order);
      if (order.size() == total.size()) std::sort(order.begin(), order.end());
      for (const Index l : order) {
        std::vector<std::string> cells;
        for (Index c = 0; c < count.rows(); ++c) cells.push_back(counted(count(c, l)));
        rows.add({l == order.front() ? names_[j] : "", sums.levels[j][l]}, std::move(cells));
      }
    }
    std::string text = title("rows with a level") + rows.render(context_.terminal);
    if (left_out > 0)
      text += fmt::format("{} not shown, the rarest ones; --top 0 shows all.\n",
                          counted(static_cast<double>(left_out), "level"));
    return text;
  }

  std::string table(const TextStatistics& sums) const {
    ClassTable rows({"feature", "word"}, statistics_.labels());
    std::string text;
    for (Index j = 0; j < shown_; ++j) {
      const Matrix& count = sums.count[j];
      std::vector<double> total(static_cast<std::size_t>(count.cols()));
      for (Index i = 0; i < count.cols(); ++i) total[i] = count.map().col(i).sum();
      for (const Index i : largest(total, context_.options.top)) {
        std::vector<std::string> cells;
        for (Index c = 0; c < count.rows(); ++c)
          cells.push_back(
              fmt::format("{} in {}", counted(count(c, i)), counted(sums.rows[j](c, i))));
        rows.add({names_[j], sums.heaviest.empty() || sums.heaviest[j].empty()
                                 ? std::string(sums.words[j][i])
                                 : sums.heaviest[j][i]},
                 std::move(cells));
      }
      text += fmt::format("'{}' has {} ({}).\n", names_[j],
                          counted(static_cast<double>(sums.words[j].size()), "different word"),
                          to_string(statistics_.schema().feature(features_[j]).text));
    }
    return title("times a word was written, in how many rows") + rows.render(context_.terminal) +
           text;
  }

  const Context& context_;
  const Statistics& statistics_;
  Family family_ = Family::gaussian;
  std::vector<std::string> names_;
  std::vector<Index> features_;
  Index shown_ = 0;
};

std::string missing_text(const Context& context, const Statistics& statistics) {
  const Vector missing = statistics.missing();
  TextTable table({"feature", "rows without it"},
                  {TextTable::Align::left, TextTable::Align::right});
  bool some = false;
  for (Index j = 0; j < missing.size(); ++j) {
    if (!(missing[j] > 0)) continue;
    some = true;
    table.add({statistics.schema().feature(j).name, counted(missing[j])});
  }
  if (!some) return {};
  return heading(context.terminal, "missing values") + table.render(context.terminal);
}

}  // namespace

std::string statistics_text(const Context& context, const Statistics& statistics) {
  std::string text = context.terminal.styled("statistics", Style::bold) + ": ";
  text += classes_text(context.terminal, statistics.schema(), statistics.labels(),
                       statistics.weights());
  SumsText blocks(context, statistics);
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) text += blocks.draw(b);
  text += indicators_text(statistics.schema());
  return text + missing_text(context, statistics);
}

}  // namespace suffice::cli
