#pragma once
// Box's M of a separation: whether classes have one covariance.

#include <optional>
#include <string>

#include "suffice/contrast/class_tests.hpp"
#include "suffice/stats/separation.hpp"

namespace suffice {

struct BoxMFound {
  std::optional<BoxM> test;
  std::string reason = {};  ///< why there is none
};

BoxMFound box_m_of(const GaussianStatistics& sums, const Separation& separation);

/// "box_m" for JSON and Python; none where there is no test.
Figure box_m_figure(const std::optional<BoxM>& test);

}  // namespace suffice
