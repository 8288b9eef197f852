// The main of every test program: it owns the process, so it sets BLAS to one thread.

#include <gmock/gmock.h>

#include "core/blas.hpp"

int main(int count, char** arguments) {
  suffice::blas::use_one_thread();
  testing::InitGoogleMock(&count, arguments);
  return RUN_ALL_TESTS();
}
