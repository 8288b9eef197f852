// IDX files, as MNIST has them. The input is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(idx) { suffice::fuzz::learn_and_predict("idx", data, size); }
