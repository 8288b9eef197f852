#pragma once
// Structs that list their members (suffice/core/fields.hpp) as tensors: each member is a tensor, or
// a text of the header, under the name that the list gives it.

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/parts.hpp"
#include "suffice/core/fields.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Writes the members of a struct; what it writes must outlive the file.
class FieldWriter {
 public:
  explicit FieldWriter(PartsWriter& file) : file_(file) {}

  template <HasFields T>
  void write(const std::string& prefix, const T& of) {
    for_each_field<T>([&](const auto& field) {
      if (!field.is_stored(of)) return;
      file_.since(field.since);
      put(prefix + std::string(field.name), field.layout, field(of));
    });
  }
  /// The moments of each class: those of all classes that have some are one tensor.
  void write(const std::string& prefix, const GaussianStatistics& block);

 private:
  void put(const std::string& name, Layout, Covariance value) {
    file_.text(name, to_string(value));
  }
  void put(const std::string& name, Layout, const Vector& value) { file_.vector(name, value); }
  void put(const std::string& name, Layout, const Matrix& value) { file_.matrix(name, value); }
  void put(const std::string& name, Layout layout, const std::vector<Matrix>& value);
  void put(const std::string& name, Layout, const std::vector<Names>& value);
  void put(const std::string& name, Layout, const std::vector<Words>& value);
  void put(const std::string& name, Layout, const std::vector<Vector>& value) {
    for (std::size_t j = 0; j < value.size(); ++j)
      file_.vector(name + "." + std::to_string(j), value[j]);
  }
  void put(const std::string& name, Layout, const std::vector<std::vector<std::string>>& value) {
    file_.string_lists(name, value);
  }
  void put(const std::string& name, Layout, EventModel value) {
    file_.text(name, to_string(value));
  }
  void put(const std::string& name, Layout, const Names& value) {
    file_.strings(name, value.list());
  }
  void put(const std::string& name, Layout, const std::vector<Index>& value) {
    file_.integers(name, {value.begin(), value.end()});
  }
  void put(const std::string& name, Layout, const LinearMap& value) { write(name + ".", value); }
  void put(const std::string& name, Layout, const ThinCovariance& value) {
    write(name + ".", value);
  }

  PartsWriter& file_;
};

/// Reads what FieldWriter wrote.
class FieldReader {
 public:
  /// A block of that many features.
  FieldReader(PartsReader& file, Index features) : file_(file), features_(features) {}

  template <HasFields T>
  void read(const std::string& prefix, T& of) {
    for_each_field<T>([&](const auto& field) {
      const std::string name = prefix + std::string(field.name);
      if (field.presence != Presence::optional || is_there(name, field(of)))
        get(name, field.layout, field(of));
    });
  }
  void read(const std::string& prefix, GaussianStatistics& block, std::size_t classes);

 private:
  template <class T>
  bool is_there(const std::string& name, const T&) const {
    return file_.has(name);
  }
  bool is_there(const std::string& name, const std::vector<Vector>&) const {
    return file_.has(name + ".0");
  }
  bool is_there(const std::string& name, const EventModel&) const { return file_.has_text(name); }
  bool is_there(const std::string& name, const LinearMap&) const {
    return file_.has(name + ".matrix");
  }
  bool is_there(const std::string& name, const ThinCovariance&) const {
    return file_.has(name + ".diagonal");
  }

  void get(const std::string& name, Layout, Covariance& value) {
    value = covariance_from_string(file_.text(name));
  }
  void get(const std::string& name, Layout, Vector& value) { value = file_.vector(name); }
  void get(const std::string& name, Layout, Matrix& value) { value = file_.matrix(name); }
  void get(const std::string& name, Layout layout, std::vector<Matrix>& value);
  void get(const std::string& name, Layout, Names& value) { value = file_.names(name); }
  void get(const std::string& name, Layout, std::vector<Names>& value) {
    value = file_.names_lists(name);
  }
  void get(const std::string& name, Layout, std::vector<Words>& value);
  void get(const std::string& name, Layout, std::vector<Vector>& value) {
    for (Index j = 0; j < features_; ++j)
      value.push_back(file_.vector(name + "." + std::to_string(j)));
  }
  void get(const std::string& name, Layout, std::vector<std::vector<std::string>>& value) {
    value = file_.string_lists(name);
  }
  void get(const std::string& name, Layout, EventModel& value) {
    value = event_model_from_string(file_.text(name));
  }
  void get(const std::string& name, Layout, std::vector<Index>& value) {
    const std::vector<std::int64_t> integers = file_.integers(name);
    value.assign(integers.begin(), integers.end());
  }
  void get(const std::string& name, Layout, LinearMap& value) { read(name + ".", value); }
  void get(const std::string& name, Layout, ThinCovariance& value) { read(name + ".", value); }
  std::vector<std::size_t> positions(const std::string& name, std::size_t classes);

  PartsReader& file_;
  Index features_;
};

}  // namespace suffice
