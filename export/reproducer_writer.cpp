#include "export/reproducer_writer.hpp"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/launch_writer.hpp"
#include "export/names.hpp"
#include "export/nvcc_options.hpp"
#include "export/parameters.hpp"
#include "export/selftest_writer.hpp"
#include "export/texture_writer.hpp"

namespace evo::exporting {
namespace {

constexpr const char* loading = R"(
/// Whole contents of an array, gaps included.
template <class T>
void load(Array<T>& array, const char* file) {
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(array.host.data()), static_cast<std::streamsize>(array.bytes()));
  if (in.gcount() != static_cast<std::streamsize>(array.bytes())) {
    std::fprintf(stderr, "%s: missing or too short; run the program in its own folder\n", file);
    std::exit(2);
  }
  array.upload();
}

template <class T>
void fill(Array<T>& array, int byte) {
  std::memset(static_cast<void*>(array.host.data()), byte, array.bytes());
  array.upload();
}
)";

struct Parts {
  std::string arrays, refresh, arguments, comparisons;
  std::string values;  ///< variables with the scalars and the tensor maps
};

/// What the kernel takes; structs are made of their members' bytes.
void pass(const ReproducerPlan& plan, const std::vector<std::string>& names, Parts& parts) {
  std::vector<std::size_t> all(names.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const Parameter& parameter : parameters_of(all, plan.bound.launch.structs)) {
    parts.arguments += parts.arguments.empty() ? "" : ", ";
    if (!parameter.structure) {
      parts.arguments += "&" + names[parameter.first];
      continue;
    }
    const std::string bytes = fmt::format("struct_{}", parameter.first);
    parts.values +=
        fmt::format("  alignas(16) unsigned char {}[{}] = {{}};\n", bytes, parameter.structure->bytes);
    for (std::size_t i = 0; i < parameter.structure->offsets.size(); ++i) {
      const std::string& member = names[parameter.first + i];
      parts.values += fmt::format("  std::memcpy({} + {}, &{}, sizeof({}));\n", bytes,
                                  parameter.structure->offsets[i], member, member);
    }
    parts.arguments += bytes;
  }
}

/// `axes`: a literal of them, for the objects of textures and surfaces.
Parts parts_of(const ReproducerPlan& plan, const std::string& axes) {
  Parts parts;
  std::vector<std::string> names;
  for (const model::BoundArgument& argument : plan.bound.arguments) {
    const std::string type = cpp_type(argument.dtype);
    if (argument.role == model::ArgumentRole::scalar) {
      const bool floating = argument.scalar_integer == 0 && argument.scalar_float != 0;
      const std::string value = floating ? fmt::format("{:.17g}", argument.scalar_float)
                                         : fmt::format("{}LL", argument.scalar_integer);
      parts.values += fmt::format("  {0} scalar_{1} = static_cast<{0}>({2});\n", type, argument.name, value);
      names.push_back("scalar_" + argument.name);
      continue;
    }
    const auto geometry_of = [](const model::BoundArgument& array) {
      return fmt::format("({{{}}}, {{{}}})", fmt::join(array.shape, ", "), fmt::join(array.strides, ", "));
    };
    const std::string geometry = geometry_of(argument);
    parts.arrays +=
        fmt::format("  Array<{}> {}{};\n", type, argument.name, geometry_of(argument.unreduced()));
    const bool reduced = argument.reduce != model::Reduction::none;
    if (reduced) parts.arrays += fmt::format("  Array<{}> {}_reduced{};\n", type, argument.name, geometry);
    const std::string object = "object_" + argument.name;
    names.push_back(argument.texture ? object + ".object" : argument.name + ".device");
    if (argument.role == model::ArgumentRole::input) {
      parts.arrays += fmt::format("  load({0}, \"{0}.bin\");\n", argument.name);
    } else if (argument.role == model::ArgumentRole::workspace) {
      parts.arrays += fmt::format("  fill({}, {});\n", argument.name,
                                  plan.zero_workspace || argument.zeroed ? "0" : "0xff");
    } else {
      parts.arrays +=
          fmt::format("  Array<float> {0}_expected{1};\n  load({0}_expected, \"{0}.expected.bin\");\n",
                      argument.name, geometry);
      parts.refresh +=
          argument.role == model::ArgumentRole::inout
              ? fmt::format("    load({0}, \"{0}.bin\");\n", argument.name)
              : fmt::format("    fill({}, {});\n", argument.name, argument.zeroed ? "0" : "0xff");
      if (argument.texture) {
        parts.refresh += fmt::format("    CHECK({}.fill(axes, {}.device));\n", object, argument.name);
        parts.comparisons +=
            fmt::format("    CHECK({}.bring_back(axes, {}.device));\n", object, argument.name);
      }
      if (reduced)
        parts.comparisons += fmt::format("    {0}_reduced.reduce(Reduction::{1}, {0});\n", argument.name,
                                         model::name_of(argument.reduce));
      if (argument.reduce == model::Reduction::sort)
        parts.comparisons += fmt::format("    {}_expected.sort();\n", argument.name);
      parts.comparisons += fmt::format("    good = agree(\"{0}\", {0}{1}, {0}_expected) && good;\n",
                                       argument.name, reduced ? "_reduced" : "");
    }
    if (argument.texture) {
      parts.arrays +=
          fmt::format("  {0} {1};\n  CHECK({1}.make(axes));\n  CHECK({1}.fill(axes, {2}.device));\n",
                      texture_type(argument.name, *argument.texture), object, argument.name);
    }
  }
  if (parts.arrays.find(".make(axes)") != std::string::npos)
    parts.arrays = fmt::format("  const Axes axes{};\n", axes) + parts.arrays;
  pass(plan, names, parts);
  return parts;
}

}  // namespace

model::Expected<std::string> write_reproducer(const ExportRequest& request, const std::string& name,
                                              const ReproducerPlan& plan) {
  const auto* tolerance = request.problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr) {
    return tl::make_unexpected(
        model::Error{fmt::format("the problem has no accuracy class '{}'", request.accuracy_class)});
  }
  const Parts parts = parts_of(plan, axes_literal(Names(request), plan.bound));
  const model::LaunchPlan& launch = plan.bound.launch;
  std::string text = fmt::format(
      R"(// The smallest failing launch of {name}.cu that was found.
//   nvcc {arch} -lineinfo -o reproducer reproducer.cu && ./reproducer
//   compute-sanitizer --tool memcheck ./reproducer      (racecheck, initcheck, synccheck)
// Exit code 1: the fault shows, or a CUDA error; 0: every output is within the accuracy class {accuracy}.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <type_traits>
#include <set>
#include <utility>
#include <vector>

#include "{name}.cu"

namespace {space} {{

// Bounds of the accuracy class{ceiling}.
constexpr double relative_frobenius = {frobenius:g};
constexpr double max_abs_over_rms = {over_rms:g};
)",
      fmt::arg("name", name), fmt::arg("arch", nvcc_architecture(request.target.arch)),
      fmt::arg("accuracy", request.accuracy_class), fmt::arg("space", plan_namespace(name)),
      fmt::arg("frobenius", tolerance->relative_frobenius), fmt::arg("over_rms", tolerance->max_abs_over_rms),
      fmt::arg("ceiling", ceiling_note(*tolerance)));
  text += selftest_harness();
  text += loading;
  text += fmt::format(
      R"(
bool run() {{
{arrays}  const dim3 grid({gx}, {gy}, {gz}), block({bx}, {by}, {bz});
  const int smem = {smem};
  CHECK(cudaFuncSetAttribute({address}(), cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
{values}  void* taken[] = {{{arguments}}};
  bool good = true;
  for (int launch = 1; launch <= {launches} && good; ++launch) {{
    std::printf("launch %d\n", launch);
{refresh}    CHECK({launcher}({address}(), grid, block, taken, static_cast<std::size_t>(smem), nullptr));
    CHECK(cudaDeviceSynchronize());
{comparisons}  }}
  return good;
}}

}}  // namespace {space}

int main() {{
  const bool good = {space}::run();
  std::printf("%s\n", good ? "correct: the fault does not show here" : "the fault shows");
  return good ? 0 : 1;
}}
)",
      fmt::arg("arrays", parts.arrays), fmt::arg("gx", launch.grid[0]), fmt::arg("gy", launch.grid[1]),
      fmt::arg("gz", launch.grid[2]), fmt::arg("bx", launch.block[0]), fmt::arg("by", launch.block[1]),
      fmt::arg("bz", launch.block[2]), fmt::arg("smem", launch.dynamic_smem),
      fmt::arg("launcher", launch_function(request)), fmt::arg("address", address_function(name)),
      fmt::arg("values", parts.values), fmt::arg("launches", plan.launches),
      fmt::arg("refresh", parts.refresh), fmt::arg("arguments", parts.arguments),
      fmt::arg("comparisons", parts.comparisons), fmt::arg("space", plan_namespace(name)));
  return text;
}

}  // namespace evo::exporting
