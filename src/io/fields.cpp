#include "io/fields.hpp"

#include <array>
#include <type_traits>

// A Gaussian block keeps, per class, moments of its complete rows and of the values present in the
// others; either may be empty. `complete` and `present` list the classes that have some, and
// `complete.mean` and so on have a row for each of these; numbers (`complete.weight`) are there for
// all classes. A scatter is symmetric, and its lower triangle is a row. The factors of thin
// scatters stand one below the other, and `complete.factor.rows` tells how many rows each has. A
// pooled scatter is `pooled`, one triangle or none; `complete.squares` is there where it is known.

namespace suffice {
namespace {

constexpr std::array<std::pair<Scatter, std::string_view>, 4> kinds{
    {{Scatter::dense, "dense"},
     {Scatter::diagonal, "diagonal"},
     {Scatter::thin, "thin"},
     {Scatter::pooled, "pooled"}}};

using Class = GaussianStatistics::Class;

/// Whether a member of the complete rows' moments is stored.
bool is_stored(std::string_view member, const GaussianStatistics& block) {
  if (member == "factor") return block.kind == Scatter::thin;
  if (member == "scatter") return block.kind == Scatter::dense || block.kind == Scatter::diagonal;
  return true;
}

/// Of the complete rows: those present in others are always there.
bool is_squares_of_pooled(std::string_view part, std::string_view member) {
  return part == "complete" && member == "squares";
}
bool has_squares(const GaussianStatistics& block) {
  return block.kind == Scatter::pooled && block.has_class_squares();
}

template <class T>
using Plain = std::remove_cvref_t<T>;

}  // namespace

void FieldWriter::put(const std::string& name, Layout layout, const std::vector<Matrix>& value) {
  if (layout == Layout::by_feature) {
    for (std::size_t j = 0; j < value.size(); ++j)
      file_.matrix(name + "." + std::to_string(j), value[j]);
    return;
  }
  std::vector<const Matrix*> matrices;
  for (const Matrix& matrix : value) matrices.push_back(&matrix);
  file_.matrices(name, matrices);
}

void FieldWriter::put(const std::string& name, Layout, const std::vector<Names>& value) {
  std::vector<std::vector<std::string>> lists;
  for (const Names& names : value) lists.push_back(names.list());
  file_.string_lists(name, lists);
}

void FieldWriter::put(const std::string& name, Layout, const std::vector<Words>& value) {
  std::vector<std::vector<std::string>> lists;
  for (const Words& words : value) lists.push_back(words.list());
  file_.string_lists(name, lists);
}

void FieldReader::get(const std::string& name, Layout, std::vector<Words>& value) {
  for (const std::vector<std::string>& list : file_.string_lists(name)) value.emplace_back(list);
}

void FieldWriter::write(const std::string& prefix, const GaussianStatistics& block) {
  for (const auto& [kind, name] : kinds)
    if (kind == block.kind) file_.text(prefix + "scatter", name);
  for_each_field<Class>([&](const auto& part) {
    const std::string name = prefix + std::string(part.name);
    std::vector<std::int64_t> kept;
    for (std::size_t c = 0; c < block.classes.size(); ++c)
      if (!part(block.classes[c]).mean.empty()) kept.push_back(static_cast<std::int64_t>(c));
    file_.integers(name, kept);
    for_each_field<Plain<decltype(part(block.classes[0]))>>([&](const auto& field) {
      using Member = Plain<decltype(field(part(block.classes[0])))>;
      std::vector<const Member*> members;
      for (const std::int64_t c : kept) members.push_back(&field(part(block.classes[c])));
      const std::string member = name + "." + std::string(field.name);
      if (!is_stored(field.name, block)) return;
      file_.since(field.since);
      if constexpr (std::same_as<Member, Vector>)
        if (!is_squares_of_pooled(part.name, field.name) || has_squares(block))
          file_.vectors(member, members);
      if constexpr (std::same_as<Member, Matrix>) {
        if (field.name == "factor")
          file_.stacked(member, members);
        else
          file_.triangles(member, members);
      }
    });
  });
  if (!block.pooled.empty()) file_.triangles(prefix + "pooled", {&block.pooled});
  Vector weights(std::ssize(block.classes));
  for (Index c = 0; c < weights.size(); ++c) weights[c] = block.classes[c].complete.weight;
  file_.vector(prefix + "complete.weight", std::move(weights));
}

void FieldReader::get(const std::string& name, Layout layout, std::vector<Matrix>& value) {
  if (layout != Layout::by_feature) {
    value = file_.matrices(name);
    return;
  }
  for (Index j = 0; j < features_; ++j)
    value.push_back(file_.matrix(name + "." + std::to_string(j)));
}

/// Positions of classes, rising.
std::vector<std::size_t> FieldReader::positions(const std::string& name, std::size_t classes) {
  std::vector<std::size_t> result;
  std::int64_t last = -1;
  for (const std::int64_t c : file_.integers(name)) {
    if (c <= last || c >= static_cast<std::int64_t>(classes))
      file_.fail("its tensor '" + name + "' lists class number " + std::to_string(c) + " of " +
                 std::to_string(classes) + ", or not in order");
    last = c;
    result.push_back(static_cast<std::size_t>(c));
  }
  return result;
}

void FieldReader::read(const std::string& prefix, GaussianStatistics& block, std::size_t classes) {
  const std::string& kind = file_.text(prefix + "scatter");
  const auto found =
      std::ranges::find(kinds, std::string_view(kind), [](const auto& of) { return of.second; });
  if (found == kinds.end())
    file_.fail("its header says '" + kind + "' for '" + prefix + "scatter'");
  block.kind = found->first;
  block.classes.resize(classes);
  for_each_field<Class>([&](const auto& part) {
    const std::string name = prefix + std::string(part.name);
    const std::vector<std::size_t> kept = positions(name, classes);
    for_each_field<Plain<decltype(part(block.classes[0]))>>([&](const auto& field) {
      using Member = Plain<decltype(field(part(block.classes[0])))>;
      const std::string member = name + "." + std::string(field.name);
      if (!is_stored(field.name, block)) return;
      if (is_squares_of_pooled(part.name, field.name) && !file_.has(member)) return;
      std::vector<Member> members;
      if constexpr (std::same_as<Member, Vector>) members = file_.vectors(member, kept.size());
      if constexpr (std::same_as<Member, Matrix>)
        members =
            field.name == "factor" ? file_.stacked(member) : file_.triangles(member, features_);
      if constexpr (!std::same_as<Member, double>) {
        if (members.size() != kept.size())
          file_.fail("its Gaussian block '" + prefix + "' does not fit its classes");
        for (std::size_t i = 0; i < kept.size(); ++i)
          field(part(block.classes[kept[i]])) = std::move(members[i]);
      }
    });
  });
  if (file_.has(prefix + "pooled")) {
    std::vector<Matrix> pooled = file_.triangles(prefix + "pooled", features_);
    if (pooled.size() != 1) file_.fail("its tensor '" + prefix + "pooled' is not one scatter");
    block.pooled = std::move(pooled.front());
  }
  const Vector weights = file_.vector(prefix + "complete.weight");
  if (weights.size() != static_cast<Index>(classes))
    file_.fail("its Gaussian block '" + prefix + "' does not fit its classes");
  for (std::size_t c = 0; c < classes; ++c)
    block.classes[c].complete.weight = weights[static_cast<Index>(c)];
}

}  // namespace suffice
