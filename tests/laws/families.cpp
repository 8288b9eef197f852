// Every law of this folder (TEST_P of Laws) is tried on every family.

#include "generate.hpp"

namespace suffice::testing {

INSTANTIATE_TEST_SUITE_P(Families, Laws, ::testing::ValuesIn(all_families()),
                         [](const auto& family) { return family.param.name; });

}  // namespace suffice::testing
