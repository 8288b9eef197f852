// NumPy arrays. The input is the file.
#include "fuzz/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  cli::InputOptions input;
  input.format = "npy";
  fuzz::learn_and_predict(input, file.with(fuzz::Choices(data, size).rest()));
  return 0;
}
