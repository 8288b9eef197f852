// IDX files, as MNIST has them. The input is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(idx) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  cli::InputOptions input;
  input.format = "idx";
  fuzz::learn_and_predict(input, file.with(fuzz::Choices(data, size).rest()));
}
