// NumPy arrays. The input is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(npy) { suffice::fuzz::learn_and_predict("npy", data, size); }
