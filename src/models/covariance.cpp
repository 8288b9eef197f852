#include "suffice/models/covariance.hpp"

#include <array>
#include <string>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr std::array<std::pair<Covariance, std::string_view>, 6> covariance_names{{
    {Covariance::full, "full"},
    {Covariance::tied, "tied"},
    {Covariance::diag, "diag"},
    {Covariance::tied_diag, "tied-diag"},
    {Covariance::spherical, "spherical"},
    {Covariance::tied_spherical, "tied-spherical"},
}};

}  // namespace

std::string_view to_string(Covariance covariance) {
  for (const auto& [value, name] : covariance_names)
    if (value == covariance) return name;
  return "unknown";
}

Covariance covariance_from_string(std::string_view name) {
  for (const auto& [value, known] : covariance_names)
    if (known == name) return value;
  throw InvalidArgument("there is no covariance '" + std::string(name) + "'",
                        "choose full, tied, diag, tied-diag, spherical or tied-spherical");
}

bool is_tied(Covariance covariance) {
  return covariance == Covariance::tied || covariance == Covariance::tied_diag ||
         covariance == Covariance::tied_spherical;
}

bool is_dense(Covariance covariance) {
  return covariance == Covariance::full || covariance == Covariance::tied;
}

bool is_diagonal(Covariance covariance) {
  return covariance == Covariance::diag || covariance == Covariance::tied_diag;
}

bool is_spherical(Covariance covariance) {
  return covariance == Covariance::spherical || covariance == Covariance::tied_spherical;
}

}  // namespace suffice
