// NumPy arrays. The input is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(npy) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  cli::InputOptions input;
  input.format = "npy";
  fuzz::learn_and_predict(input, file.with(fuzz::Choices(data, size).rest()));
}
