// Our side of bench/compare.py: reads the arrays that the script wrote into a folder, then answers
// one command a line on standard input with one line of JSON.
//
//   bench_compare DIR      DIR/case.json: kind, rows, features, classes, threads
//   limits | fit | score | write        write puts the last scores into DIR/scores.bin

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "core/kernels.hpp"
#include "limits.hpp"
#include "work.hpp"

using namespace suffice;
using nlohmann::json;

namespace {

/// The file's numbers, in memory of the library's.
Vector read_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  const Index bytes = static_cast<Index>(file.tellg());
  Vector words(bytes / 8);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(words.data()), bytes / 8 * 8);
  return words;
}

template <class T>
std::vector<T> read_list(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<T> list(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(list.data()),
            static_cast<std::streamsize>(list.size() * sizeof(T)));
  return list;
}

/// Bytes in /proc/self/status: VmRSS (now) or VmHWM (the most since the last reset).
double memory(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (word != field + ":") continue;
    double kilobytes = 0;
    file >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

/// The seconds that a piece of work takes, and the memory that it needs beyond what there was.
template <class F>
json measure(F&& work) {
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = memory("VmRSS");
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {{"seconds", taken.count()}, {"extra_bytes", memory("VmHWM") - before}};
}

void run(const std::string& folder) {
  const json description = json::parse(std::ifstream(folder + "/case.json"));
  const Index rows = description.at("rows"), features = description.at("features");
  bench::Work work{.kind = description.at("kind"), .schema = {}};
  work.schema = Schema::numbered(features, bench::Work::family_of(work.kind));
  work.execution.threads = description.at("threads");

  const auto labels = read_list<std::int64_t>(folder + "/y.bin");
  const Vector x = read_words(folder + "/x.bin");
  std::vector<std::int32_t> row_start, column;
  if (work.kind == "multinomial") {
    row_start = read_list<std::int32_t>(folder + "/row_start.bin");
    column = read_list<std::int32_t>(folder + "/column.bin");
    work.rows =
        RowBlock(SparseView(rows, features, row_start.data(), column.data(), x.data()), labels);
  } else if (work.kind == "categorical") {
    const auto* codes = reinterpret_cast<const std::int64_t*>(x.data());
    work.rows = RowBlock(MatrixView(codes, rows, features), labels);
  } else {
    work.rows = RowBlock(MatrixView(x.data(), rows, features), labels);
  }

  std::optional<Model> model;
  std::optional<LogLikelihoods> scores;
  for (std::string command; std::getline(std::cin, command);) {
    json answer;
    if (command == "limits") {
      const int threads = work.execution.threads ? work.execution.threads : available_threads();
      answer = {{"read_bandwidth", bench::read_bandwidth(threads)},
                {"gemm_rate", bench::gemm_rate(threads)},
                {"kernels", kernels::target_name()},
                {"threads", threads}};
    } else if (command == "fit") {
      model.reset();
      answer = measure([&] { model = work.fit(); });
    } else if (command == "score") {
      scores.reset();
      answer = measure([&] { scores = work.score(*model); });
    } else if (command == "write") {
      std::ofstream(folder + "/scores.bin", std::ios::binary)
          .write(reinterpret_cast<const char*>(scores->values.data()),
                 static_cast<std::streamsize>(scores->values.size() * 8));
      answer = {{"labels", scores->labels.list()},
                {"weights", std::vector<double>(model->weights().begin(), model->weights().end())}};
    } else {
      throw std::runtime_error("unknown command " + command);
    }
    std::cout << answer << std::endl;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "bench_compare DIR\n";
    return 2;
  }
  try {
    run(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << "bench_compare: " << error.what() << '\n';
    return 1;
  }
}
