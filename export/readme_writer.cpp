#include "export/readme_writer.hpp"

#include <functional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/cpp_expression.hpp"
#include "export/names.hpp"
#include "export/nvcc_options.hpp"

namespace evo::exporting {
namespace {

using model::Argument;
using model::ArgumentRole;

/// "-arch=sm_89 --use_fast_math": what it was proven with.
std::string options_of(const ExportRequest& request) {
  std::string options = nvcc_architecture(request.target.arch);
  for (const std::string& option : request.variant.options) options += " " + option;
  return options;
}

std::string role_of(const Argument& argument) {
  switch (argument.role) {
    case ArgumentRole::input:
      return "read";
    case ArgumentRole::output:
      return "written";
    case ArgumentRole::inout:
      return "read and written";
    case ArgumentRole::workspace:
      return "workspace: holds nothing that counts";
    case ArgumentRole::scalar:
      return "a number";
  }
  return {};
}

/// "`k`: 32 to 1024, a multiple of 32": what the problem allows of a run-time axis.
std::string bounds_of(const model::Axis& axis) {
  std::string text = fmt::format("- `{}`: ", axis.name);
  if (!axis.allowed.empty()) return text + fmt::format("{}\n", fmt::join(axis.allowed, ", "));
  if (!axis.minimum && !axis.maximum) text += "any";
  if (axis.minimum) text += fmt::format("{} ", *axis.minimum);
  if (axis.maximum) text += fmt::format("to {}", *axis.maximum);
  if (axis.minimum && !axis.maximum) text += "or more";
  if (axis.multiple_of) text += fmt::format(", a multiple of {}", *axis.multiple_of);
  return text + "\n";
}

/// Not a word of Python's, nor one of the snippet's own.
std::string python_name(const std::string& name) {
  static const std::set<std::string, std::less<>> taken{
      "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
      "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
      "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
      "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False",    "L",
      "P",      "lib",  "stream", "failed", "torch",    "ctypes"};
  return taken.contains(name) ? name + "_" : name;
}

struct Call {
  std::vector<std::string> axes, arguments, python_axes, python_arguments;
  std::string table, bounds;
  bool objects = false;  ///< textures or surfaces among them, which Python has no word for
};

Call call_of(const ExportRequest& request) {
  Call call;
  const Names names(request);
  for (const model::Axis* axis : names.run_time_axes()) {
    call.axes.push_back(axis->name);
    call.python_axes.push_back(fmt::format("L({})", python_name(axis->name)));
    call.bounds += bounds_of(*axis);
  }
  const auto add = [&](const Argument& argument, const std::string& size) {
    call.arguments.push_back(argument.name);
    call.python_arguments.push_back(argument.role == ArgumentRole::scalar
                                        ? fmt::format("ctypes.c_double({})", python_name(argument.name))
                                        : fmt::format("P({}.data_ptr())", python_name(argument.name)));
    call.objects = call.objects || argument.texture.has_value();
    call.table += fmt::format("| `{}` | `{}` | {} | {} |\n", argument.name, parameter_type(argument), size,
                              role_of(argument));
  };
  for (const Argument& argument : request.problem.arguments) {
    if (argument.role == ArgumentRole::scalar) continue;
    std::vector<std::string> shape;
    for (const model::Expression& size : argument.shape) shape.push_back(size.text());
    add(argument, fmt::format("`[{}]`", fmt::join(shape, ", ")));
  }
  for (const Argument& argument : request.problem.arguments) {
    if (is_given(argument)) add(argument, fmt::format("`value_of_{}(axes)`", argument.name));
  }
  return call;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& each : list) text += ", " + each;
  return text;
}

}  // namespace

std::string write_readme(const ExportRequest& request, const std::string& name, bool selftest) {
  const Call call = call_of(request);
  std::string text = fmt::format(
      R"(# {name}

Variant {variant} of the problem {problem}, written by evo {version}. Where it comes from, how fast it was and what was
proven of it: `provenance.json`. Nothing here needs evo.

| argument | type | shape, or usual value | |
|---|---|---|---|
{table}
Arrays are on the device. {axes}

## From C++

```cpp
#include "{name}.h"

cudaError_t failed = {plan}::launch(stream, {{{sizes}}}{arguments});  // does not wait
```

```sh
nvcc {options} -c {name}.cu
```
)",
      fmt::arg("name", name), fmt::arg("variant", request.variant.id),
      fmt::arg("problem", request.problem.name), fmt::arg("version", request.provenance.evo_version),
      fmt::arg("table", call.table),
      fmt::arg("axes",
               call.axes.empty()
                   ? std::string("Their sizes are fixed.")
                   : fmt::format(
                         "The sizes that the problem allows, which `{}::supported({{{}}})` asks for; beyond "
                         "them nothing\nwas proven, and a launch is `cudaErrorInvalidValue`:\n\n{}",
                         plan_namespace(name), fmt::join(call.axes, ", "), call.bounds)),
      fmt::arg("plan", plan_namespace(name)),
      fmt::arg("sizes", fmt::format("{}", fmt::join(call.axes, ", "))),
      fmt::arg("arguments", joined(call.arguments)), fmt::arg("options", options_of(request)));
  text += fmt::format(R"(
CMake: `add_subdirectory`, or `find_package({target})` once installed; then `target_link_libraries(app {target}::{target})`.
)",
                      fmt::arg("target", identifier(name)));
  if (!call.objects) {
    text += fmt::format(
        R"(
## From Python

```sh
nvcc {options} -shared -Xcompiler -fPIC -o lib{name}.so {name}.cu
```

```python
import ctypes, torch
lib = ctypes.CDLL("./lib{name}.so")
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
L, P = ctypes.c_longlong, ctypes.c_void_p
failed = lib.{target}_launch(stream{axes}{arguments})
assert failed == 0, f"cudaError_t {{failed}}"
```

Tensors are on the GPU, of the types above, and contiguous where the problem names no strides.
)",
        fmt::arg("options", options_of(request)), fmt::arg("name", name),
        fmt::arg("target", identifier(name)), fmt::arg("axes", joined(call.python_axes)),
        fmt::arg("arguments", joined(call.python_arguments)));
  }
  text += selftest ? fmt::format(R"(
## Check it on your GPU

```sh
nvcc {} -o selftest *.cu && ./selftest
```

Exit code 0: every output is within the tolerance.
)",
                                 options_of(request))
                   : "\nThere is no self-test: `provenance.json` says why, under `selftest`.\n";
  return text;
}

}  // namespace evo::exporting
