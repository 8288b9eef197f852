#include "cli/readers/rows.hpp"

#include <algorithm>
#include <utility>

namespace suffice::cli {

void TextColumn::append(const TextColumn& other, Index first, Index count) {
  const std::int64_t begin = other.offsets_[first], end = other.offsets_[first + count];
  const std::int64_t shift = static_cast<std::int64_t>(bytes_.size()) - begin;
  bytes_.insert(bytes_.end(), other.bytes_.begin() + begin, other.bytes_.begin() + end);
  for (Index i = first; i < first + count; ++i) {
    const Index at = size();
    const bool valid = !other.is_missing(i);
    offsets_.push_back(other.offsets_[i + 1] + shift);
    if ((at & 7) == 0) valid_.push_back(0);
    valid_.back() = static_cast<std::uint8_t>(valid_.back() | (valid << (at & 7)));
    missing_ += !valid;
  }
}

void TextColumn::clear() {
  offsets_.assign(1, 0);
  bytes_.clear();
  valid_.clear();
  missing_ = 0;
}

Column TextColumn::column() const {
  return Column(Strings(offsets_.data(), bytes_.data(), size()), Validity{valid_.data()});
}

Rows::Rows(const Layout& layout, Index capacity)
    : layout_(layout),
      capacity_(capacity),
      numbers_(capacity * layout.numbers),
      texts_(static_cast<std::size_t>(layout.texts)) {}

void Rows::commit(Index count, std::int64_t first_place) {
  for (Index i = 0; i < count; ++i) places_.push_back(first_place + i);
  size_ += count;
}

void Rows::commit(const std::vector<std::int64_t>& places) {
  places_.insert(places_.end(), places.begin(), places.end());
  size_ += std::ssize(places);
}

void Rows::begin_file(std::string path, bool in_lines) {
  files_.push_back({size_, std::move(path), in_lines});
}

Place Rows::place(Index row) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](Index i, const File& file) { return i < file.first_row; });
  const File& file = *(after - 1);
  if (file.in_lines) return {.path = file.path, .line = static_cast<std::size_t>(places_[row])};
  return {.path = file.path, .row = static_cast<Index>(places_[row] - 1)};
}

void Rows::keep_only(const std::vector<std::uint8_t>& keep) {
  const Index width = layout_.numbers;
  std::vector<TextColumn> texts(texts_.size());
  SparseRows sparse;
  std::vector<File> files = files_;
  Index kept = 0;
  for (Index i = 0; i < size_; ++i) {
    for (std::size_t f = 0; f < files.size(); ++f)
      if (files_[f].first_row == i) files[f].first_row = kept;
    if (!keep[i]) continue;
    std::copy_n(numbers(i), width, numbers(kept));
    for (std::size_t t = 0; t < texts.size(); ++t) texts[t].append(texts_[t], i, 1);
    if (layout_.sparse > 0) {
      const auto begin = sparse_.row_start[i], end = sparse_.row_start[i + 1];
      sparse.column.insert(sparse.column.end(), sparse_.column.begin() + begin,
                           sparse_.column.begin() + end);
      sparse.value.insert(sparse.value.end(), sparse_.value.begin() + begin,
                          sparse_.value.begin() + end);
      sparse.row_start.push_back(std::ssize(sparse.column));
    }
    places_[kept++] = places_[i];
  }
  for (std::size_t f = 0; f < files.size(); ++f)
    if (files_[f].first_row >= size_) files[f].first_row = kept;
  size_ = kept;
  places_.resize(static_cast<std::size_t>(kept));
  texts_ = std::move(texts);
  sparse_ = std::move(sparse);
  files_ = std::move(files);
}

void Rows::clear() {
  size_ = 0;
  for (TextColumn& text : texts_) text.clear();
  sparse_.row_start.assign(1, 0);
  sparse_.column.clear();
  sparse_.value.clear();
  places_.clear();
  // The file that was being read goes on in the next block.
  if (!files_.empty()) {
    files_.erase(files_.begin(), files_.end() - 1);
    files_.front().first_row = 0;
  }
}

}  // namespace suffice::cli
