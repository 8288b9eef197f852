#include "io/parts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice {
namespace {

std::span<const std::byte> bytes_of(const double* values, Index size) {
  return std::as_bytes(std::span(values, static_cast<std::size_t>(size)));
}

void copy_doubles(std::span<const std::byte> from, double* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

/// Takes `count` of what is `left`; anything else is refused.
std::size_t take(std::int64_t count, std::size_t& left, const PartsReader& reader,
                 const std::string& name) {
  if (count < 0 || static_cast<std::uint64_t>(count) > left)
    reader.fail("the lengths in its tensor '" + name + "' do not fit");
  left -= static_cast<std::size_t>(count);
  return static_cast<std::size_t>(count);
}

/// Per feature: nothing, or the column, the reference and the level, which the indicator of missing
/// values lacks.
std::vector<std::vector<std::string>> indicators_text(const Schema& schema) {
  std::vector<std::vector<std::string>> lists;
  for (const Feature& feature : schema.features()) {
    std::vector<std::string>& list = lists.emplace_back();
    if (!feature.indicator) continue;
    list = {feature.indicator->column, feature.indicator->reference};
    if (feature.indicator->level) list.push_back(*feature.indicator->level);
  }
  return lists;
}

}  // namespace

std::string block_prefix(std::size_t block) { return "block." + std::to_string(block) + "."; }

void PartsWriter::text(const std::string& key, std::string_view value) {
  container_.metadata(key, std::string(value));
}

void PartsWriter::vector(const std::string& name, const Vector& values) {
  container_.add(name, TensorType::f64, {values.size()}, {bytes_of(values.data(), values.size())});
}

void PartsWriter::vector(const std::string& name, Vector&& values) {
  vector(name, std::as_const(vectors_.emplace_back(std::move(values))));
}

void PartsWriter::matrix(const std::string& name, const Matrix& values) {
  container_.add(name, TensorType::f64, {values.rows(), values.cols()},
                 {bytes_of(values.data(), values.size())});
}

void PartsWriter::vectors(const std::string& name, const std::vector<const Vector*>& rows) {
  std::vector<std::span<const std::byte>> pieces;
  for (const Vector* row : rows) pieces.push_back(bytes_of(row->data(), row->size()));
  container_.add(name, TensorType::f64, {std::ssize(rows), rows.empty() ? 0 : rows[0]->size()},
                 std::move(pieces));
}

void PartsWriter::matrices(const std::string& name, const std::vector<const Matrix*>& slices) {
  std::vector<std::span<const std::byte>> pieces;
  for (const Matrix* slice : slices) pieces.push_back(bytes_of(slice->data(), slice->size()));
  const Index rows = slices.empty() ? 0 : slices[0]->rows();
  const Index cols = slices.empty() ? 0 : slices[0]->cols();
  container_.add(name, TensorType::f64, {std::ssize(slices), rows, cols}, std::move(pieces));
}

void PartsWriter::triangles(const std::string& name, const std::vector<const Matrix*>& slices) {
  std::vector<std::span<const std::byte>> pieces;
  for (const Matrix* slice : slices)
    for (Index i = 0; i < slice->rows(); ++i)
      pieces.push_back(bytes_of(slice->data() + i * slice->cols(), i + 1));
  const Index size = slices.empty() ? 0 : slices[0]->rows();
  container_.add(name, TensorType::f64, {std::ssize(slices), size * (size + 1) / 2},
                 std::move(pieces));
}

void PartsWriter::stacked(const std::string& name, const std::vector<const Matrix*>& matrices) {
  std::vector<std::span<const std::byte>> pieces;
  std::vector<std::int64_t> rows;
  Index count = 0, columns = 0;
  for (const Matrix* matrix : matrices) {
    pieces.push_back(bytes_of(matrix->data(), matrix->size()));
    rows.push_back(matrix->rows());
    count += matrix->rows();
    columns = std::max(columns, matrix->cols());
  }
  container_.add(name, TensorType::f64, {count, columns}, std::move(pieces));
  integers(name + ".rows", std::move(rows));
}

void PartsWriter::integers(const std::string& name, std::vector<std::int64_t> values) {
  const std::vector<std::int64_t>& kept = integers_.emplace_back(std::move(values));
  container_.add(name, TensorType::i64, {std::ssize(kept)}, {std::as_bytes(std::span(kept))});
}

void PartsWriter::add_bytes(const std::string& name, const std::string& bytes) {
  container_.add(name, TensorType::u8, {std::ssize(bytes)}, {std::as_bytes(std::span(bytes))});
}

void PartsWriter::strings(const std::string& name, const std::vector<std::string>& values) {
  strings_of(name, values, [](const std::string& value) -> const std::string& { return value; });
}

void PartsWriter::string_lists(const std::string& name,
                               const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> all;
  std::vector<std::int64_t> counts;
  for (const std::vector<std::string>& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    counts.push_back(std::ssize(list));
  }
  strings(name, all);
  integers(name + ".counts", std::move(counts));
}

void PartsWriter::schema(const Schema& schema) {
  const std::vector<Feature>& features = schema.features();
  std::vector<std::int64_t> members, sizes, level_counts;
  for (const Block& block : schema.blocks()) {
    members.insert(members.end(), block.features.begin(), block.features.end());
    sizes.push_back(std::ssize(block.features));
  }
  std::vector<std::string> levels;
  for (const Feature& feature : features) {
    levels.insert(levels.end(), feature.levels.begin(), feature.levels.end());
    level_counts.push_back(std::ssize(feature.levels));
  }
  strings_of("schema.features", features,
             [](const Feature& feature) -> const std::string& { return feature.name; });
  strings_of("schema.families", features,
             [](const Feature& feature) { return to_string(feature.family); });
  if (std::ranges::any_of(
          features, [](const Feature& feature) { return feature.transform != Transform::none; }))
    strings_of("schema.transforms", features,
               [](const Feature& feature) { return to_string(feature.transform); });
  if (schema.has_indicators()) string_lists("schema.indicators", indicators_text(schema));
  if (schema.has_text())
    strings_of("schema.text", features, [](const Feature& feature) {
      return feature.family == Family::text ? to_string(feature.text) : std::string();
    });
  strings("schema.levels", levels);
  integers("schema.levels.counts", std::move(level_counts));
  integers("schema.blocks", std::move(members));
  integers("schema.blocks.sizes", std::move(sizes));
  strings("schema.label", {schema.label()});
}

PartsReader PartsReader::of_file(const std::string& path, const std::string& kind) {
  return {Container::read(path, file_format_version), kind};
}

PartsReader PartsReader::of_bytes(std::string_view bytes, const std::string& kind) {
  return {Container::read_bytes(bytes, file_format_version), kind};
}

PartsReader::PartsReader(Container container, const std::string& kind)
    : container_(std::move(container)) {
  const std::string& found = text("kind");
  if (found == kind) return;
  if (found == model_kind)
    fail("it holds a model, and statistics are asked for",
         "load_model reads it, and statistics cannot be made from a model");
  if (found == statistics_kind)
    fail("it holds statistics, and a model is asked for",
         "load_statistics reads it, and estimate makes a model of them");
  fail("it holds neither statistics nor a model, but '" + found + "'");
}

void PartsReader::fail(const std::string& reason, const std::string& advice) const {
  fail_to_read(container_.path(), reason, advice);
}

const std::string& PartsReader::text(const std::string& key) const {
  const auto found = container_.metadata().find(key);
  if (found == container_.metadata().end()) fail("its header lacks '" + key + "'");
  return found->second;
}

const Container::Tensor& PartsReader::tensor(const std::string& name, TensorType type,
                                             std::size_t dimensions) {
  const auto found = container_.tensors().find(name);
  if (found == container_.tensors().end()) fail("it lacks the tensor '" + name + "'");
  if (found->second.type != type || found->second.shape.size() != dimensions)
    fail("its tensor '" + name + "' has another type or number of dimensions than it should");
  read_.insert(name);
  return found->second;
}

Vector PartsReader::vector(const std::string& name) {
  const Container::Tensor& from = tensor(name, TensorType::f64, 1);
  Vector result(from.shape[0]);
  copy_doubles(from.bytes, result.data());
  return result;
}

Matrix PartsReader::matrix(const std::string& name) {
  const Container::Tensor& from = tensor(name, TensorType::f64, 2);
  Matrix result(from.shape[0], from.shape[1]);
  copy_doubles(from.bytes, result.data());
  return result;
}

std::vector<Vector> PartsReader::vectors(const std::string& name, std::size_t count) {
  const Container::Tensor& from = tensor(name, TensorType::f64, 2);
  if (from.shape[0] != static_cast<Index>(count))
    fail("its tensor '" + name + "' has " + std::to_string(from.shape[0]) + " rows, not " +
         std::to_string(count));
  std::vector<Vector> result;
  const std::size_t size = static_cast<std::size_t>(from.shape[1]) * sizeof(double);
  for (std::size_t i = 0; i < count; ++i)
    copy_doubles(from.bytes.subspan(i * size, size), result.emplace_back(from.shape[1]).data());
  return result;
}

std::vector<Matrix> PartsReader::matrices(const std::string& name) {
  const Container::Tensor& from = tensor(name, TensorType::f64, 3);
  if (from.shape[0] == 0) return {};  // then the other dimensions were never multiplied
  const std::size_t size = static_cast<std::size_t>(from.shape[1] * from.shape[2]) * sizeof(double);
  if (size == 0) fail("its tensor '" + name + "' is empty");
  std::vector<Matrix> result;
  for (Index i = 0; i < from.shape[0]; ++i) {
    Matrix& slice = result.emplace_back(from.shape[1], from.shape[2]);
    copy_doubles(from.bytes.subspan(static_cast<std::size_t>(i) * size, size), slice.data());
  }
  return result;
}

std::vector<Matrix> PartsReader::triangles(const std::string& name, Index size) {
  const Container::Tensor& from = tensor(name, TensorType::f64, 2);
  if (from.shape[0] == 0) return {};
  if (from.shape[1] != size * (size + 1) / 2)
    fail("its tensor '" + name + "' has " + std::to_string(from.shape[1]) +
         " numbers a row, and the triangle of " + std::to_string(size) + " features has " +
         std::to_string(size * (size + 1) / 2));
  std::vector<Matrix> result;
  std::span<const std::byte> left = from.bytes;
  for (Index k = 0; k < from.shape[0]; ++k) {
    Matrix& slice = result.emplace_back(size, size);
    for (Index i = 0; i < size; ++i) {
      const std::size_t row = static_cast<std::size_t>(i + 1) * sizeof(double);
      copy_doubles(left.first(row), slice.data() + i * size);
      left = left.subspan(row);
      for (Index j = 0; j < i; ++j) slice(j, i) = slice(i, j);
    }
  }
  return result;
}

std::vector<Matrix> PartsReader::stacked(const std::string& name) {
  const Matrix all = matrix(name);
  std::vector<Matrix> result;
  Index next = 0;
  for (const std::int64_t count : integers(name + ".rows")) {
    if (count < 0 || count > all.rows() - next)
      fail("its tensor '" + name + "' has fewer rows than its classes need");
    const auto rows = static_cast<Index>(count);
    Matrix& one = result.emplace_back(rows, rows > 0 ? all.cols() : 0);
    std::copy_n(all.data() + next * all.cols(), one.size(), one.data());
    next += rows;
  }
  if (next != all.rows()) fail("its tensor '" + name + "' has more rows than its classes");
  return result;
}

std::vector<std::int64_t> PartsReader::integers(const std::string& name) {
  const Container::Tensor& from = tensor(name, TensorType::i64, 1);
  std::vector<std::int64_t> result(static_cast<std::size_t>(from.shape[0]));
  if (!result.empty()) std::memcpy(result.data(), from.bytes.data(), from.bytes.size());
  return result;
}

template <class Use>
std::size_t PartsReader::each_string(const std::string& name, const Use& use) {
  const std::span<const std::byte> bytes = tensor(name, TensorType::u8, 1).bytes;
  const std::string lengths_name = name + ".lengths";
  const Container::Tensor& lengths = tensor(lengths_name, TensorType::i64, 1);
  const auto count = static_cast<std::size_t>(lengths.shape[0]);
  std::size_t left = bytes.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t length = 0;
    std::memcpy(&length, lengths.bytes.data() + i * sizeof length, sizeof length);
    const std::size_t begin = bytes.size() - left;
    const std::span<const std::byte> piece =
        bytes.subspan(begin, take(length, left, *this, lengths_name));
    use(i, std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size()));
  }
  if (left != 0) fail("the lengths in its tensor '" + lengths_name + "' do not fit");
  return count;
}

std::vector<std::string> PartsReader::strings(const std::string& name) {
  std::vector<std::string> result;
  each_string(name, [&](std::size_t, std::string_view text) { result.emplace_back(text); });
  return result;
}

template <class Use>
std::size_t PartsReader::each_list(const std::string& name, const Use& use) {
  std::vector<std::string> all = strings(name);
  const std::string counts_name = name + ".counts";
  const std::vector<std::int64_t> counts = integers(counts_name);
  std::size_t left = all.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t begin = all.size() - left;
    use(i, std::span(all).subspan(begin, take(counts[i], left, *this, counts_name)));
  }
  if (left != 0) fail("the lengths in its tensor '" + counts_name + "' do not fit");
  return counts.size();
}

std::vector<std::vector<std::string>> PartsReader::string_lists(const std::string& name) {
  std::vector<std::vector<std::string>> result;
  each_list(name, [&](std::size_t, std::span<std::string> list) {
    result.emplace_back(std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  });
  return result;
}

Names PartsReader::checked_names(std::vector<std::string> list, const std::string& name) const {
  Names names(list);
  if (names.list() != list)
    fail("the names in its tensor '" + name + "' are not in order, or one comes twice");
  return names;
}

Names PartsReader::names(const std::string& name) { return checked_names(strings(name), name); }

std::vector<Names> PartsReader::names_lists(const std::string& name) {
  std::vector<Names> result;
  for (std::vector<std::string>& list : string_lists(name))
    result.push_back(checked_names(std::move(list), name));
  return result;
}

Schema PartsReader::schema() {
  // A million features take room: no list of strings is made beside them.
  std::vector<Feature> features(
      each_string("schema.features", [](std::size_t, std::string_view) {}));
  each_string("schema.features",
              [&](std::size_t i, std::string_view name) { features[i].name = name; });
  const auto require_all = [&](std::size_t count, const std::string& what) {
    if (count != features.size())
      fail("its schema has " + std::to_string(features.size()) + " features and " +
           std::to_string(count) + " " + what);
  };
  const auto feature_at = [&](std::size_t i) {
    return i < features.size() ? &features[i] : nullptr;  // too many are refused in a moment
  };
  std::string last_family;
  Family family = Family::gaussian;
  require_all(each_string("schema.families",
                          [&](std::size_t i, std::string_view name) {
                            if (name != last_family || i == 0) family = family_from_string(name);
                            last_family = name;
                            if (Feature* feature = feature_at(i)) feature->family = family;
                          }),
              "families");
  require_all(each_list("schema.levels",
                        [&](std::size_t i, std::span<std::string> list) {
                          if (Feature* feature = list.empty() ? nullptr : feature_at(i))
                            feature->levels.assign(std::make_move_iterator(list.begin()),
                                                   std::make_move_iterator(list.end()));
                        }),
              "lists of levels");
  if (has("schema.transforms"))
    require_all(each_string("schema.transforms",
                            [&](std::size_t i, std::string_view text) {
                              if (Feature* feature = feature_at(i))
                                feature->transform = transform_from_string(text);
                            }),
                "transformations");
  if (has("schema.indicators")) {
    const std::vector<std::vector<std::string>> indicators = string_lists("schema.indicators");
    require_all(indicators.size(), "indicators");
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::vector<std::string>& list = indicators[i];
      if (list.size() == 1 || list.size() > 3)
        fail("an indicator of its schema has " + std::to_string(list.size()) + " names");
      if (list.empty()) continue;
      Indicator& indicator = features[i].indicator.emplace();
      indicator.column = list[0];
      indicator.reference = list[1];
      if (list.size() > 2) indicator.level = list[2];
    }
  }
  if (has("schema.text"))
    require_all(each_string("schema.text",
                            [&](std::size_t i, std::string_view text) {
                              if (Feature* feature = text.empty() ? nullptr : feature_at(i))
                                feature->text = text_options_from_string(text);
                            }),
                "kinds of words");
  const std::vector<std::int64_t> members = integers("schema.blocks");
  std::vector<std::vector<Index>> blocks;
  std::size_t left = members.size();
  for (const std::int64_t size : integers("schema.blocks.sizes")) {
    const auto begin = members.end() - static_cast<std::ptrdiff_t>(left);
    const auto count = static_cast<std::ptrdiff_t>(take(size, left, *this, "schema.blocks.sizes"));
    blocks.emplace_back(begin, begin + count);
  }
  if (left != 0) fail("the sizes of its schema's blocks do not fit");
  const Schema schema(std::move(features), std::move(blocks));
  const std::vector<std::string> label = strings("schema.label");
  if (label.size() != 1)
    fail("its schema names " + std::to_string(label.size()) + " label columns");
  return schema.with_label(label.front());
}

void PartsReader::finish() {
  for (const auto& [name, tensor] : container_.tensors()) {
    if (!read_.contains(name)) fail("it has a tensor '" + name + "' that does not belong there");
  }
  container_.release();
}

std::string kind_of_file(const std::string& path) {
  const auto metadata = Container::read_metadata(path, file_format_version);
  const auto kind = metadata.find("kind");
  if (kind == metadata.end()) fail_to_read(path, "its header lacks 'kind'");
  return kind->second;
}

}  // namespace suffice
