// Runs a fuzz target where there is no libFuzzer, and takes the same words: files and folders of
// inputs, -max_total_time=SECONDS, -seed=NUMBER and -artifact_prefix=PATH. All inputs are run
// first; then, for that many seconds, changes of them. An input that crashes, or takes more than
// five seconds, is saved.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

namespace fs = std::filesystem;

std::string running;  ///< the input at work, for save_input
std::string artifact = "crash";

/// Called while the program dies: nothing but system calls.
void save_input() {
  const int file = ::open(artifact.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const ssize_t written = ::write(file, running.data(), running.size());
  ::close(file);
  std::fprintf(stderr, "The input of %zd bytes is in %s\n", written, artifact.c_str());
}

void stop_at(int signal) {
  std::fprintf(stderr, signal == SIGALRM ? "The input takes more than 5 s\n" : "Aborted\n");
  save_input();
  ::_exit(77);
}

void run(std::string input) {
  running = std::move(input);
  ::alarm(5);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(running.data()), running.size());
}

/// One change: a bit, a byte, a piece that is cut out, doubled, moved or taken from another input.
std::string changed(std::string text, const std::vector<std::string>& corpus,
                    std::mt19937_64& random) {
  static constexpr std::string_view pieces[] = {"0",
                                                "-1",
                                                "1e308",
                                                "-1e-320",
                                                "nan",
                                                "inf",
                                                "99999999999999999999",
                                                "\"",
                                                "\n",
                                                ",",
                                                ":",
                                                "[]",
                                                std::string_view("\0\0\0\0", 4),
                                                "\xff\xff\xff\xff",
                                                "\xff\xff\xff\x7f",
                                                "\xed\xa0\x80",
                                                "\xef\xbb\xbf"};
  const auto place = [&](std::size_t size) { return size == 0 ? 0 : random() % size; };
  switch (random() % 7) {
    case 0:
      if (!text.empty()) text[place(text.size())] ^= static_cast<char>(1 << random() % 8);
      break;
    case 1:
      if (!text.empty()) text[place(text.size())] = static_cast<char>(random());
      break;
    case 2:
      text.insert(place(text.size() + 1), pieces[random() % std::size(pieces)]);
      break;
    case 3: {
      const std::size_t at = place(text.size() + 1);
      text.erase(at, 1 + random() % 8);
      break;
    }
    case 4: {
      const std::string piece = text.substr(place(text.size() + 1), 1 + random() % 16);
      text.insert(place(text.size() + 1), piece);
      break;
    }
    case 5: {
      const std::string_view piece = pieces[random() % std::size(pieces)];
      const std::size_t at = place(text.size() + 1);
      text.replace(at, std::min(piece.size(), text.size() - at), piece);
      break;
    }
    default: {
      const std::string& other = corpus[random() % corpus.size()];
      text = text.substr(0, place(text.size() + 1)) + other.substr(place(other.size() + 1));
      break;
    }
  }
  return text;
}

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t seed = std::random_device()();
  long seconds = 0;
  std::vector<fs::path> paths;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&] { return std::string(word.substr(word.find('=') + 1)); };
    if (word.starts_with("-max_total_time="))
      seconds = std::stol(value());
    else if (word.starts_with("-seed="))
      seed = std::stoull(value());
    else if (word.starts_with("-artifact_prefix="))
      artifact = value() + "crash";
    else if (!word.starts_with("-"))
      paths.emplace_back(word);
  }
  ::signal(SIGALRM, stop_at);
  ::signal(SIGABRT, stop_at);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(save_input);
#endif

  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path))
      files.push_back(path);
    else
      for (const auto& entry : fs::directory_iterator(path))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const fs::path& file : files) run(corpus.emplace_back(content(file)));
  if (corpus.empty()) run(corpus.emplace_back());

  std::uint64_t executions = corpus.size();
  if (seconds > 0) std::fprintf(stderr, "Seed: %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    std::string input = corpus[random() % corpus.size()];
    for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes)
      input = changed(std::move(input), corpus, random);
    if (input.size() > 4096) input.resize(4096);
    run(std::move(input));
    ++executions;
  }
  ::alarm(0);
  std::fprintf(stderr, "%llu executions, %zu of them inputs of the corpus\n",
               static_cast<unsigned long long>(executions), corpus.size());
  return 0;
}
