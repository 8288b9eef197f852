#pragma once
// What statistics files and model files have in common: vectors, matrices, lists of strings and the
// schema as tensors of a container.
//
// A list of strings is two tensors: NAME has their bytes one after the other (any bytes survive),
// NAME.lengths how many bytes each has.

#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/container.hpp"
#include "suffice/core/names.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// The prefix of a block's tensors: "block.0.".
std::string block_prefix(std::size_t block);

/// Views what it is given; all of it must outlive save and bytes.
class PartsWriter {
 public:
  explicit PartsWriter(const std::string& kind) : container_(kind) {}

  /// What follows is known from this version of the format on.
  void since(int version) { container_.since(version); }

  void text(const std::string& key, std::string_view value);
  void vector(const std::string& name, const Vector& values);
  void vector(const std::string& name, Vector&& values);  ///< keeps them
  void matrix(const std::string& name, const Matrix& values);
  /// Equal vectors as the rows of one matrix; equal matrices as one tensor.
  void vectors(const std::string& name, const std::vector<const Vector*>& rows);
  void matrices(const std::string& name, const std::vector<const Matrix*>& slices);
  /// Equal symmetric matrices, of which the rows of the lower triangle are stored: one row each.
  void triangles(const std::string& name, const std::vector<const Matrix*>& slices);
  /// Matrices of one width below each other, and how many rows each has: NAME.rows.
  void stacked(const std::string& name, const std::vector<const Matrix*>& matrices);
  void integers(const std::string& name, std::vector<std::int64_t> values);
  void strings(const std::string& name, const std::vector<std::string>& values);
  /// text(item) of each item of a list, which may be long: no list of strings is made of it.
  template <class Items, class Text>
  void strings_of(const std::string& name, const Items& items, const Text& text) {
    std::string& bytes = bytes_.emplace_back();
    std::vector<std::int64_t> lengths;
    lengths.reserve(items.size());
    for (const auto& item : items) {
      const std::size_t before = bytes.size();
      bytes += text(item);
      lengths.push_back(static_cast<std::int64_t>(bytes.size() - before));
    }
    add_bytes(name, bytes);
    integers(name + ".lengths", std::move(lengths));
  }
  /// A list of lists: the strings of all, and NAME.counts.
  void string_lists(const std::string& name, const std::vector<std::vector<std::string>>& lists);
  void schema(const Schema& schema);
  void save(const std::string& path) const { container_.write(path); }
  std::string bytes() const { return container_.bytes(); }

 private:
  void add_bytes(const std::string& name, const std::string& bytes);

  ContainerWriter container_;
  std::deque<std::vector<std::int64_t>> integers_;
  std::deque<std::string> bytes_;
  std::deque<Vector> vectors_;
};

/// Reads what PartsWriter wrote; whatever does not fit is a FileError.
class PartsReader {
 public:
  /// Of a file, or of its bytes. Throws FileError where it holds something else than `kind`.
  static PartsReader of_file(const std::string& path, const std::string& kind);
  static PartsReader of_bytes(std::string_view bytes, const std::string& kind);

  const std::string& text(const std::string& key) const;
  /// Of tensors that not every file has.
  bool has(const std::string& name) const { return container_.tensors().contains(name); }
  bool has_text(const std::string& key) const { return container_.metadata().contains(key); }
  Vector vector(const std::string& name);
  Matrix matrix(const std::string& name);
  std::vector<Vector> vectors(const std::string& name, std::size_t count);
  std::vector<Matrix> matrices(const std::string& name);
  /// Symmetric matrices of `size` rows: triangles, or whole up to version 7.
  std::vector<Matrix> triangles(const std::string& name, Index size);
  std::vector<Matrix> stacked(const std::string& name);
  std::vector<std::int64_t> integers(const std::string& name);
  std::vector<std::string> strings(const std::string& name);
  std::vector<std::vector<std::string>> string_lists(const std::string& name);
  /// Strings that are in the order of Names.
  Names names(const std::string& name);
  std::vector<Names> names_lists(const std::string& name);
  Schema schema();
  /// Throws FileError where a tensor was not read; frees what was.
  void finish();

  [[noreturn]] void fail(const std::string& reason, const std::string& advice = {}) const;

 private:
  PartsReader(Container container, const std::string& kind);
  const Container::Tensor& tensor(const std::string& name, TensorType type, std::size_t dimensions);
  Names checked_names(std::vector<std::string> list, const std::string& name) const;
  /// use(i, text) for each string of a list, without a copy of it; returns how many there are.
  template <class Use>
  std::size_t each_string(const std::string& name, const Use& use);
  /// use(i, strings) for each list of a list of lists, whose strings may be moved.
  template <class Use>
  std::size_t each_list(const std::string& name, const Use& use);

  Container container_;
  std::set<std::string> read_;
};

/// "statistics" or "model", with the file's header checked.
std::string kind_of_file(const std::string& path);

inline constexpr const char* statistics_kind = "statistics";
inline constexpr const char* model_kind = "model";

}  // namespace suffice
