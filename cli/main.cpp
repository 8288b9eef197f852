#include <csignal>
#include <cstdio>
#include <new>

#include "cli/program.hpp"
#include "cli/signals.hpp"

int main(int count, char** arguments) {
  suffice::cli::open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write then
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file beyond the limit of its size
  try {
    return suffice::cli::run({arguments + (count > 0), arguments + count});
  } catch (const std::bad_alloc&) {  // not even for what tells of errors
    std::fputs("suffice: there is not enough memory\n", stderr);
    return 1;
  }
}
