// Every law of this folder (TEST_P of Laws) is tried on every family. Those that concern only some
// families have fixtures of their own: LAWS_WHERE in their files.

#include "generate.hpp"

namespace suffice::testing {

INSTANTIATE_TEST_SUITE_P(Families, Laws, ::testing::ValuesIn(all_families()), family_name);

}  // namespace suffice::testing
