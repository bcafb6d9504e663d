#include "export/selftest_writer.hpp"

#include <fmt/format.h>

#include "export/nvcc_options.hpp"
#include "export/plan_writer.hpp"

namespace evo::exporting {
namespace {

// What does not depend on the problem.
constexpr const char* harness = R"(
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t check_result = (call);                                                          \
    if (check_result != cudaSuccess) {                                                                \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_result)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

/// A strided array on the host and on the device. Between its strides it may hold elements that belong to no
/// index.
template <class T>
struct Array {
  std::vector<long long> shape, strides;
  std::vector<T> host;
  T* device = nullptr;

  Array(std::vector<long long> shape_, std::vector<long long> strides_)
      : shape(std::move(shape_)), strides(std::move(strides_)) {
    long long extent = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) extent += (shape[i] - 1) * strides[i];
    host.resize(static_cast<std::size_t>(extent));
    CHECK(cudaMalloc(reinterpret_cast<void**>(&device), bytes()));
    std::memset(static_cast<void*>(host.data()), 0xff, bytes());  // not-a-number in every float type
    upload();
  }
  ~Array() { cudaFree(device); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t bytes() const { return host.size() * sizeof(T); }
  void upload() { CHECK(cudaMemcpy(device, host.data(), bytes(), cudaMemcpyHostToDevice)); }
  void download() { CHECK(cudaMemcpy(host.data(), device, bytes(), cudaMemcpyDeviceToHost)); }
  void randomise(unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (auto& element : host) element = static_cast<T>(normal(generator));
    upload();
  }
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<long long> index(shape.size(), 0);
    for (const long long size : shape) {
      if (size <= 0) return;
    }
    while (true) {
      long long offset = 0;
      for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
      visit(static_cast<std::size_t>(offset));
      std::size_t at = index.size();
      while (at > 0 && ++index[at - 1] == shape[at - 1]) index[--at] = 0;
      if (at == 0) return;
    }
  }
};

/// Half a unit in the last place of T at `value`.
template <class T>
double half_ulp(double value) {
  const int precision = sizeof(T) == 2 ? (static_cast<float>(T(1.00390625f)) == 1.0f ? 8 : 11) : sizeof(T) == 4 ? 24 : 53;
  const int lowest = precision == 11 ? -14 : -126;
  const int exponent = value == 0 || !std::isfinite(value) ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, exponent - precision);
}

/// Prints the errors of one output; false if they exceed the accuracy class, or if an element outside was
/// written.
template <class T>
bool agree(const char* name, Array<T>& result, Array<float>& expected) {
  result.download();
  expected.download();
  double error2 = 0, reference2 = 0, worst = 0;
  long long count = 0;
  bool finite = true;
  std::vector<bool> addressed(result.host.size(), false);
  result.for_each([&](std::size_t at) {
    addressed[at] = true;
    const double got = static_cast<double>(static_cast<float>(result.host[at])), want = expected.host[at];
    finite = finite && std::isfinite(got);
    error2 += (got - want) * (got - want);
    reference2 += want * want;
    // The rounding of the output's own type is no error of the kernel.
    worst = std::fmax(worst, std::fabs(got - want) - half_ulp<T>(want));
    ++count;
  });
  bool inside = true;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(result.host.data());
  for (std::size_t at = 0; at < addressed.size(); ++at) {
    if (addressed[at]) continue;
    for (std::size_t b = 0; b < sizeof(T); ++b) inside = inside && bytes[at * sizeof(T) + b] == 0xff;
  }
  const double frobenius = std::sqrt(error2 / std::fmax(reference2, 1e-300));
  const double over_rms = worst / std::fmax(std::sqrt(reference2 / static_cast<double>(count)), 1e-300);
  std::printf("  %s: max error %.3g (%.3g of rms, bound %.3g), relative error %.3g (bound %.3g)%s%s\n", name,
              worst, over_rms, max_abs_over_rms, frobenius, relative_frobenius, finite ? "" : ", NOT FINITE",
              inside ? "" : ", WROTE OUTSIDE OF THE ARRAY");
  return finite && inside && over_rms <= max_abs_over_rms && frobenius <= relative_frobenius;
}
)";

std::string list(const std::vector<std::string>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

model::Expected<std::vector<std::string>> all_cpp(const Names& names,
                                                  const std::vector<model::Expression>& expressions) {
  std::vector<std::string> texts;
  for (const auto& expression : expressions) {
    auto text = names.cpp(expression);
    if (!text) return tl::make_unexpected(text.error());
    texts.push_back(std::move(*text));
  }
  return texts;
}

model::Expected<std::string> thread_count(const ExportRequest& request, const Names& names,
                                          const std::string& reference) {
  constexpr std::string_view mark = "// threads: ";
  const auto at = reference.find(mark);
  const std::string file = request.problem.folder + "/reference.cu";
  if (at == std::string::npos) {
    return tl::make_unexpected(model::Error{"no line '// threads: EXPRESSION'", file, 0, 0});
  }
  const std::string text = reference.substr(at + mark.size(), reference.find('\n', at) - at - mark.size());
  const auto expression = model::Expression::parse(text, file);
  if (!expression) return tl::make_unexpected(expression.error());
  return names.cpp(*expression);
}

struct Body {
  std::string arrays, maps, kernel_arguments, reference_arguments, comparisons;
};

model::Expected<Body> body_of(const ExportRequest& request, const Names& names) {
  Body body;
  unsigned number = 0;
  for (const auto& argument : request.problem.arguments) {
    const std::string type = cpp_type(argument.dtype);
    std::string for_kernel, for_reference;
    if (argument.role == model::ArgumentRole::scalar) {
      const bool is_number = argument.scalar.form == model::ScalarValue::Form::number;
      const auto value =
          is_number ? fmt::format("{:.17g}", argument.scalar.number) : names.cpp(argument.scalar.expression);
      if (!value) return tl::make_unexpected(value.error());
      const bool root = argument.scalar.form == model::ScalarValue::Form::inverse_sqrt;
      for_kernel =
          root ? fmt::format("static_cast<{}>(1.0 / std::sqrt(static_cast<double>({})))", type, *value)
               : fmt::format("static_cast<{}>({})", type, *value);
      for_reference = for_kernel;
    } else {
      const auto shape = all_cpp(names, argument.shape), strides = all_cpp(names, argument.strides);
      if (!shape) return tl::make_unexpected(shape.error());
      if (!strides) return tl::make_unexpected(strides.error());
      const std::string geometry = fmt::format("({}, {})", list(*shape), list(*strides));
      body.arrays += fmt::format("  Array<{}> {}{};\n", type, argument.name, geometry);
      for_kernel = for_reference = argument.name + ".device";
      if (argument.role == model::ArgumentRole::input) {
        body.arrays += fmt::format("  {}.randomise(seed + {});\n", argument.name, ++number);
      } else if (argument.role == model::ArgumentRole::output) {
        body.arrays += fmt::format("  Array<float> {}_reference{};\n", argument.name, geometry);
        for_reference = argument.name + "_reference.device";
        body.comparisons +=
            fmt::format("  good = agree(\"{0}\", {0}, {0}_reference) && good;\n", argument.name);
      }
    }
    body.kernel_arguments += (body.kernel_arguments.empty() ? "" : ",\n      ") + for_kernel;
    body.reference_arguments += (body.reference_arguments.empty() ? "" : ",\n      ") + for_reference;
  }
  for (const auto& map : request.kernel.launch.tensor_maps) {
    body.maps += fmt::format(
        "  TensorMap {0};\n"
        "  if (!make_{0}(axes, {1}.device, &{0})) {{\n"
        "    std::fprintf(stderr, \"the driver refuses the tensor map {0}\\n\");\n"
        "    return false;\n"
        "  }}\n",
        map.name, map.argument);
    body.kernel_arguments += ",\n      " + map.name;
  }
  return body;
}

}  // namespace

const char* selftest_harness() {
  return harness;
}

const char* ceiling_note(const model::Tolerance& tolerance) {
  return tolerance.reference_factor
             ? ": its ceiling only. evo held the kernel also against a plain 16-bit implementation,\n"
               "// on the same data (rule reference_factor, see provenance.json), which is not at hand here"
             : "";
}

model::Expected<std::string> write_selftest(const ExportRequest& request, const std::string& name,
                                            const std::string& reference,
                                            const std::vector<model::Case>& cases) {
  const Names names(request);
  const auto* tolerance = request.problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr) {
    return tl::make_unexpected(
        model::Error{fmt::format("the problem has no accuracy class '{}'", request.accuracy_class),
                     request.problem.folder + "/problem.yaml", 0, 0});
  }
  const auto threads = thread_count(request, names, reference);
  if (!threads) return tl::make_unexpected(threads.error());
  const auto body = body_of(request, names);
  if (!body) return tl::make_unexpected(body.error());

  std::string table;
  for (const auto& bound : cases) {
    table += fmt::format("      {{\"{}\", {}}},\n", bound.name, axes_literal(names, bound));
  }
  return fmt::format(R"(// Checks {name}.cu against a plain kernel on random inputs, tails included.
//   nvcc {arch} -o selftest selftest.cu && ./selftest
// Exit code 0: every output of every case is within the accuracy class {accuracy}; 1: not, or a CUDA error.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "{name}.h"

#include "{name}.cu"

namespace {plan} {{
#include "reference.cuh"

// Bounds of the accuracy class{ceiling}.
constexpr double relative_frobenius = {frobenius:g};
constexpr double max_abs_over_rms = {over_rms:g};
)",
                     fmt::arg("name", name), fmt::arg("arch", nvcc_architecture(request.target.arch)),
                     fmt::arg("accuracy", request.accuracy_class), fmt::arg("plan", plan_namespace(name)),
                     fmt::arg("frobenius", tolerance->relative_frobenius),
                     fmt::arg("over_rms", tolerance->max_abs_over_rms),
                     fmt::arg("ceiling", ceiling_note(*tolerance))) +
         harness +
         fmt::format(R"(
bool run_case(const char* name, const Axes& axes, unsigned seed) {{
  std::printf("%s\n", name);
{arrays}{maps}
  const dim3 grid(static_cast<unsigned>(grid_x(axes)), static_cast<unsigned>(grid_y(axes)),
                  static_cast<unsigned>(grid_z(axes)));
  const dim3 block(static_cast<unsigned>(block_x(axes)), static_cast<unsigned>(block_y(axes)),
                   static_cast<unsigned>(block_z(axes)));
  const int smem = static_cast<int>(dynamic_smem(axes));
  CHECK(cudaFuncSetAttribute({entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
  {entry}<<<grid, block, static_cast<std::size_t>(smem)>>>(
      {kernel_arguments});
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  reference<<<static_cast<unsigned>(ceil_div({threads}, 128)), 128>>>(
      {reference_arguments},
      axes);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  bool good = true;
{comparisons}  return good;
}}

}}  // namespace {plan}

int main() {{
  struct Case {{
    const char* name;
    {plan}::Axes axes;
  }};
  const Case cases[] = {{
{table}  }};
  bool good = true;
  unsigned seed = 1;
  for (const Case& each : cases) good = {plan}::run_case(each.name, each.axes, seed += 100) && good;
  std::printf("%s\n", good ? "all within the bounds" : "FAILED");
  return good ? 0 : 1;
}}
)",
                     fmt::arg("arrays", body->arrays), fmt::arg("maps", body->maps),
                     fmt::arg("entry", request.kernel.entry),
                     fmt::arg("kernel_arguments", body->kernel_arguments), fmt::arg("threads", *threads),
                     fmt::arg("reference_arguments", body->reference_arguments),
                     fmt::arg("comparisons", body->comparisons), fmt::arg("table", table),
                     fmt::arg("plan", plan_namespace(name)));
}

}  // namespace evo::exporting
