#include "suffice/score/outlier.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/special_functions.hpp"
#include "data/number_reader.hpp"
#include "factor/factors.hpp"
#include "models/marginal.hpp"
#include "sample/sampler.hpp"
#include "score/derivatives.hpp"
#include "score/row_groups.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Samples are rows from here on, far from those that sample() is likely to be asked for.
constexpr std::uint64_t first_sample = std::uint64_t{1} << 63;
/// With fewer samples below a row than this its share is too rough not to look at the bound.
constexpr Index few = 100;
/// The words of documents are drawn by random numbers of their own where there are other features.
constexpr std::uint64_t first_document = first_sample + (std::uint64_t{1} << 62);
/// A level is told apart by this many samples below it.
constexpr double samples_below_level = 10;
constexpr double lowest_level = 1e-6;
/// Log-probabilities of samples that are kept at a time, about.
constexpr Index most_numbers = 256 * 20000;
constexpr Index rows_a_task = 512;

/// Long documents are compared with fewer samples than others: with as many as take this many
/// additions (of a word, in a class), and not less than these.
constexpr double most_work = 4e8;
constexpr double least_documents = 2000;
constexpr Index documents_a_task = 128;
/// Words of a document that are drawn before their probabilities are looked up.
constexpr Index words_at_once = 32;

/// sums += values
void add_to(Vector& sums, std::span<const double> values) {
  double* to = sums.data();
  for (const double value : values) *to++ += value;
}

Index tasks_for(Index rows) { return (rows + rows_a_task - 1) / rows_a_task; }

/// log Σ_c π_c p(x | c).
double mix(const double* score, const Vector& log_mixture, Vector& joint) {
  for (Index c = 0; c < joint.size(); ++c) joint[c] = score[c] + log_mixture[c];
  return log_sum_exp(joint);
}

/// How many of the sorted samples are not more probable. Equal probabilities, which discrete models
/// have, may differ by rounding: the order of a sum is not fixed.
Index count_up_to(const Vector& sorted, double log_p) {
  const double slack = 1e-12 * (1 + std::abs(log_p));
  return std::upper_bound(sorted.begin(), sorted.end(), log_p + slack) - sorted.begin();
}

/// What the tail of the density needs of a model of one Gaussian block: its number of features, the
/// largest value of each class's density and the degrees of freedom where these are Student's t. No
/// features where the model is another one, or features have one t each.
struct Peaks {
  /// `estimated`: the model whose rows tails allow for, where they do.
  explicit Peaks(const Model& model, const Model* estimated = nullptr) {
    if (model.densities().size() != 1) return;
    const auto* factor = std::get_if<GaussianFactor>(&model.factors().blocks[0]);
    if (!factor || factor->dof.cols() > 1) return;
    dof = static_cast<double>(factor->used.size());
    log_norm = factor->log_norm;
    student = factor->dof;
    if (estimated && student.empty()) allow_for_estimates(*estimated);
  }

  /// P(log p_c(X) ≤ log p) for X of class c. A normal density: q ~ χ²_d with log p_c = log_norm −
  /// ½ q. Student's t: q/d ~ F(d, ν) with log p_c = log_norm − ½ (ν + d) log(1 + q/ν), so that
  /// 1/(1 + q/ν) ~ Beta(ν/2, d/2).
  double tail(Index c, double log_p) const {
    const double twice = 2 * (log_norm[c] - log_p);
    if (!to_f.empty() && to_f[c] > 0) return f_tail(twice * to_f[c], dof, rest[c]);
    if (student.empty()) return chi_squared_tail(twice, dof);
    if (twice <= 0) return 1;
    const double nu = student(c, 0);
    return incomplete_beta(std::exp(-twice / (nu + dof)), nu / 2, dof / 2);
  }

  double dof = 0;
  Vector log_norm;  ///< K: log p_c(m_c)
  Matrix student;   ///< K × 1, or empty
  /// Of densities as they were estimated: q times to_f has an F distribution with `dof` and `rest`
  /// degrees of freedom. 0, or empty: q has χ².
  Vector to_f, rest;

 private:
  void allow_for_estimates(const Model& model) {
    const auto& density = std::get<GaussianDensity>(model.densities()[0]);
    if (!is_dense(density.structure)) return;
    const Vector& rows = model.weights();
    const bool is_one = is_tied(density.structure);
    const bool is_mle =
        !model.parts().options || model.parts().options->normalize == Normalize::mle;
    double all = 0, classes = 0;
    for (const double n : rows) {
      all += n;
      classes += n > 0;
    }
    to_f = rest = Vector(rows.size());
    for (Index c = 0; c < rows.size(); ++c) {
      const double n = rows[c], free = is_one ? all - classes : n - 1;
      rest[c] = free - dof + 1;
      if (!(n > 0) || !(rest[c] > 0)) continue;
      const double unbiased = is_mle ? free / (is_one ? all : n) : 1;
      to_f[c] = unbiased * n / (n + 1) * rest[c] / (free * dof);
    }
  }
};

/// What rows that lack the same features, with documents of the same lengths, are compared with.
struct Reference {
  Vector sorted;  ///< log p of rows that the model makes; empty: the bound is an equation
  Peaks peaks;
};
using Pattern = std::pair<std::vector<bool>, std::vector<Index>>;
using References = std::map<Pattern, Reference>;

/// How many references, or lengths of documents, are kept at a time.
std::size_t most_references(Index samples) {
  return static_cast<std::size_t>(std::clamp<Index>(most_numbers / samples, 1, 256));
}

Index samples_for(const Model& model, const OutlierOptions& options) {
  if (!(options.level > 0) || Peaks(model).dof > 0) return options.samples;
  return std::max(options.samples,
                  static_cast<Index>(std::ceil(samples_below_level / options.level)));
}

/// The position of the only block of documents; none where there is no such block, or several.
std::optional<std::size_t> block_of_documents(const Model& model) {
  std::optional<std::size_t> found;
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    if (!std::holds_alternative<MultinomialDensity>(model.densities()[b])) continue;
    if (found) return std::nullopt;
    found = b;
  }
  return found;
}

/// Sampled rows without their documents.
struct SampledRest {
  std::vector<Index> label;
  Matrix scores;  ///< log p(x | c)
};

class OutlierScores {
 public:
  /// `log_p` is that of the rows; `model` and `mixture` are those of the components.
  OutlierScores(const Model& model, const RowBlock& rows, Vector log_p,
                std::span<const double> mixture, const OutlierOptions& options,
                const Execution& execution, References& references)
      : model_(model),
        mixture_(mixture),
        options_(options),
        execution_(execution),
        samples_(samples_for(model, options)),
        workers_(execution, tasks_for(samples_)),
        own_(static_cast<std::size_t>(workers_.size())),
        log_mixture_(model.labels().size()),
        log_p_(std::move(log_p)),
        result_(rows.rows()),
        groups_(group_rows(model, rows)),
        references_(references) {
    for (Index c = 0; c < log_mixture_.size(); ++c) log_mixture_[c] = std::log(mixture[at(c)]);
    for (Own& own : own_) own.joint = Vector(log_mixture_.size());
    subtract_derivatives(rows);
  }

  Vector operator()() && {
    Progress progress(execution_, static_cast<double>(groups_.size()));
    if (const auto words = block_of_documents(model_)) {
      documents(*words, progress);
    } else {
      for (const RowGroup& group : groups_) {
        const auto gone = std::ranges::count(group.missing, true);
        if (gone == std::ssize(group.missing))
          for (const Index i : group.rows) result_[i] = 1;
        else if (const Reference* known = find(group))
          compare(group, *known);
        else if (gone == 0)
          compare(group, keep(group, make_reference(model_, group)));
        else
          compare(group,
                  keep(group, make_reference(marginal(model_, group.missing, mixture_), group)));
        progress.advance(1);
      }
    }
    for (Index i = 0; i < result_.size(); ++i)
      if (log_p_[i] == -infinity) result_[i] = 0;
    progress.finish();
    return std::move(result_);
  }

 private:
  /// From log p(x) to log p(t(x)): a row is as unusual as what its transformations make of it.
  void subtract_derivatives(const RowBlock& rows) {
    for (std::size_t b = 0; b < model_.densities().size(); ++b) {
      const auto* factor = std::get_if<GaussianFactor>(&model_.factors().blocks[b]);
      if (!factor || !std::get<GaussianDensity>(model_.densities()[b]).projection.empty()) continue;
      const Block& block = model_.schema().blocks()[b];
      const Derivatives derivatives(model_.schema(), block, factor->used, false);
      if (derivatives.empty()) continue;
      const NumberReader reader(model_.schema(), block, rows);
      Vector scratch(rows_a_task * reader.features());
      for (Index first = 0; first < rows.rows(); first += rows_a_task) {
        const Index count = std::min(rows_a_task, rows.rows() - first);
        const NumberReader::Panel panel = reader.read(first, count, scratch.data());
        for (Index i = 0; i < count; ++i)
          log_p_[first + i] -= derivatives(panel.values + i * panel.stride);
      }
    }
  }

  static Pattern pattern_of(const RowGroup& group) {
    return {{group.missing.begin(), group.missing.end()}, group.document_length};
  }
  const Reference* find(const RowGroup& group) const {
    const auto known = references_.find(pattern_of(group));
    return known == references_.end() ? nullptr : &known->second;
  }
  const Reference& keep(const RowGroup& group, Reference reference) {
    if (references_.size() >= most_references(samples_)) references_.clear();
    return references_.insert_or_assign(pattern_of(group), std::move(reference)).first->second;
  }

  /// `model` is that of the features which the group has.
  Reference make_reference(const Model& model, const RowGroup& group) {
    if (has_maps(model)) return make_reference(without_maps(model), group);
    Reference reference{{}, Peaks(model, options_.as_estimated ? &model_ : nullptr)};
    // One Gaussian: the density is as low as at x wherever the Mahalanobis distance is as large,
    // and the bound is an equation.
    if (reference.peaks.dof > 0 &&
        std::ranges::count_if(mixture_, [](double p) { return p > 0; }) == 1)
      return reference;
    reference.sorted = sample_log_p(model, group);
    std::ranges::sort(reference.sorted);
    return reference;
  }

  /// log p of rows that the model makes.
  Vector sample_log_p(const Model& model, const RowGroup& group) {
    Vector samples(samples_);
    std::vector<Index> lengths;  // of the blocks that `model` has
    for (std::size_t b = 0; b < group.document_length.size(); ++b)
      if (std::ranges::any_of(model_.schema().blocks()[b].features,
                              [&](Index feature) { return !group.missing[at(feature)]; }))
        lengths.push_back(group.document_length[b]);
    draw_and_score(model, lengths, [&](Own& own, Index first, const LogLikelihoods& scores) {
      for (Index i = 0; i < scores.rows(); ++i)
        samples[first + i] = mix(scores.values.row(i).data(), log_mixture_, own.joint);
    });
    return samples;
  }

  /// `use` gets the first row of a task and the scores of its rows, whose classes are in scratch.
  template <class Use>
  void draw_and_score(const Model& model, const std::vector<Index>& lengths, const Use& use) {
    const Sampler sampler(model, mixture_);
    const Execution inner{.threads = 1, .stop = execution_.stop, .progress = {}};
    for (Own& own : own_) own.rows = Sample();  // those of another model
    workers_.run(tasks_for(samples_), [&](Index task, int worker) {
      Own& own = own_[static_cast<std::size_t>(worker)];
      const Index first = task * rows_a_task;
      const Index count = std::min(rows_a_task, samples_ - first);
      if (own.rows.values.rows() != count) own.rows = empty_sample(model, count);
      sampler.draw(options_.seed, first_sample + static_cast<std::uint64_t>(first), count,
                   lengths.data(), own.rows.values.data(), own.scratch);
      use(own, first, log_likelihood(model, own.rows.rows(), {}, inner));
    });
  }

  /// The features that are no words, of rows that lack some of them; nothing where there are none.
  std::optional<SampledRest> sample_rest(std::size_t words, std::vector<bool> missing) {
    for (const Index feature : model_.schema().blocks()[words].features)
      missing[at(feature)] = true;
    if (std::ranges::count(missing, true) == std::ssize(missing)) return std::nullopt;
    const Model plain = marginal(model_, missing, mixture_);
    const Model model = has_maps(plain) ? without_maps(plain) : plain;
    SampledRest rest{std::vector<Index>(at(samples_)), Matrix(samples_, log_mixture_.size())};
    const std::vector<Index> no_lengths(model.densities().size());
    draw_and_score(model, no_lengths, [&](Own& own, Index first, const LogLikelihoods& scores) {
      for (Index i = 0; i < scores.rows(); ++i) {
        rest.label[at(first + i)] = own.scratch.label[at(i)];
        std::ranges::copy(scores.values.row(i), rest.scores.row(first + i).begin());
      }
    });
    return rest;
  }

  /// How many documents of that length are sampled.
  Index samples_of(Index length) const {
    const double work =
        static_cast<double>(std::max<Index>(length, 1)) * static_cast<double>(log_mixture_.size());
    const double least =
        std::max(least_documents, options_.level > 0 ? samples_below_level / options_.level : 0.0);
    return std::min(samples_, static_cast<Index>(std::ceil(std::max(least, most_work / work))));
  }

  /// Groups that lack the same features share what is sampled of them.
  void documents(std::size_t words, Progress& progress) {
    std::map<std::vector<bool>, std::vector<const RowGroup*>> patterns;
    for (const RowGroup& group : groups_) {
      if (const Reference* known = find(group))
        compare(group, *known);
      else
        patterns[group.missing].push_back(&group);
    }
    for (auto& [missing, groups] : patterns)
      documents(words, sample_rest(words, missing), groups, progress);
  }

  /// The first N words of a long document are a document of N words: one pass over the sampled
  /// words serves many lengths.
  void documents(std::size_t block, const std::optional<SampledRest>& rest,
                 std::vector<const RowGroup*>& by_length, Progress& progress) {
    const auto& density = std::get<MultinomialDensity>(model_.densities()[block]);
    const Matrix& probability = density.probability;
    const Vector& concentration = density.concentration;
    const Index classes = probability.rows();
    Matrix log_word(probability.cols(), classes);
    for (Index c = 0; c < classes; ++c)
      for (Index j = 0; j < probability.cols(); ++j) log_word(j, c) = std::log(probability(c, j));
    const auto length_of = [block](const RowGroup* group) { return group->document_length[block]; };
    std::ranges::sort(by_length, {}, length_of);

    const Sampler sampler(model_, mixture_);
    const std::size_t a_pass = most_references(samples_);
    for (std::size_t begin = 0; begin < by_length.size(); begin += a_pass) {
      const std::span lengths(by_length.data() + begin, std::min(a_pass, by_length.size() - begin));
      std::vector<Vector> samples;  // fewer of longer documents
      for (const RowGroup* group : lengths) samples.emplace_back(samples_of(length_of(group)));
      const Index most = samples.front().size();
      workers_.run((most + documents_a_task - 1) / documents_a_task, [&](Index task, int worker) {
        Vector& joint = own_[static_cast<std::size_t>(worker)].joint;
        Vector sums(classes);
        std::vector<Index> document;
        std::array<Index, words_at_once> drawn;
        std::vector<double> seen(at(concentration.empty() ? 0 : probability.cols()));
        const Index last = std::min(most, (task + 1) * documents_a_task);
        for (Index i = task * documents_a_task; i < last; ++i) {
          RowRandom random(options_.seed,
                           (rest ? first_document : first_sample) + static_cast<std::uint64_t>(i));
          const Index label = rest ? rest->label[at(i)] : sampler.draw_class(random);
          if (rest)
            std::ranges::copy(rest->scores.row(i), sums.begin());
          else
            std::ranges::fill(sums, 0.0);
          Index words = 0;
          document.clear();
          std::ranges::fill(seen, 0.0);
          for (std::size_t k = 0; k < lengths.size() && i < samples[k].size(); ++k) {
            while (words < length_of(lengths[k])) {
              if (concentration.empty()) {
                // Some words at a time, so that their probabilities are waited for once.
                const Index count = std::min(words_at_once, length_of(lengths[k]) - words);
                for (Index w = 0; w < count; ++w)
                  drawn[at(w)] = sampler.draw_word(random, block, label, document);
                for (Index w = 0; w < count; ++w) add_to(sums, log_word.row(drawn[at(w)]));
                words += count;
                continue;
              }
              const Index word = sampler.draw_word(random, block, label, document);
              add_to(sums, log_word.row(word));
              // (A p + n_w) / (A + n): what the words before make of p
              for (Index c = 0; c < classes; ++c)
                if (const double a = concentration[c] * probability(c, word); a > 0)
                  sums[c] += std::log1p(seen[at(word)] / a) -
                             std::log1p(static_cast<double>(words) / concentration[c]);
              ++seen[at(word)];
              ++words;
            }
            samples[k][i] = mix(sums.data(), log_mixture_, joint);
          }
        }
      });
      for (std::size_t k = 0; k < lengths.size(); ++k) {
        std::ranges::sort(samples[k]);
        compare(*lengths[k], keep(*lengths[k], {std::move(samples[k]), Peaks(model_)}));
        progress.advance(1);
      }
    }
  }

  /// Finds the place of the group's rows among the samples.
  void compare(const RowGroup& group, const Reference& reference) {
    const Vector& samples = reference.sorted;
    const Peaks& peaks = reference.peaks;
    for_rows(group, [&](Index i) {
      if (samples.empty()) return bound(peaks, log_p_[i]);
      const Index count = count_up_to(samples, log_p_[i]);
      const double share = static_cast<double>(1 + count) / static_cast<double>(1 + samples.size());
      return count < few && peaks.dof > 0 ? std::min(share, bound(peaks, log_p_[i])) : share;
    });
  }

  /// Σ_c π_c P(π_c p_c(X) ≤ p).
  double bound(const Peaks& peaks, double log_p) const {
    double sum = 0;
    for (Index c = 0; c < log_mixture_.size(); ++c)
      if (mixture_[at(c)] > 0) sum += mixture_[at(c)] * peaks.tail(c, log_p - log_mixture_[c]);
    return std::min(sum, 1.0);
  }

  template <class Score>
  void for_rows(const RowGroup& group, const Score& score) {
    const Index count = std::ssize(group.rows);
    workers_.run(tasks_for(count), [&](Index task, int) {
      const Index last = std::min(count, (task + 1) * rows_a_task);
      for (Index k = task * rows_a_task; k < last; ++k) {
        const Index i = group.rows[at(k)];
        result_[i] = score(i);
      }
    });
  }

  struct Own {  ///< one per worker
    Sample rows;
    Sampler::Scratch scratch;
    Vector joint;
  };

  const Model& model_;
  std::span<const double> mixture_;
  const OutlierOptions& options_;
  const Execution& execution_;
  Index samples_;
  Workers workers_;
  std::vector<Own> own_;
  Vector log_mixture_;
  Vector log_p_;  ///< per row
  Vector result_;
  std::vector<RowGroup> groups_;
  References& references_;
};

}  // namespace

struct OutlierScorer::State {
  const Model& model;
  Vector classes;  ///< their probabilities
  Vector mixture;  ///< those of the components
  OutlierOptions options;
  References references;
};

OutlierScorer::OutlierScorer(const Model& model, std::span<const double> mixture,
                             const OutlierOptions& options)
    : state_(new State{model, Vector(mixture), Vector(mixture), options, {}}) {
  if (options.samples < 1)
    throw InvalidArgument("samples is " + std::to_string(options.samples), "it must be 1 or more");
  if (options.level > 0 && options.level < lowest_level && Peaks(model).dof == 0)
    throw InvalidArgument(
        "the outlier level is " + name_of(options.level) +
            ", and a score of this model is a share of sampled rows, which would "
            "take more than 10 million of them",
        "use " + name_of(lowest_level) + " or more, or a model of columns of numbers alone");
  require_mixture(model, mixture);
  if (model.mixture()) state_->mixture = model.mixture()->probabilities(mixture);
}
OutlierScorer::~OutlierScorer() = default;
OutlierScorer::OutlierScorer(OutlierScorer&&) noexcept = default;

Vector OutlierScorer::operator()(const RowBlock& rows, const LogLikelihoods& scores,
                                 const Execution& execution) {
  auto& [model, classes, mixture, options, references] = *state_;
  require_densities(model, "an outlier score");
  if (scores.relative)
    throw InvalidArgument(
        "relative scores lack a term that all classes share, so p(x) cannot be computed from them",
        "score with {.relative = false}");
  if (scores.labels != model.labels() || scores.values.cols() != model.labels().size())
    throw InvalidArgument("the scores are over other classes than the model",
                          "give those that log_likelihood made with this model");
  if (scores.rows() != rows.rows())
    throw InvalidArgument("there are scores of " + std::to_string(scores.rows()) + " rows for " +
                          std::to_string(rows.rows()) + " rows");
  Vector log_p(rows.rows()), log_classes(classes.size()), joint(classes.size());
  for (Index c = 0; c < classes.size(); ++c) log_classes[c] = std::log(classes[c]);
  for (Index i = 0; i < rows.rows(); ++i)
    log_p[i] = mix(scores.values.row(i).data(), log_classes, joint);
  return OutlierScores(model.components(), rows, std::move(log_p), mixture, options, execution,
                       references)();
}

TypicalityScorer::TypicalityScorer(const Model& model, const OutlierOptions& options)
    : labels_(model.labels().size()) {
  require_densities(model, "typicality");
  OutlierOptions of_class = options;
  of_class.as_estimated = !model.mixture();  // components have shares of rows
  for (Index c = 0; c < labels_; ++c) {
    if (!(model.weights()[c] > 0)) continue;
    Vector alone(labels_);
    alone[c] = 1;
    position_.push_back(c);
    classes_.emplace_back(model, alone, of_class);
  }
}

Matrix TypicalityScorer::operator()(const RowBlock& rows, const LogLikelihoods& scores,
                                    const Execution& execution) {
  Matrix result(rows.rows(), labels_);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Vector tails = classes_[k](rows, scores, execution);
    for (Index i = 0; i < result.rows(); ++i) result(i, position_[k]) = tails[i];
  }
  return result;
}

Vector outlier_score(const Model& model, const RowBlock& rows, const LogLikelihoods& scores,
                     std::span<const double> mixture, const OutlierOptions& options,
                     const Execution& execution) {
  return OutlierScorer(model, mixture, options)(rows, scores, execution);
}

}  // namespace suffice
