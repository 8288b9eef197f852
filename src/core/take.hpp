#pragma once
// Some classes, or some features, of whatever lists its members in fields(): their axes say which
// rows, columns and entries these are.

#include <span>
#include <vector>

#include "core/at.hpp"
#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// Entries of vectors, rows and columns of matrices at these positions, in their order; zeros at a
/// position of −1. What is empty stays so.
Vector some_of(const Vector& numbers, std::span<const Index> kept);
Matrix some_rows(const Matrix& matrix, std::span<const Index> kept);
Matrix some_columns(const Matrix& matrix, std::span<const Index> kept);

/// The same members along an axis.
template <HasFields T>
T taken(const T& from, Axis axis, std::span<const Index> kept);

namespace detail {

template <class T>
T taken_by(const Axes&, const T& from, Axis axis, std::span<const Index> kept) {
  if constexpr (HasFields<T>)
    return taken(from, axis, kept);
  else
    return from;
}
inline Vector taken_by(const Axes& axes, const Vector& from, Axis axis,
                       std::span<const Index> kept) {
  return axes[0] == axis ? some_of(from, kept) : from;
}
inline Matrix taken_by(const Axes& axes, const Matrix& from, Axis axis,
                       std::span<const Index> kept) {
  if (axes[0] != axis) return axes[1] == axis ? some_columns(from, kept) : from;
  return axes[1] == axis ? some_columns(some_rows(from, kept), kept) : some_rows(from, kept);
}
template <class Entry>
std::vector<Entry> taken_by(const Axes& axes, const std::vector<Entry>& from, Axis axis,
                            std::span<const Index> kept) {
  std::vector<Entry> result;
  const auto add = [&](const Entry& entry) {
    result.push_back(taken_by(Axes{axes[1], axes[2]}, entry, axis, kept));
  };
  if (axes[0] != axis || from.empty())
    for (const Entry& entry : from) add(entry);
  else
    for (const Index i : kept) add(i < 0 ? Entry() : from[at(i)]);
  return result;
}

}  // namespace detail

template <HasFields T>
T taken(const T& from, Axis axis, std::span<const Index> kept) {
  T result;
  for_each_field<T>([&](const auto& field) {
    field(result) = detail::taken_by(field.axes, field(from), axis, kept);
  });
  return result;
}

}  // namespace suffice
