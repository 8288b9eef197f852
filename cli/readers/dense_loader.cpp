#include "cli/readers/dense_loader.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

constexpr Index whole_bytes = 256 << 20;  // that a Fortran array from a pipe may have
constexpr Index piece_bytes = 256 << 10;  // that a thread reads at a time

/// Rows one after the other, from a pipe or a packed file.
class RowLoader : public DenseLoader {
 public:
  RowLoader(std::unique_ptr<Bytes> bytes, const DenseArray& array)
      : bytes_(std::move(bytes)), array_(array) {}
  Index load(Index first, Index count) override {
    buffer_.resize(static_cast<std::size_t>(count * array_.row_bytes));
    return copy(first, count, buffer_.data());
  }
  Index copy(Index, Index count, char* to) override {
    const auto wanted = static_cast<std::size_t>(count * array_.row_bytes);
    return static_cast<Index>(bytes_->read(to, wanted)) / array_.row_bytes;
  }
  const char* cell(Index column) const override {
    return buffer_.data() + array_.columns[column].offset;
  }
  Index step() const override { return array_.row_bytes; }
  Extent extent() const override { return bytes_->extent(); }

 private:
  std::unique_ptr<Bytes> bytes_;
  const DenseArray& array_;
  std::vector<char> buffer_;
};

/// What the loaders of plain files have in common.
class FileLoader : public DenseLoader {
 public:
  FileLoader(const std::string& path, std::int64_t header_bytes, const DenseArray& array,
             Workers& workers)
      : file_(path), header_(header_bytes), array_(array), workers_(workers) {}
  Extent extent() const override {
    const auto share =
        static_cast<double>(done_) / static_cast<double>(std::max<Index>(array_.rows, 1));
    return {static_cast<std::int64_t>(share * static_cast<double>(file_.size())), file_.size()};
  }

 protected:
  PlainFile file_;
  std::int64_t header_;
  const DenseArray& array_;
  Workers& workers_;
  std::vector<char> buffer_;
  Index done_ = 0;  ///< rows
};

/// Rows of a file.
class FileRowLoader : public FileLoader {
 public:
  using FileLoader::FileLoader;
  Index load(Index first, Index count) override {
    buffer_.resize(static_cast<std::size_t>(count * array_.row_bytes));
    return copy(first, count, buffer_.data());
  }
  Index copy(Index first, Index count, char* to) override {
    const Index bytes = count * array_.row_bytes, pieces = (bytes + piece_bytes - 1) / piece_bytes;
    std::vector<Index> got(static_cast<std::size_t>(pieces));
    workers_.run(pieces, [&](Index k, int) {
      const Index begin = k * piece_bytes, size = std::min(piece_bytes, bytes - begin);
      got[k] = file_.read(header_ + first * array_.row_bytes + begin, to + begin, size);
    });
    Index complete = 0;
    for (Index k = 0; k < pieces && complete == k * piece_bytes; ++k) complete += got[k];
    done_ = first + count;
    return complete / array_.row_bytes;
  }
  const char* cell(Index column) const override {
    return buffer_.data() + array_.columns[column].offset;
  }
  Index step() const override { return array_.row_bytes; }
};

/// Fortran order in a file: a strip of rows is a piece of each column.
class StripLoader : public FileLoader {
 public:
  StripLoader(const std::string& path, std::int64_t header_bytes, const DenseArray& array,
              const std::vector<Target>& targets, Workers& workers)
      : FileLoader(path, header_bytes, array, workers), targets_(targets) {}
  Index load(Index first, Index count) override {
    const Index size = step();
    strip_ = count;
    buffer_.resize(static_cast<std::size_t>(std::ssize(targets_) * count * size));
    std::vector<Index> got(targets_.size(), count * size);
    workers_.run(std::ssize(targets_), [&](Index j, int) {
      if (targets_[j].kind == Target::Kind::skip) return;
      got[j] = file_.read(header_ + array_.columns[j].offset + first * size,
                          buffer_.data() + j * count * size, count * size);
    });
    done_ = first + count;
    return std::ranges::min(got) / size;
  }
  const char* cell(Index column) const override {
    return buffer_.data() + column * strip_ * step();
  }
  Index step() const override { return array_.columns.front().element.size; }

 private:
  const std::vector<Target>& targets_;
  Index strip_ = 0;
};

/// Fortran order from a pipe or a packed file: the first row is complete when all has been read.
class WholeLoader : public DenseLoader {
 public:
  WholeLoader(const std::string& path, std::unique_ptr<Bytes> bytes, const DenseArray& array)
      : bytes_(std::move(bytes)), array_(array) {
    const Index size = array.rows * array.row_bytes;
    if (size > whole_bytes)
      throw FileError({.path = path},
                      "'" + path + "' is in Fortran order and has " + std::to_string(size >> 20) +
                          " MB: from a pipe or a packed file it must fit into memory whole, and " +
                          std::to_string(whole_bytes >> 20) +
                          " MB is the most. Give it as a plain file, or write it in C order "
                          "(numpy.ascontiguousarray)");
    all_.resize(static_cast<std::size_t>(size));
    have_ = static_cast<Index>(bytes_->read(all_.data(), all_.size()));
  }
  Index load(Index first, Index count) override {
    first_ = first;
    const Index last_column = array_.rows * (array_.row_bytes - step());
    return std::clamp((have_ - last_column) / step() - first, Index{0}, count);
  }
  const char* cell(Index column) const override {
    return all_.data() + array_.columns[column].offset + first_ * step();
  }
  Index step() const override { return array_.columns.front().element.size; }
  Extent extent() const override { return bytes_->extent(); }

 private:
  std::unique_ptr<Bytes> bytes_;
  const DenseArray& array_;
  std::vector<char> all_;
  Index have_ = 0, first_ = 0;
};

}  // namespace

Index DenseLoader::copy(Index first, Index count, char* to) {
  const Index found = load(first, count);
  std::memcpy(to, cell(0), static_cast<std::size_t>(found * step()));
  return found;
}

bool is_plain(const std::string& path, const PeekedBytes& bytes) {
  char first = 0;
  std::ifstream(path, std::ios::binary).get(first);
  return bytes.first().substr(0, 1) == std::string_view(&first, 1);
}

std::unique_ptr<DenseLoader> open_loader(const std::string& path,
                                         std::unique_ptr<PeekedBytes> bytes,
                                         std::int64_t header_bytes, const DenseArray& array,
                                         const std::vector<Target>& targets, Workers& workers) {
  const bool plain = std::filesystem::is_regular_file(path) && is_plain(path, *bytes);
  if (!array.by_column && plain)
    return std::make_unique<FileRowLoader>(path, header_bytes, array, workers);
  if (!array.by_column) return std::make_unique<RowLoader>(std::move(bytes), array);
  if (plain) return std::make_unique<StripLoader>(path, header_bytes, array, targets, workers);
  return std::make_unique<WholeLoader>(path, std::move(bytes), array);
}

}  // namespace suffice::cli
