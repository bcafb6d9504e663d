#include "export/launch_code.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/launch_writer.hpp"
#include "export/parameters.hpp"

namespace evo::exporting {
namespace {

using model::Argument;
using model::ArgumentRole;

/// The scalars of a kernel that follow loops, as they are in this turn.
model::Expected<std::string> scalars_of_turn(const ExportRequest& request, const Names& names,
                                             const model::LaunchModel& launch) {
  std::string text;
  for (const Parameter& parameter : parameters_of(request.problem.arguments, launch)) {
    const std::size_t count = parameter.structure ? parameter.structure->offsets.size() : 1;
    for (std::size_t i = parameter.first; i < parameter.first + count; ++i) {
      const Argument& argument = request.problem.arguments[i];
      if (argument.role != ArgumentRole::scalar || is_given(argument)) continue;
      const auto& used = argument.scalar.expression.names();
      if (std::ranges::none_of(launch.loops, [&](const auto& loop) { return used.contains(loop.name); }))
        continue;
      const auto value = names.cpp(argument.scalar.expression);
      if (!value) return tl::make_unexpected(value.error());
      text += fmt::format("  {0} {1} = static_cast<{0}>({2});\n", cpp_type(argument.dtype),
                          defined_name(argument), *value);
    }
  }
  return text;
}

/// The launch of one kernel; the last one's is the function's result, where it is in no loop.
std::string launch_code(const ExportRequest& request, const std::string& name,
                        const model::LaunchModel& launch, std::size_t number, bool last) {
  std::vector<std::string> addresses;
  std::string structs;
  const auto& arguments = request.problem.arguments;
  for (const Parameter& parameter : parameters_of(arguments, launch)) {
    const Argument& argument = arguments[parameter.first];
    if (!parameter.structure) {
      addresses.push_back(
          fmt::format("const_cast<void*>(static_cast<const void*>(&{}))", defined_name(argument)));
      continue;
    }
    // Byte for byte: the struct's own type is the kernel's business.
    const std::string bytes = "struct_" + argument.structure + launch_suffix(number);
    structs += fmt::format("  alignas(16) unsigned char {}[{}] = {{}};\n", bytes, parameter.structure->bytes);
    for (std::size_t i = 0; i < parameter.structure->offsets.size(); ++i) {
      const std::string member = defined_name(arguments[parameter.first + i]);
      structs += fmt::format("  memcpy({} + {}, &{}, sizeof({}));\n", bytes, parameter.structure->offsets[i],
                             member, member);
    }
    addresses.push_back(bytes);
  }
  std::string maps;
  for (const auto& map : launch.tensor_maps) {
    maps +=
        fmt::format("  TensorMap {0};\n  if (!make_{0}(axes, arg_{1}, &{0})) return cudaErrorInvalidValue;\n",
                    map.name, map.argument);
    addresses.push_back("&" + map.name);
  }
  const std::string text = fmt::format(
      R"(  const void* kernel{n} = {address}{n}();
  const size_t shared{n} = static_cast<size_t>(dynamic_smem{n}(axes{loops}));
  if (shared{n} > 48 * 1024) {{
    const cudaError_t failed =
        cudaFuncSetAttribute(kernel{n}, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared{n}));
    if (failed != cudaSuccess) return failed;
  }}
{maps}{structs}  void* values{n}[] = {{{addresses}}};
  {result}{launcher}(kernel{n},
                          dim3(static_cast<unsigned>(grid_x{n}(axes{loops})), static_cast<unsigned>(grid_y{n}(axes{loops})),
                               static_cast<unsigned>(grid_z{n}(axes{loops}))),
                          dim3(static_cast<unsigned>(block_x{n}(axes{loops})), static_cast<unsigned>(block_y{n}(axes{loops})),
                               static_cast<unsigned>(block_z{n}(axes{loops}))),
                          values{n}, shared{n}, stream);
)",
      fmt::arg("n", launch_suffix(number)), fmt::arg("address", address_function(name)),
      fmt::arg("loops", loop_arguments(launch)), fmt::arg("launcher", launch_function(request)),
      fmt::arg("maps", maps), fmt::arg("structs", structs),
      fmt::arg("addresses", fmt::join(addresses, ",\n                    ")),
      fmt::arg("result",
               last ? "return " : fmt::format("const cudaError_t result{} = ", launch_suffix(number))));
  if (last) return text;
  return text + fmt::format("  if (result{0} != cudaSuccess) return result{0};\n", launch_suffix(number));
}

/// The head of a loop of launches.
model::Expected<std::string> loop_code(const Names& names, const model::LaunchLoop& loop) {
  const auto from = names.cpp(loop.from), to = names.cpp(loop.to), step = names.cpp(loop.step);
  for (const auto* bound : {&from, &to, &step}) {
    if (!*bound) return tl::make_unexpected(bound->error());
  }
  return fmt::format(
      "  for (long long {0} = {1}, last_{0} = {2}, step_{0} = {3};\n"
      "       step_{0} > 0 ? {0} <= last_{0} : {0} >= last_{0}; {0} += step_{0}) {{\n",
      loop_variable(loop.name), *from, *to, *step);
}

}  // namespace

std::string defined_name(const Argument& argument) {
  return "arg_" + argument.name;
}

model::Expected<std::string> launches_code(const ExportRequest& request, const Names& names,
                                           const std::string& name,
                                           const std::vector<const model::LaunchModel*>& launches) {
  std::string code;
  std::vector<std::size_t> open;  // the loops that have begun and not ended, by number
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) code += "  }\n";
  };
  bool returned = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const model::LaunchModel& launch = *launches[i];
    std::size_t shared = 0;
    while (shared < open.size() && shared < launch.loops.size() &&
           open[shared] == launch.loops[shared].number)
      ++shared;
    close_to(shared);
    for (; shared < launch.loops.size(); ++shared) {
      const auto head = loop_code(names, launch.loops[shared]);
      if (!head) return head;
      code += *head;
      open.push_back(launch.loops[shared].number);
    }
    returned = i + 1 == launches.size() && launch.loops.empty();
    if (launch.loops.empty()) {
      code += launch_code(request, name, launch, i, returned);
      continue;
    }
    const auto scalars = scalars_of_turn(request, names, launch);
    if (!scalars) return scalars;
    const auto when = launch.when ? names.cpp(*launch.when) : model::Expected<std::string>("true");
    if (!when) return when;
    code += launch.when ? fmt::format("  if ({}) {{\n", *when) : "  {\n";
    code += *scalars + launch_code(request, name, launch, i, false) + "  }\n";
  }
  close_to(0);
  return returned ? code : code + "  return cudaSuccess;\n";
}

}  // namespace evo::exporting
