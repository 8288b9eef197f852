#pragma once
// SVG as text: elements that nest, attributes, numbers with as many digits as a screen can show.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace suffice::draw {

/// Text for XML: markup characters are escaped, what XML cannot have (control characters, bytes
/// that are not UTF-8) becomes U+FFFD.
std::string escaped(std::string_view text);

/// A length or position in pixels, to a hundredth.
std::string pixels(double value);

/// How wide a text is, about: fonts differ, and nobody measures them here.
double text_width(std::string_view text, double font_size);
/// The text, cut with an ellipsis where it is wider than that.
std::string fitted(std::string_view text, double width, double font_size);

struct Attribute {
  std::string_view name;
  std::string value;
  Attribute(std::string_view attribute, std::string text)
      : name(attribute), value(std::move(text)) {}
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const char* text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, double number) : name(attribute), value(pixels(number)) {}
};
using Attributes = std::vector<Attribute>;

class Svg {
 public:
  void open(std::string_view tag, const Attributes& attributes = {});
  void close();  ///< the element that was opened last
  /// An element without content. An attribute with an empty value is left out.
  void add(std::string_view tag, const Attributes& attributes);
  /// An element with text, and a tooltip if there is one.
  void add(std::string_view tag, const Attributes& attributes, std::string_view text,
           std::string_view tooltip = {});
  /// Markup as it is.
  void append(std::string_view markup) { out_ += markup; }

  const std::string& text() const { return out_; }

 private:
  void begin(std::string_view tag, const Attributes& attributes);
  std::string out_;
  std::vector<std::string> open_;
};

/// The attribute `d` of a path.
class Path {
 public:
  Path& move(double x, double y) { return add('M', {x, y}); }
  Path& line(double x, double y) { return add('L', {x, y}); }
  Path& move_by(double x, double y) { return add('m', {x, y}); }
  Path& line_by(double x, double y) { return add('l', {x, y}); }
  Path& close() { return add('Z', {}); }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  Path& add(char command, std::initializer_list<double> numbers);
  std::string text_;
};

}  // namespace suffice::draw
