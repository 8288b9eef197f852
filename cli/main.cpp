#include <csignal>

#include "cli/program.hpp"
#include "cli/signals.hpp"

int main(int count, char** arguments) {
  suffice::cli::open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write then
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file beyond the limit of its size
  return suffice::cli::run({arguments + (count > 0), arguments + count});
}
