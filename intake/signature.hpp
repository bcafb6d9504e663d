// The kernels of a CUDA source, as its text has them: names, template parameters, parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evo::intake {

struct Parameter {
  std::string name;
  std::string type;       ///< without qualifiers of the parameter itself, as written: "const float*"
  bool pointer = false;   ///< or an array without a bound
  bool constant = false;  ///< what it points to is const
  int line = 0;           ///< from 1
};

struct TemplateParameter {
  std::string name;
  bool type = false;     ///< a type, not a value
  bool boolean = false;  ///< a bool
  std::string fallback;  ///< its default argument; "" without one
};

struct KernelText {
  std::string name;   ///< "ns::add"
  std::string plain;  ///< "add"
  bool extern_c = false;
  std::vector<TemplateParameter> templates;
  std::vector<Parameter> parameters;
  int line = 0;                    ///< of its name
  std::size_t begin = 0, end = 0;  ///< its body in the text, braces included
  std::string launch_bounds;       ///< the first argument of __launch_bounds__; "" without it
};

/// Every __global__ function with a body, in the order of the text; one that stands in several arms of a
/// conditional occurs several times. Comments, attributes, default arguments and macros in the head are
/// passed over.
[[nodiscard]] std::vector<KernelText> kernels_of(const std::string& source);
/// Every __global__ function that is only declared; its `begin` and `end` are those of the semicolon.
[[nodiscard]] std::vector<KernelText> declared_kernels_of(const std::string& source);

/// "const float *__restrict__ x" as a parameter.
[[nodiscard]] Parameter read_parameter(const std::string& text);

/// An entry as one types it: "ns::k<float, 4>" is the name "ns::k" and the arguments "float", "4"; of
/// "k(float*, int)" the parameters "float*", "int" say which of several kernels of that name is meant.
struct EntryName {
  std::string name;
  std::vector<std::string> arguments;
  bool overload = false;  ///< parameters are given, none of them, too
  std::vector<std::string> parameters;
};
[[nodiscard]] EntryName read_entry(std::string_view text);

/// Splits at commas outside of ( [ { and, for lists of types, <; parts without blanks around them. Nothing of
/// an empty text.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, bool types = false);
/// Without blanks around it.
[[nodiscard]] std::string trimmed(std::string_view text);

}  // namespace evo::intake
