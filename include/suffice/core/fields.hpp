#pragma once
// The members of a struct as a list: names and pointers to members. Statistics and densities list
// theirs in fields(); files, JSON and Python follow from it.

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace suffice {

/// When a member is stored in a file and shown (as JSON, in Python).
enum class Presence {
  always,
  shown_if_any,  ///< always stored, shown unless it is empty
  optional,      ///< stored and shown unless it is empty
};

/// How a member is laid out.
enum class Layout {
  plain,         ///< as it is
  column,        ///< a matrix that is shown as a vector where it has one number per class
  by_structure,  ///< covariances, whose number and size follow from the structure
  by_feature,    ///< a list with one entry per feature of the block
};

/// What the entries of a member are counted by, outermost first: K × d numbers by class and
/// feature, a list with K × levels numbers for each feature by feature and class.
enum class Axis : unsigned char { none, class_, feature };
using Axes = std::array<Axis, 3>;

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::*member;
  Presence presence = Presence::always;
  Layout layout = Layout::plain;
  int since = 1;  ///< the first version of files that has it
  Axes axes = {};

  /// The same member, whose entries are counted so.
  constexpr Field by(Axis first, Axis second = Axis::none) const {
    Field result = *this;
    result.axes = {first, second};
    return result;
  }

  const Member& operator()(const Struct& of) const { return of.*member; }
  Member& operator()(Struct& of) const { return of.*member; }
  bool is_shown(const Struct& of) const { return presence == Presence::always || !is_empty(of); }
  bool is_stored(const Struct& of) const { return presence != Presence::optional || !is_empty(of); }

 private:
  bool is_empty(const Struct& of) const {
    if constexpr (requires { (of.*member).empty(); }) return (of.*member).empty();
    if constexpr (std::is_enum_v<Member>) return of.*member == Member{};
    return false;
  }
};
template <class Struct, class Member>
Field(std::string_view, Member Struct::*) -> Field<Struct, Member>;
template <class Struct, class Member>
Field(std::string_view, Member Struct::*, Presence) -> Field<Struct, Member>;
template <class Struct, class Member>
Field(std::string_view, Member Struct::*, Presence, Layout) -> Field<Struct, Member>;
template <class Struct, class Member>
Field(std::string_view, Member Struct::*, Presence, Layout, int) -> Field<Struct, Member>;

namespace detail {

struct Anything {
  template <class T>
  operator T() const;
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}
/// The number of members of an aggregate.
template <class T, std::size_t N = 0>
constexpr std::size_t member_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{}))
    return member_count<T, N + 1>();
  else
    return N;
}

}  // namespace detail

/// A struct whose fields() lists its members.
template <class T>
concept HasFields = requires {
  T::fields();
};

/// visit(field) for each member of T, in order. A member that fields() does not list is an error of
/// compilation.
template <HasFields T, class Visit>
void for_each_field(Visit&& visit) {
  constexpr auto fields = T::fields();
  static_assert(std::tuple_size_v<decltype(fields)> == detail::member_count<T>(),
                "fields() must list every member");
  std::apply([&](const auto&... field) { (visit(field), ...); }, fields);
}

}  // namespace suffice
