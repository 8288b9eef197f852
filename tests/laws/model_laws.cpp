// What every family's models obey: scores, best classes, discriminants and files agree with each
// other; a row with missing cells is scored by its marginal; probabilities add up to 1.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compare.hpp"
#include "data/tokenizer.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

LAWS_WHERE(MarginalLaws, family.missing_share > 0);

constexpr Size law_size{.rows = 400, .features = 7, .classes = 3};

/// Tries a law of a table and a model of it, for each structure.
void check_models(const FamilyCase& family,
                  const std::function<AssertionResult(const Table&, const Model&)>& law) {
  for (const Covariance structure : family.structures()) {
    check_law(
        family,
        [&](const Table& t) {
          const Model model =
              estimate(statistics_of(t, family.options()), {.covariance = structure});
          const AssertionResult r = law(t, model);
          if (!r) return AssertionFailure() << to_string(structure) << ": " << r.message();
          return AssertionSuccess();
        },
        law_size);
  }
}

TEST_P(Laws, RelativeScoresLackOneTermARow) {
  check_models(GetParam(), [](const Table& t, const Model& model) {
    const Matrix full = log_likelihood(model, t.block()).values;
    const LogLikelihoods relative = log_likelihood(model, t.block(), {.relative = true});
    for (Index i = 0; i < full.rows(); ++i)
      for (Index c = 1; c < full.cols(); ++c) {
        const double expected = full(i, c) - full(i, 0);
        const double got = relative.values(i, c) - relative.values(i, 0);
        if (std::abs(got - expected) > 1e-10 * (1 + std::abs(full(i, c)) + std::abs(full(i, 0))))
          return AssertionFailure() << "row " << i << ": " << got << ", not " << expected;
      }
    return AssertionSuccess();
  });
}

TEST_P(Laws, TheBestClassHasTheLargestScore) {
  check_models(GetParam(), [](const Table& t, const Model& model) {
    const Matrix full = log_likelihood(model, t.block()).values;
    const std::vector<double> offset{-1.5, 0, 2};
    const auto best = best_class(model, t.block(), offset);
    const auto plain = best_class(model, t.block());
    for (Index i = 0; i < full.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (Index c = 0; c < full.cols(); ++c) {
        const double slack = 1e-10 * (1 + std::abs(full(i, c)));
        const auto b = best[at], p = plain[at];
        if (b < 0 || p < 0 ||
            full(i, b) + offset[static_cast<std::size_t>(b)] <
                full(i, c) + offset[static_cast<std::size_t>(c)] - slack ||
            full(i, p) < full(i, c) - slack)
          return AssertionFailure() << "row " << i << ": class " << c << " is better";
      }
    }
    return AssertionSuccess();
  });
}

TEST_P(Laws, PosteriorsAreNormalisedJoints) {
  check_models(GetParam(), [](const Table& t, const Model& model) {
    const LogLikelihoods L = log_likelihood(model, t.block());
    const Priors priors = Priors::from_counts(model);
    const Matrix p = posteriors(L, priors);
    const Vector log_px = log_density(L, priors);
    for (Index i = 0; i < p.rows(); ++i) {
      double sum = 0;
      for (Index c = 0; c < p.cols(); ++c) {
        sum += p(i, c);
        const double joint = std::exp(L.values(i, c) + std::log(priors[c]) - log_px[i]);
        if (std::abs(joint - p(i, c)) > 1e-12) return AssertionFailure() << "row " << i;
      }
      if (std::abs(sum - 1) > 1e-13) return AssertionFailure() << "row " << i << " sums to " << sum;
    }
    return AssertionSuccess();
  });
}

/// What a discriminant's columns are for row i: numbers, and an indicator for each level.
std::vector<double> columns_of(const Table& t, Index i, const Discriminant& g) {
  std::vector<double> z;
  for (const std::string& column : g.columns) {
    double value = missing;
    for (Index j = 0; j < t.features(); ++j) {
      const std::string& name = t.schema().feature(j).name;
      if (column == name) value = t(i, j);
      if (t.schema().feature(j).family == Family::text && column.starts_with(name + "=")) {
        value = 0;
        Tokenizer({}).read(t.level(i, j), [&](std::string_view word, double) {
          if (column == name + "=" + std::string(word)) ++value;
        });
      } else if (t.categorical(j) && column.starts_with(name + "="))
        value = column == name + "=" + t.level(i, j) ? 1 : 0;
    }
    z.push_back(value);
  }
  return z;
}

TEST_P(Laws, DiscriminantsAreLogLikelihoodRatios) {
  const FamilyCase& family = GetParam();
  check_models(family, [&](const Table& t, const Model& model) {
    const Matrix L = log_likelihood(model, t.block()).values;
    for (Index a = 0; a < model.labels().size(); ++a)
      for (Index b = 0; b < model.labels().size(); ++b) {
        if (a == b) continue;
        const Discriminant pair = discriminant(model, model.labels()[a], model.labels()[b]);
        const Discriminant ga = discriminant(model, model.labels()[a]);
        const Discriminant gb = discriminant(model, model.labels()[b]);
        const bool linear = std::ranges::none_of(model.densities(), [](const Density& density) {
          const auto* gaussian = std::get_if<GaussianDensity>(&density);
          return gaussian && !is_tied(gaussian->structure);
        });
        if (pair.is_linear() != linear)
          return AssertionFailure() << (linear ? "not linear" : "linear");
        for (Index i = 0; i < t.rows(); i += 7) {
          if (!t.complete(i)) continue;
          const std::vector<double> z = columns_of(t, i, pair);
          const Index d = static_cast<Index>(z.size());
          double magnitude = std::abs(L(i, a)) + std::abs(L(i, b)) + std::abs(pair.c);
          for (Index j = 0; j < d; ++j) {
            const double zj = z[static_cast<std::size_t>(j)];
            magnitude += std::abs(pair.w[j] * zj);
            for (Index k = 0; k < d && !pair.is_linear(); ++k)
              magnitude += std::abs(pair.A(j, k) * zj * z[static_cast<std::size_t>(k)]);
          }
          const double expected = L(i, a) - L(i, b);
          // Both single functions have terms of that size too; each is rounded.
          if (std::abs(pair(z) - expected) > 1e-11 * magnitude ||
              std::abs(ga(z) - gb(z) - expected) >
                  1e-11 * (magnitude + std::abs(ga(z)) + std::abs(gb(z)) + std::abs(ga.c)))
            return AssertionFailure() << "row " << i << ": " << pair(z) << " and " << ga(z) - gb(z)
                                      << ", not " << expected;
        }
      }
    return AssertionSuccess();
  });
}

/// Some columns of a matrix, or some rows and columns.
Matrix part_of(const Matrix& m, const std::vector<Index>& columns, bool rows_too) {
  Matrix out(rows_too ? std::ssize(columns) : m.rows(), std::ssize(columns));
  for (Index r = 0; r < out.rows(); ++r)
    for (Index j = 0; j < out.cols(); ++j)
      out(r, j) = m(rows_too ? columns[static_cast<std::size_t>(r)] : r,
                    columns[static_cast<std::size_t>(j)]);
  return out;
}

/// The marginal density of some features of its block: whatever has a column or an entry for each
/// feature keeps theirs.
template <class D>
D restricted(const D& density, const std::vector<Index>& kept) {
  D out = density;
  Index d = 0;
  for_each_field<D>([&](const auto& field) {
    using Member = std::decay_t<decltype(field(density))>;
    if constexpr (std::is_same_v<Member, Matrix>) {
      if (d == 0) d = field(density).cols();
      if (field(density).cols() == d) field(out) = part_of(field(density), kept, false);
    } else if constexpr (requires { field(density).at(0); }) {
      if (field.layout == Layout::by_feature && !field(density).empty()) {
        field(out).clear();
        for (const Index j : kept)
          field(out).push_back(field(density)[static_cast<std::size_t>(j)]);
      }
    }
  });
  if constexpr (std::is_same_v<D, GaussianDensity>)
    for (Matrix& covariance : out.covariance)
      if (covariance.cols() == d)
        covariance =
            part_of(covariance, kept,
                    density.structure == Covariance::full || density.structure == Covariance::tied);
  return out;
}

/// The model of the features that are present in row i, from its marginal parameters.
Model marginal(const Model& model, const Table& t, Index i) {
  std::vector<Feature> features;
  std::vector<std::vector<Index>> blocks;
  Model::Parts parts{
      .schema = {}, .labels = model.labels(), .weights = model.weights(), .densities = {}};
  for (std::size_t k = 0; k < model.densities().size(); ++k) {
    const Block& block = model.schema().blocks()[k];
    std::vector<Index> kept;  // positions in the block
    std::vector<Index> at;
    for (std::size_t j = 0; j < block.features.size(); ++j)
      if (!std::isnan(t(i, block.features[j]))) {
        kept.push_back(static_cast<Index>(j));
        at.push_back(static_cast<Index>(features.size()));
        features.push_back(model.schema().feature(block.features[j]));
      }
    if (kept.empty()) continue;
    blocks.push_back(at);
    parts.densities.push_back(
        std::visit([&](const auto& density) -> Density { return restricted(density, kept); },
                   model.densities()[k]));
  }
  parts.schema = Schema(features, blocks);
  return Model(std::move(parts));
}

TEST_P(MarginalLaws, IncompleteRowsAreScoredByTheirMarginal) {
  const FamilyCase& family = GetParam();
  check_models(family, [&](const Table& t, const Model& model) {
    // More holes than the training rows had; one row has nothing at all.
    std::mt19937_64 random(3);
    Matrix values = t.parts().values;
    for (Index i = 0; i < t.rows(); ++i)
      for (Index j = 0; j < t.features(); ++j)
        if (i == 0 || random() % 3 == 0) values(i, j) = missing;
    const Table holes = t.with_values(values);
    const LogLikelihoods L = log_likelihood(model, holes.block());
    const LogLikelihoods relative = log_likelihood(model, holes.block(), {.relative = true});
    const auto best = best_class(model, holes.block());
    for (Index i = 0; i < 60; ++i) {
      Matrix expected(1, L.values.cols());
      std::vector<Index> present;
      for (Index j = 0; j < t.features(); ++j)
        if (!std::isnan(values(i, j))) present.push_back(j);
      if (!present.empty()) {
        const Model m = marginal(model, holes, i);
        // The row without its holes, in the order of the marginal's features.
        RowBlock row(1);
        for (const Feature& f : m.schema().features())
          for (const Index j : present)
            if (t.schema().feature(j).name == f.name) {
              if (t.categorical(j))
                row.feature(Column(Strings(std::span(&t.level(i, j), 1))));
              else
                row.feature(Column(values.data() + i * t.features() + j, 1));
            }
        expected = log_likelihood(m, row).values;
      }
      const double best_score =
          *std::max_element(expected.data(), expected.data() + expected.cols());
      for (Index c = 0; c < expected.cols(); ++c) {
        const double e = expected(0, c), slack = 1e-10 * (1 + std::abs(e));
        if (std::abs(L.values(i, c) - e) > slack)
          return AssertionFailure() << "row " << i << " with " << present.size()
                                    << " cells: " << L.values(i, c) << ", not " << e;
        const double ratio = relative.values(i, c) - relative.values(i, 0);
        if (std::abs(ratio - (e - expected(0, 0))) > slack + 1e-10 * std::abs(expected(0, 0)))
          return AssertionFailure() << "row " << i << ", relative";
      }
      if (expected(0, best[static_cast<std::size_t>(i)]) < best_score - 1e-9)
        return AssertionFailure() << "row " << i << ", best class";
    }
    return AssertionSuccess();
  });
}

// ---- Files

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(
            (std::filesystem::path(::testing::TempDir()) /
             ("suffice_laws_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
              "_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + name))
                .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_P(Laws, SavingAndLoadingPreserveEveryBit) {
  const FamilyCase& family = GetParam();
  const TemporaryFile first(".first"), second(".second");
  check_models(family, [&](const Table& t, const Model& model) {
    const Statistics stats = statistics_of(t, family.options());
    save(stats, first.path());
    const Statistics back = load_statistics(first.path());
    if (!(back == stats)) return AssertionFailure() << "statistics differ";
    save(back, second.path());
    if (bytes_of(first.path()) != bytes_of(second.path()))
      return AssertionFailure() << "the same statistics give other bytes";
    save(model, first.path());
    const Model again = load_model(first.path());
    if (!(again == model)) return AssertionFailure() << "models differ";
    save(again, second.path());
    if (bytes_of(first.path()) != bytes_of(second.path()))
      return AssertionFailure() << "the same model gives other bytes";
    if (!same_bits(log_likelihood(again, t.block()).values,
                   log_likelihood(model, t.block()).values))
      return AssertionFailure() << "a loaded model scores differently";
    return AssertionSuccess();
  });
}

}  // namespace
}  // namespace suffice::testing
