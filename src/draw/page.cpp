#include "suffice/draw/page.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "draw/scale.hpp"
#include "draw/svg.hpp"
#include "score/row_groups.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/inspect/minimum_error.hpp"
#include "suffice/inspect/separation.hpp"
#include "suffice/models/parameter_count.hpp"
#include "suffice/report/report_figures.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/score/outlier.hpp"

namespace suffice {
namespace draw {
namespace {

constexpr std::string_view page_style = R"css(
:root{color-scheme:light dark;--ink:#1b1e23;--faint:#5c6370;--line:#e3e5e8;--paper:#fff;--back:#f6f7f8}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e8eaed;--faint:#a9b0ba;--line:#32363d;--paper:#16181c;--back:#0e0f12}
.paper{fill:#16181c}text.ink{fill:#e8eaed}text.faint{fill:#a9b0ba}path.ink,line.ink,rect.ink{stroke:#e8eaed}.grid{stroke:#32363d}line.faint{stroke:#a9b0ba}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",Helvetica,Arial,sans-serif}
main{max-width:1380px;margin:0 auto;padding:20px 16px 48px}
h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:18px;margin:28px 0 6px}h3{font-size:15px;margin:8px 0;overflow-wrap:anywhere}
p{margin:4px 0 10px;max-width:75ch}.faint{color:var(--faint)}
.side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px;align-items:start}
figure,section.card{margin:0;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:8px;overflow-x:auto}
figure svg{display:block;max-width:100%;min-width:480px;height:auto}
.topics{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,600px),1fr));gap:0 20px;align-items:start}.topics>section{min-width:0}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:3px 12px 3px 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right}
details{margin:6px 2px;font-size:13px}summary{cursor:pointer;color:var(--faint)}pre{white-space:pre-wrap;overflow-wrap:anywhere}
.rows td,.rows th{white-space:nowrap}.rows td:not(.n){max-width:24ch;overflow:hidden;text-overflow:ellipsis}
@media print{body{background:#fff}main{padding:0}details{display:none}.topics{display:block}figure,section.card{break-inside:avoid;border:0}h2{break-after:avoid}figure svg{min-width:0}}
)css";

/// HTML as text: elements that nest.
class Html {
 public:
  Html& raw(std::string_view markup) {
    out_ += markup;
    return *this;
  }
  Html& text(std::string_view tag, std::string_view words, std::string_view attributes = {}) {
    out_ += '<' + std::string(tag) + (attributes.empty() ? "" : " ") + std::string(attributes) +
            '>' + escaped(words) + "</" + std::string(tag) + ">\n";
    return *this;
  }
  /// The first column is names, the others are numbers where they begin with one.
  Html& table(const std::vector<std::string>& columns,
              const std::vector<std::vector<std::string>>& rows, std::string_view attributes = {}) {
    raw("<table" + (attributes.empty() ? "" : " " + std::string(attributes)) + "><thead><tr>");
    const auto is_number = [&](std::size_t k) {
      return k > 0 && !rows.empty() && k < rows.front().size() && !rows.front()[k].empty() &&
             std::string_view("0123456789+").find(rows.front()[k].front()) !=
                 std::string_view::npos;
    };
    for (std::size_t k = 0; k < columns.size(); ++k)
      text("th", columns[k], is_number(k) ? "class=\"n\"" : "");
    raw("</tr></thead><tbody>\n");
    for (const std::vector<std::string>& row : rows) {
      raw("<tr>");
      for (std::size_t k = 0; k < row.size(); ++k)
        text("td", row[k], is_number(k) ? "class=\"n\"" : "");
      raw("</tr>\n");
    }
    return raw("</tbody></table>\n");
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

std::string page_percent(double share) { return short_number(100 * share, 3) + " %"; }

void begin_page(Html& html, std::string_view title, const PageScripts& scripts) {
  html.raw(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
  html.text("title", title).raw("<style>").raw(page_style).raw(scripts.style);
  html.raw("</style></head>\n<body><main>\n").text("h1", title);
}

/// Where a script puts its controls, and what is there without it.
void write_live_place(Html& html, std::string_view sentence) {
  html.raw("<div id=\"live\">").text("p", sentence, "class=\"faint\"").raw("</div>\n");
}

void end_page(Html& html, const PageScripts& scripts) {
  html.raw("</main>\n").raw(scripts.markup).raw("</body></html>\n");
}

class PageWriter {
 public:
  PageWriter(const Page& page, const Execution& execution) : page_(page), execution_(execution) {
    if (page.rows) rows_ = page.rows->rows();
  }

  std::string write() {
    begin_page(html_, title_words(), page_.scripts);
    write_summary();
    if (!page_.scripts.markup.empty())
      write_live_place(html_,
                       "This page can be changed in a browser that runs its scripts, with priors, "
                       "costs and other estimates. Here they do not run: it shows what the command "
                       "at its end wrote.");
    html_.raw(page_.models.size() == 1 ? "<div class=\"topics\">\n" : "<div>\n");
    if (evaluated()) {
      write_figures();
      write_evaluation();
    }
    write_pictures_of_models();
    if (page_.rows) write_rows();
    if (evaluated()) write_worst_rows();
    html_.raw("</div>\n");
    if (!page_.command.empty()) {
      html_.text("h2", "How to make this page again");
      html_.text("pre", page_.command);
    }
    end_page(html_, page_.scripts);
    return html_.text();
  }

 private:
  bool evaluated() const { return page_.models.front().report; }

  std::string title_words() const {
    std::string words = page_.models.front().name;
    if (page_.models.size() > 1) words += " and " + page_.models[1].name;
    return page_.data.empty() ? words : words + " on " + page_.data;
  }

  void write_summary() {
    const Model& first = page_.models.front().model;
    if (evaluated()) {
      std::string words = counted_rows(page_.models.front().report->rows) + " of " +
                          std::to_string(first.labels().size()) + " classes were evaluated";
      words += page_.costs ? ", with the given costs" : ", each mistake at the same cost";
      html_.text("p", words + ". Priors: " + priors_in_words(first));
    }
    html_.raw("<div class=\"side\">");
    for (const PageModel& of : page_.models) {
      html_.raw("<section class=\"card\">").text("h3", of.name);
      for (const std::string& line : of.words) html_.text("p", line);
      std::string classes;
      for (Index c = 0; c < std::min<Index>(of.model.labels().size(), 12); ++c)
        classes += (c ? ", " : "") + of.model.labels()[c] + " (" +
                   short_number(of.model.weights()[c], 6) + " rows)";
      classes += of.model.labels().size() > 12 ? ", …" : ".";
      html_.text("p",
                 std::to_string(of.model.schema().size()) + " features, " +
                     short_number(parameter_count(of.model).total(), 9) +
                     " parameters. Classes: " + classes,
                 "class=\"faint\"");
      html_.raw("</section>");
    }
    html_.raw("</div>\n");
  }

  static std::string counted_rows(double rows) {
    return short_number(rows, 9) + (rows == 1 ? " row" : " rows");
  }

  std::string priors_in_words(const Model& model) const {
    const Priors priors = page_.priors ? *page_.priors : Priors::from_counts(model);
    std::string words = page_.priors ? "" : "those of the training rows, ";
    for (Index c = 0; c < std::min<Index>(priors.labels().size(), 8); ++c)
      words += (c ? ", " : "") + priors.labels()[c] + " " + short_number(priors[c], 3);
    return words + (priors.labels().size() > 8 ? ", …" : ".");
  }

  std::string minimum_error_in_words(const Model& model) const {
    try {
      const Priors priors = page_.priors ? *page_.priors : Priors::from_counts(model);
      const MinimumError found = minimum_error(model, priors, {}, execution_);
      if (found.low == found.high) return page_percent(found.value);
      return page_percent(found.value) + " (95 % interval " + page_percent(found.low) + " to " +
             page_percent(found.high) + ")";
    } catch (const InvalidArgument&) {  // discriminative models, documents
      return {};
    }
  }

  void begin_topic(std::string_view heading) { html_.raw("<section>").text("h2", heading); }
  void end_topic() { html_.raw("</section>\n"); }

  void write_figures() {
    begin_topic("Figures");
    html_.text("p",
               "Errors are of decisions, the others of probabilities. A log-loss above that of the "
               "class frequencies is worse than not looking at the row.");
    std::vector<std::string> columns = {""};
    for (const PageModel& of : page_.models) columns.push_back(of.name);
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const char* name, const std::function<std::string(const PageModel&)>& of) {
      std::vector<std::string> row = {name};
      bool any = false;
      for (const PageModel& model : page_.models) {
        row.push_back(of(model));
        any |= !row.back().empty();
      }
      if (any) rows.push_back(std::move(row));
    };
    const auto figure = [](const std::optional<double>& value) {
      return value ? short_number(*value) : std::string();
    };
    add("error rate", [](const PageModel& of) {
      return page_percent(of.report->error_rate) + " (95 % interval " +
             page_percent(of.report->error_interval.low) + " to " +
             page_percent(of.report->error_interval.high) + ")";
    });
    add("minimum error, if the model is right",
        [&](const PageModel& of) { return minimum_error_in_words(of.model); });
    add("log-loss", [](const PageModel& of) {
      return short_number(of.report->log_loss) +
             (of.report->log_loss > of.report->frequency_log_loss ? " (above the class frequencies)"
                                                                  : "");
    });
    add("log-loss without calibration",
        [&](const PageModel& of) { return figure(of.uncalibrated_log_loss); });
    add("log-loss of the class frequencies",
        [](const PageModel& of) { return short_number(of.report->frequency_log_loss); });
    add("Brier score", [](const PageModel& of) { return short_number(of.report->brier); });
    add("mean cost", [&](const PageModel& of) { return figure(of.report->cost); });
    add("normalised cost", [&](const PageModel& of) { return figure(of.report->normalized_cost); });
    add("normalised cross-entropy",
        [&](const PageModel& of) { return figure(of.report->normalized_cross_entropy); });
    const auto two_class = [](const PageModel& of) -> const ClassDetection* {
      const Report& report = *of.report;
      return report.labels.size() == 2 && !report.detection.empty() && report.detection[0]
                 ? &*report.detection[0]
                 : nullptr;
    };
    add("AUC", [&](const PageModel& of) { return figure(of.report->auc); });
    add("Cllr, and after the best recalibration", [&](const PageModel& of) {
      const ClassDetection* one = two_class(of);
      return one ? short_number(one->curve.cllr()) + ", " + short_number(one->curve.min_cllr())
                 : std::string();
    });
    add("equal error rate, and on the convex hull", [&](const PageModel& of) {
      const ClassDetection* one = two_class(of);
      return one ? page_percent(one->curve.equal_error_rate()) + ", " +
                       page_percent(one->curve.eer_hull())
                 : std::string();
    });
    add("balanced accuracy",
        [](const PageModel& of) { return page_percent(of.report->balanced_accuracy); });
    add("macro F1", [](const PageModel& of) { return short_number(of.report->macro_f1); });
    add("rejected", [](const PageModel& of) {
      return of.report->rejected > 0 ? short_number(of.report->rejected, 9) : std::string();
    });
    html_.raw("<section class=\"card\">").table(columns, rows, "id=\"figures\"");
    html_.raw("</section>\n");
    end_topic();
  }

  /// A picture of each model beside each other; a model that has none says why.
  /// `name`: what `suffice plot --what` calls it.
  void add(std::string_view heading, std::string_view name,
           const std::function<Picture(const PageModel&)>& draw) {
    if (execution_.stop.stop_requested()) throw Cancelled();
    begin_topic(heading);
    html_.raw("<div class=\"side\">");
    for (const PageModel& of : page_.models) {
      html_.raw("<figure data-what=\"").raw(name).raw("\">");
      if (page_.models.size() > 1) html_.text("h3", of.name);
      try {
        const Picture picture = draw(of);
        html_.raw(picture.svg);
        if (!picture.rows.empty()) {
          constexpr std::size_t most = 200;
          html_.raw("<details><summary>Its numbers as a table</summary>");
          std::vector<std::vector<std::string>> rows = picture.rows;
          if (rows.size() > most) rows.resize(most);
          html_.table(picture.columns, rows);
          if (picture.rows.size() > most)
            html_.text("p", "The first " + std::to_string(most) + " of " +
                                std::to_string(picture.rows.size()) + " lines.");
          html_.raw("</details>");
        }
      } catch (const InvalidArgument& error) {
        html_.text("p", "Not shown: " + error.sentence().text() + ".", "class=\"faint\"");
      }
      html_.raw("</figure>\n");
    }
    html_.raw("</div>\n");
    end_topic();
  }

  void write_evaluation() {
    using OfReport = Picture (*)(const Report&, bool);
    struct Topic {
      const char *heading, *name;
      OfReport draw;
    };
    for (const Topic& topic :
         {Topic{"Which classes are confused", "confusion", plot::confusion},
          {"Errors at every prior", "bayes-error", plot::bayes_error},
          {"Can the probabilities be trusted?", "reliability", plot::reliability},
          {"Misses and false alarms", "det", plot::det},
          {"Hits and false alarms", "roc", plot::roc},
          {"Log-likelihood ratios", "ratios", plot::ratios}})
      add(topic.heading, topic.name,
          [&topic](const PageModel& of) { return topic.draw(*of.report, false); });
  }

  bool has_densities() const {
    return std::ranges::none_of(
        page_.models, [](const PageModel& of) { return of.model.logistic().has_value(); });
  }

  plot::Options options() const {
    return {.priors = page_.priors, .costs = page_.costs, .with_style = false};
  }

  void write_pictures_of_models() {
    const RowBlock* rows = page_.rows ? &rows_ : nullptr;
    add("What the classes look like", "densities",
        [&](const PageModel& of) { return plot::densities(of.model, options(), rows); });
    if (has_densities()) write_separation();
    add("Where each class is decided", "regions",
        [&](const PageModel& of) { return plot::regions(of.model, options(), rows); });
    add("Where the classes lie", "ellipses",
        [&](const PageModel& of) { return plot::ellipses(of.model, options(), rows); });
    add("How the numbers vary together", "correlations",
        [&](const PageModel& of) { return plot::correlations(of.model, options()); });
  }

  void write_separation() {
    begin_topic("Which features separate the classes");
    html_.text("p",
               "Each feature by itself: the mean divergence between two classes, in nats. For two "
               "normal densities of one variance it is the squared distance of the means in "
               "standard deviations.");
    html_.raw("<div class=\"side\">");
    for (const PageModel& of : page_.models) {
      const Vector apart = separation(of.model);
      std::vector<Index> order(static_cast<std::size_t>(apart.size()));
      std::iota(order.begin(), order.end(), Index{0});
      std::erase_if(order, [&](Index j) { return std::isnan(apart[j]); });
      std::ranges::stable_sort(order, [&](Index a, Index b) { return apart[a] > apart[b]; });
      constexpr std::size_t most = 20;
      const std::size_t all = order.size();
      if (all > most) order.resize(most);
      std::vector<std::vector<std::string>> rows;
      for (const Index j : order)
        rows.push_back({of.model.schema().feature(j).name, short_number(apart[j])});
      html_.raw("<section class=\"card\">");
      if (rows.empty())
        html_.text("p", "The model knows only projections of its features.", "class=\"faint\"");
      else
        html_.table({"feature", "divergence"}, rows);
      if (all > most)
        html_.text("p", "The first 20 of " + std::to_string(all) + ".", "class=\"faint\"");
      html_.raw("</section>\n");
    }
    html_.raw("</div>\n");
    end_topic();
  }

  static constexpr std::string_view outliers_in_words =
      "The outlier score of a row is the probability that the model makes a row that is as "
      "improbable or more. Where the model fits, a share of q of the rows has a score below q.";
  static constexpr std::string_view no_outliers_in_words =
      "A model without densities, or of documents of different lengths, does not know which rows "
      "are unusual.";

  bool has_outlier_scores() const {
    return has_densities() && std::ranges::none_of(page_.models, [](const PageModel& of) {
             return why_no_outlier_score(of.model).has_value();
           });
  }

  /// Of the sampled rows: what is missing, and how typical they are.
  void write_rows() {
    const RowBlock& rows = rows_;
    begin_topic("Unusual rows and missing values");
    html_.text("p", std::string(has_outlier_scores() ? outliers_in_words : no_outliers_in_words) +
                        " Figures of " + counted_rows(static_cast<double>(rows.rows())) +
                        ", a sample.");
    std::vector<std::vector<std::string>> shares = {{"below 0.1"}, {"below 0.01"}, {"below 0.001"}};
    std::vector<std::string> columns = {"outlier score"};
    for (const PageModel& of : page_.models) {
      if (!has_outlier_scores()) break;
      columns.push_back("rows, " + of.name);
      const Priors priors = page_.priors ? *page_.priors : Priors::from_counts(of.model);
      const LogLikelihoods scores = log_likelihood(of.model, rows, {}, execution_);
      const Vector outliers =
          outlier_score(of.model, rows, scores, priors.probabilities(), {}, execution_);
      for (std::size_t k = 0; k < 3; ++k) {
        const double level = std::pow(0.1, static_cast<double>(k + 1));
        const auto below = std::ranges::count_if(outliers, [&](double s) { return s < level; });
        shares[k].push_back(page_percent(static_cast<double>(below) /
                                         static_cast<double>(std::max<Index>(rows.rows(), 1))));
      }
    }
    html_.raw("<section class=\"card\">");
    if (has_outlier_scores()) html_.table(columns, shares);
    const Vector missing = page_.rows->missing();
    std::vector<std::vector<std::string>> lacking;
    for (Index j = 0; j < missing.size() && std::ssize(lacking) < 30; ++j)
      if (missing[j] > 0)
        lacking.push_back(
            {page_.models.front().model.schema().columns()[static_cast<std::size_t>(j)],
             page_percent(missing[j])});
    if (lacking.empty())
      html_.text("p", "No value is missing.");
    else
      html_.table({"column", "missing"}, lacking);
    html_.raw("</section>\n");
    end_topic();
  }

  void write_worst_rows() {
    begin_topic("The rows with the highest loss");
    html_.text("p", "Rows are counted from 1. Wrong labels and unusual rows often come first.");
    html_.raw("<div class=\"side\">");
    for (const PageModel& of : page_.models) {
      std::vector<std::vector<std::string>> rows;
      for (const LossyRow& row : of.report->worst)
        rows.push_back({"row " + short_number(row.row + 1, 15), of.report->labels[row.truth],
                        row.decided < 0 ? "–" : of.report->labels[row.decided],
                        short_number(std::exp(-row.log_loss), 3), short_number(row.log_loss)});
      html_.raw("<section class=\"card\">");
      if (page_.models.size() > 1) html_.text("h3", of.name);
      html_.table({"", "true class", "decided", "P(true class)", "loss"}, rows, "class=\"rows\"");
      html_.raw("</section>\n");
    }
    html_.raw("</div>\n");
    end_topic();
  }

  const Page& page_;
  const Execution& execution_;
  RowBlock rows_{0};  // views of the sample
  Html html_;
};

}  // namespace
}  // namespace draw

std::string report_page(const Page& page, const Execution& execution) {
  if (page.models.empty() || page.models.size() > 2)
    throw InvalidArgument("a page shows one model, or two side by side");
  for (const PageModel& of : page.models)
    if (!of.report != !page.models.front().report)
      throw InvalidArgument("one model was evaluated and the other was not");
  return draw::PageWriter(page, execution).write();
}

std::string script_page(std::string_view title, std::string_view sentence,
                        const PageScripts& scripts) {
  draw::Html html;
  draw::begin_page(html, title, scripts);
  draw::write_live_place(html, sentence);
  draw::end_page(html, scripts);
  return html.text();
}

}  // namespace suffice
