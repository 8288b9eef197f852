// The engine's exceptions as Python's, which suffice/_errors.py defines: what was wrong is a
// ValueError, a file an OSError, and each carries what a program needs beside the sentence.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <map>

#include "bindings.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

/// The classes, alive as long as the module: an extension module is never unloaded.
struct ErrorTypes {
  PyObject *error, *invalid_argument, *data, *singular, *file;
};

/// What arguments of Python are called where they have another name than the option.
const std::map<std::string, std::string> other_names = {{"fold_column", "groups"},
                                                        {"iterations", "max_iter"},
                                                        {"restarts", "n_init"},
                                                        {"tolerance", "tol"}};

/// An option as an argument of Python: towards_tied, covariance='tied', shrinkage=0, idf=True.
std::string argument_of(const Option& option) {
  const auto& [option_name, value] = option;
  if (option_name == "no_header") return "header=False";
  const auto other = other_names.find(option_name);
  const std::string& name = other == other_names.end() ? option_name : other->second;
  if (value.empty()) return name;
  if (value == "yes" || value == "no") return name + (value == "yes" ? "=True" : "=False");
  if (name == "na" || name == "ignore") return name + "=['" + value + "']";
  if (const std::size_t sign = value.rfind('='); name == "family" && sign != std::string::npos)
    return "family={'" + value.substr(0, sign) + "': '" + value.substr(sign + 1) + "'}";
  return name + "=" + (option.is_number() ? value : "'" + value + "'");
}
constexpr Spelling spelling{.option = argument_of};

void raise(PyObject* type, const nb::object& value,
           std::initializer_list<std::pair<const char*, nb::object>> attributes) {
  for (const auto& [name, attribute] : attributes) value.attr(name) = attribute;
  PyErr_SetObject(type, value.ptr());
}

void raise(PyObject* type, const Error& error,
           std::initializer_list<std::pair<const char*, nb::object>> attributes = {}) {
  const Place& where = error.where();
  using nb::literals::operator""_a;
  raise(type,
        nb::borrow(type)(error.sentence().text(spelling), error.advice().text(spelling),
                         "row"_a = where.row < 0 ? nb::none() : nb::cast(where.row),
                         "label"_a = where.label, "features"_a = where.features),
        attributes);
}

void translate(const std::exception_ptr& pointer, void* payload) {
  const ErrorTypes& types = *static_cast<const ErrorTypes*>(payload);
  try {
    std::rethrow_exception(pointer);
  } catch (const DataError& e) {
    raise(types.data, e);
  } catch (const SingularError& e) {
    raise(types.singular, e,
          {{"rank", nb::cast(e.rank())}, {"dimension", nb::cast(e.dimension())}});
  } catch (const FileError& e) {
    raise(types.file, nb::borrow(types.file)(e.text(spelling)),
          {{"filename", nb::cast(e.path())},
           {"line", nb::cast(e.line())},
           {"column", nb::cast(e.column())}});
  } catch (const InvalidArgument& e) {
    raise(types.invalid_argument, e);
  } catch (const Cancelled& e) {
    PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
  } catch (const Error& e) {
    raise(types.error, e);
  }
}

}  // namespace

std::string text_of(const Sentence& message) { return message.text(spelling); }

void bind_errors(nb::module_& module) {
  using nb::literals::operator""_a;
  static ErrorTypes types;
  const nb::module_ errors = nb::module_::import_("suffice._errors");
  const auto type = [&](const char* name) { return nb::object(errors.attr(name)).release().ptr(); };
  types = {type("Error"), type("InvalidArgument"), type("DataError"), type("SingularError"),
           type("FileError")};
  nb::register_exception_translator(translate, &types);
  module.def(
      "message",
      [](const std::string& sentence, const std::string& advice, std::optional<std::ptrdiff_t> row,
         const std::string& label, const std::vector<std::string>& features) {
        const Place where{.row = row.value_or(-1), .label = label, .features = features};
        return std::string(Error(where, sentence, advice).what());
      },
      "sentence"_a, "advice"_a, "row"_a, "label"_a, "features"_a);
}

}  // namespace suffice::python
