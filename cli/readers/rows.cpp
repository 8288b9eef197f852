#include "cli/readers/rows.hpp"

#include <algorithm>
#include <utility>

namespace suffice::cli {

void TextColumn::add_names(std::span<const std::int64_t> numbers) {
  if (size_ == 0) coded_ = true;
  if (!coded_) {
    for (const std::int64_t number : numbers) add(std::to_string(number));
    return;
  }
  constexpr std::size_t small = 4096;  // whose codes are looked up without a hash
  std::vector<std::int32_t> small_codes(small, -1);
  const auto code_of = [&](std::int64_t number) {
    const auto [found, is_new] =
        code_of_.try_emplace(number, static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(std::to_string(number));
    return found->second;
  };
  const std::size_t before = codes_.size();
  codes_.resize(before + numbers.size());
  std::int32_t* to = codes_.data() + before;
  for (const std::int64_t number : numbers) {
    if (static_cast<std::uint64_t>(number) >= small) {
      *to++ = code_of(number);
      continue;
    }
    std::int32_t& code = small_codes[static_cast<std::size_t>(number)];
    if (code < 0) code = code_of(number);
    *to++ = code;
  }
  size_ += std::ssize(numbers);
}

void TextColumn::spell_out() {
  TextColumn spelled;
  for (Index i = 0; i < size_; ++i) spelled.add((*this)[i]);
  *this = std::move(spelled);
}

void TextColumn::append(const TextColumn& other, Index first, Index count) {
  if (other.coded_ && size_ == 0) {
    coded_ = true;
    names_ = other.names_;
    code_of_ = other.code_of_;
    codes_.assign(other.codes_.begin() + first, other.codes_.begin() + first + count);
    size_ = count;
    return;
  }
  if (other.coded_) {
    for (Index i = first; i < first + count; ++i) add(other[i]);
    return;
  }
  if (coded_) spell_out();
  const std::int64_t begin = other.offsets_[first], end = other.offsets_[first + count];
  const std::int64_t shift = static_cast<std::int64_t>(bytes_.size()) - begin;
  bytes_.insert(bytes_.end(), other.bytes_.begin() + begin, other.bytes_.begin() + end);
  const std::size_t before = offsets_.size();
  offsets_.resize(before + static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) offsets_[before + i] = other.offsets_[first + i + 1] + shift;
  if (other.missing_ > 0 || missing_ > 0) {
    for (Index i = first; i < first + count; ++i) push_validity(!other.is_missing(i));
    return;
  }
  if (count > 0 && size_ % 8 != 0) valid_.back() = 0xff;
  size_ += count;
  valid_.resize(static_cast<std::size_t>((size_ + 7) / 8), 0xff);
  if (size_ % 8 != 0) valid_.back() = static_cast<std::uint8_t>((1 << (size_ % 8)) - 1);
}

void TextColumn::clear() {
  size_ = missing_ = 0;
  offsets_.assign(1, 0);
  bytes_.clear();
  valid_.clear();
  coded_ = false;
  codes_.clear();
  names_.clear();
  code_of_.clear();
}

Column TextColumn::column() const {
  if (coded_) return Column(codes_.data(), size_, Strings(names_));
  return Column(Strings(offsets_.data(), bytes_.data(), size_), Validity{valid_.data()});
}

Rows::Rows(const Layout& layout, Index capacity)
    : layout_(layout),
      capacity_(capacity),
      numbers_(capacity * layout.numbers),
      texts_(static_cast<std::size_t>(layout.texts)) {}

void Rows::commit(Index count, std::int64_t first_place) { add_places(count, first_place); }

void Rows::commit(std::span<const std::int64_t> places, std::int64_t shift) {
  for (std::size_t i = 0, next = 0; i < places.size(); i = next) {
    for (next = i + 1; next < places.size() && places[next] == places[next - 1] + 1;) ++next;
    add_places(static_cast<Index>(next - i), places[i] + shift);
  }
}

void Rows::add_places(Index count, std::int64_t first_place) {
  if (count > 0 && (places_.empty() || place_of(size_ - 1) + 1 != first_place))
    places_.push_back({size_, first_place});
  size_ += count;
}

std::int64_t Rows::place_of(Index row) const {
  const auto after =
      std::upper_bound(places_.begin(), places_.end(), row,
                       [](Index i, const Places& places) { return i < places.first_row; });
  return (after - 1)->first_place + row - (after - 1)->first_row;
}

void Rows::begin_file(std::string path, bool in_lines) {
  files_.push_back({size_, std::move(path), in_lines});
}

Place Rows::place(Index row) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](Index i, const File& file) { return i < file.first_row; });
  const File& file = *(after - 1);
  if (file.in_lines) return {.path = file.path, .line = static_cast<std::size_t>(place_of(row))};
  return {.path = file.path, .row = static_cast<Index>(place_of(row) - 1)};
}

void Rows::keep_only(const std::vector<std::uint8_t>& keep) {
  const Index width = layout_.numbers;
  std::vector<TextColumn> texts(texts_.size());
  SparseRows sparse;
  std::vector<File> files = files_;
  std::vector<std::int64_t> places;
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
    places.push_back(place_of(i));
    ++kept;
  }
  for (std::size_t f = 0; f < files.size(); ++f)
    if (files_[f].first_row >= size_) files[f].first_row = kept;
  size_ = 0;
  places_.clear();
  commit(places);
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
