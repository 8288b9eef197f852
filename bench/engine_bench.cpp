// The engine alone, under Google Benchmark: fit and score of the shapes that bench/compare.py
// compares with scikit-learn, exact leave-one-out beside plain scores, and the limits of the
// machine. Some of it:
//
//   build/bench/engine_bench --benchmark_filter='fit/.*x20x10'

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include "algebra/blas.hpp"
#include "limits.hpp"
#include "work.hpp"

using namespace suffice;

namespace {

struct Shape {
  const char* kind;
  const char* name;
  Index rows, features, classes;
};

constexpr Index levels = 5;
constexpr Index words_per_row = 50;

/// Rows of one shape, in memory.
struct Data {
  std::vector<double> x;
  std::vector<std::int64_t> codes, labels;
  std::vector<std::int32_t> row_start, column;
  bench::Work work;
};

std::unique_ptr<Data> make_data(const Shape& shape) {
  auto data = std::make_unique<Data>();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto cells = static_cast<std::size_t>(shape.rows * shape.features);
  data->work.kind = shape.kind;
  data->work.schema = Schema::numbered(shape.features, bench::Work::family_of(shape.kind));
  for (Index i = 0; i < shape.rows; ++i)
    data->labels.push_back(static_cast<std::int64_t>(random() % shape.classes));
  const auto label_of = [&](Index i) { return data->labels[static_cast<std::size_t>(i)]; };

  if (data->work.kind == "multinomial") {
    // One word from each of fifty parts of the vocabulary, early words more often.
    const Index part = shape.features / words_per_row;
    data->row_start.push_back(0);
    for (Index i = 0; i < shape.rows; ++i) {
      for (Index p = 0; p < words_per_row; ++p) {
        const double u = uniform(random);
        const auto word = static_cast<Index>(u * u * static_cast<double>(part));
        data->column.push_back(
            static_cast<std::int32_t>(p * part + (word + 7 * label_of(i)) % part));
        data->x.push_back(1 + static_cast<double>(random() % 3));
      }
      data->row_start.push_back(static_cast<std::int32_t>(data->column.size()));
    }
    data->work.rows = RowBlock(SparseView(shape.rows, shape.features, data->row_start.data(),
                                          data->column.data(), data->x.data()),
                               data->labels);
    return data;
  }
  if (data->work.kind == "categorical") {
    data->codes.reserve(cells);
    for (Index i = 0; i < shape.rows; ++i)
      for (Index j = 0; j < shape.features; ++j) {
        const double u = std::pow(uniform(random), 1 + 0.05 * static_cast<double>(label_of(i)));
        data->codes.push_back(static_cast<std::int64_t>(u * levels));
      }
    data->work.rows =
        RowBlock(MatrixView(data->codes.data(), shape.rows, shape.features), data->labels);
    return data;
  }
  data->x.reserve(cells);
  const bool binary = data->work.kind == "bernoulli";
  for (Index i = 0; i < shape.rows; ++i)
    for (Index j = 0; j < shape.features; ++j) {
      const double shift = 0.3 * std::sin(static_cast<double>((j + 1) * (label_of(i) + 1)));
      data->x.push_back(binary ? uniform(random) < 0.5 + shift / 2 : shift + normal(random));
    }
  data->work.rows = RowBlock(MatrixView(data->x.data(), shape.rows, shape.features), data->labels);
  return data;
}

/// The data of the shape at hand; only one is kept at a time.
const bench::Work& work_of(const Shape& shape) {
  static const Shape* made = nullptr;
  static std::unique_ptr<Data> data;
  if (made != &shape) {
    data.reset();
    data = make_data(shape);
    made = &shape;
  }
  return data->work;
}

const Shape shapes[] = {
    {"naive", "naive/1e6x20x10", 1000000, 20, 10},
    {"naive", "naive/2e5x50x100", 200000, 50, 100},
    {"tied", "tied/1e6x20x10", 1000000, 20, 10},
    {"tied", "tied/5e4x784x10", 50000, 784, 10},
    {"full", "full/1e6x20x10", 1000000, 20, 10},
    {"full", "full/5e4x784x10", 50000, 784, 10},
    {"bernoulli", "bernoulli/2e5x100x10", 200000, 100, 10},
    {"categorical", "categorical/2e5x100x10", 200000, 100, 10},
    {"multinomial", "multinomial/1e5x5e4x20", 100000, 50000, 20},
};

void train(benchmark::State& state, const Shape* shape) {
  const bench::Work& work = work_of(*shape);
  for (auto _ : state) benchmark::DoNotOptimize(work.fit());
  state.SetItemsProcessed(state.iterations() * shape->rows);
}

void score(benchmark::State& state, const Shape* shape) {
  const bench::Work& work = work_of(*shape);
  const Model model = work.fit();
  for (auto _ : state) benchmark::DoNotOptimize(work.score(model));
  state.SetItemsProcessed(state.iterations() * shape->rows);
}

/// 58000 rows of 9 features and 7 classes, three of which are rare, as those of the Shuttle set.
const Data& shuttle_like() {
  static const std::unique_ptr<Data> data = [] {
    auto made = std::make_unique<Data>();
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    constexpr Index features = 9, sizes[] = {45580, 50, 170, 8900, 3260, 20, 20};
    for (std::int64_t c = 0; c < std::ssize(sizes); ++c)
      made->labels.insert(made->labels.end(), static_cast<std::size_t>(sizes[c]), c);
    std::shuffle(made->labels.begin(), made->labels.end(), random);
    for (const std::int64_t label : made->labels)
      for (Index j = 0; j < features; ++j)
        made->x.push_back(std::sin(static_cast<double>((j + 1) * (label + 1))) + normal(random));
    const Index rows = std::ssize(made->labels);
    made->work.schema = Schema::numbered(features, Family::gaussian);
    made->work.rows = RowBlock(MatrixView(made->x.data(), rows, features), made->labels);
    return made;
  }();
  return *data;
}

void score_plainly(benchmark::State& state, Covariance covariance) {
  const bench::Work& work = shuttle_like().work;
  const Model model =
      estimate(work.sums(), {.covariance = covariance, .shrinkage = Shrinkage::none()});
  for (auto _ : state) benchmark::DoNotOptimize(log_likelihood(model, work.rows));
  state.SetItemsProcessed(state.iterations() * work.rows.rows());
}

void leave_one_out(benchmark::State& state, Covariance covariance) {
  const bench::Work& work = shuttle_like().work;
  const LeaveOneOut without(work.sums(),
                            {.covariance = covariance, .shrinkage = Shrinkage::none()});
  for (auto _ : state) benchmark::DoNotOptimize(without(work.rows));
  state.SetItemsProcessed(state.iterations() * work.rows.rows());
}

/// Of products of twice as many rows of standard normal numbers as columns.
struct Symmetric {
  explicit Symmetric(Index n) : rows(2 * n, n), products(n, n) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = normal(random);
    blas::gemm_tn(n, n, 2 * n, 1, rows.data(), n, rows.data(), n, 0, products.data(), n);
  }
  Matrix rows, products;
};

void eigenvectors(benchmark::State& state, Index n, Index count) {
  const Symmetric of(n);
  Vector values(n);
  for (auto _ : state) {
    Matrix a = of.products;
    if (count > 0)
      blas::largest_eigenvectors(n, a.data(), n, values.data(), count);
    else
      blas::eigenvalues(n, a.data(), n, values.data());
  }
}

void qr(benchmark::State& state, Index n) {
  const Symmetric of(n);
  for (auto _ : state) {
    Matrix a = of.rows;
    blas::qr(2 * n, n, a.data(), n);
  }
}

void read_limit(benchmark::State& state) {
  for (auto _ : state) state.counters["GB/s"] = bench::read_bandwidth(available_threads()) / 1e9;
}

void gemm_limit(benchmark::State& state) {
  for (auto _ : state) state.counters["GF/s"] = bench::gemm_rate(available_threads()) / 1e9;
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::RegisterBenchmark("limit/read", read_limit)->Iterations(1);
  benchmark::RegisterBenchmark("limit/dgemm", gemm_limit)->Iterations(1);
  for (const Shape& shape : shapes) {
    const std::string name = shape.name;
    benchmark::RegisterBenchmark(("fit/" + name).c_str(), train, &shape)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("score/" + name).c_str(), score, &shape)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const Index n : {100, 784, 2048}) {
    const std::string size = std::to_string(n);
    for (const Index wanted : {n, Index{50}, Index{0}})
      benchmark::RegisterBenchmark(("eigenvectors/" + size + "/" + std::to_string(wanted)).c_str(),
                                   eigenvectors, n, wanted)
          ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("qr/" + size).c_str(), qr, n)->Unit(benchmark::kMillisecond);
  }
  for (const Covariance covariance :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag,
        Covariance::spherical, Covariance::tied_spherical}) {
    const std::string name = "/58000x9x7/" + std::string(to_string(covariance));
    benchmark::RegisterBenchmark(("plain" + name).c_str(), score_plainly, covariance)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("leave_one_out" + name).c_str(), leave_one_out, covariance)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
