// evo-oracles [--device cuda:N] [SIZE...]: what each kind of oracle costs on the same product of matrices in
// FP32, in seconds: the whole answer, the rows that a large case is judged on, and the same in float
// (tolerance: auto). What would take minutes is left out ("-").
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/npy.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/reference/command_oracle.hpp"
#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/recorded_oracle.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "model/error.hpp"

namespace {

using namespace evo;
using namespace evo::evaluators;
namespace fs = std::filesystem;

constexpr const char* naive = R"(
__global__ void reference(const EVO_REAL* A, const EVO_REAL* B, EVO_REAL* C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * N) return;
  EVO_REAL sum = 0;
  for (int j = 0; j < N; ++j) sum += A[i / N * N + j] * B[j * N + i % N];
  C[i] = sum;
}
)";
constexpr const char* numpy = R"(
import sys, numpy
a, b = (numpy.load(f"{sys.argv[1]}/{x}.npy").astype(numpy.float64) for x in "AB")
numpy.save(f"{sys.argv[2]}/C.npy", a @ b)
)";

constexpr double most_flops = 17179869184.0;  // 2^34

model::Case product(std::int64_t n) {
  model::Case bound;
  bound.name = "square";
  for (const char* name : {"A", "B", "C"}) {
    model::BoundArgument argument;
    argument.name = name;
    argument.role = *name == 'C' ? model::ArgumentRole::output : model::ArgumentRole::input;
    argument.dtype = model::DType::f32;
    argument.shape = {n, n};
    argument.strides = {n, 1};
    bound.arguments.push_back(std::move(argument));
  }
  bound.flops = 2.0 * static_cast<double>(n * n * n);
  bound.reference_launch.emplace();
  bound.reference_launch->grid[0] = static_cast<std::uint32_t>((n * n + 255) / 256);
  bound.reference_launch->block[0] = 256;
  bound.reference_by_element = true;
  return bound;
}

model::Artifact compiled(const compile::Nvrtc& nvrtc, std::int64_t n, const char* real,
                         const std::string& arch = "sm_80") {
  model::Problem problem;
  const model::Case bound = product(n);
  for (const model::BoundArgument& argument : bound.arguments)
    problem.arguments.push_back({argument.name, argument.role, argument.dtype, {}, {}, {}});
  problem.oracle_kernel =
      model::ReferenceKernel{"naive.cu", fmt::format("#define N {}\n{}", n, naive), "reference", {}};
  auto artifact = compile::run_compile(nvrtc, reference::reference_request(problem, {}, arch, real));
  if (!artifact) throw model::Exception(model::ExitCode::failed, artifact.error().evidence.front().message);
  return *artifact;
}

/// "1.23 s (2.31 CPU)", or why not. The CPU time is this process's: a program's is not in it.
template <class Call>
std::string timed(const Call& call) {
  const std::clock_t cpu = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  const auto result = call();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result ? fmt::format("{:.3f} s ({:.3f} CPU)", seconds,
                              static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC)
                : "no: " + result.error().message.substr(0, 60);
}

void row(const std::string& name, const model::Case& bound, const oracle::InputBuffers& inputs,
         const oracle::ComputedOracle& one, bool plain) {
  const auto rows = oracle::draw_rows(bound, bound.arguments.back(), 1);
  const bool affordable = bound.flops <= most_flops || one.prefers_whole(bound) || !one.computes_rows(bound);
  const std::string whole = affordable ? timed([&] { return one.compute(bound, inputs); }) : "-";
  const std::string some =
      one.computes_rows(bound) ? timed([&] { return one.compute_rows(bound, inputs, rows); }) : "-";
  const std::string in_float =
      plain && affordable ? timed([&] { return one.compute_plain(bound, inputs, {}); }) : "-";
  fmt::print("| {} | {} | {} | {} ({} rows) | {} |\n", name, bound.arguments.back().shape[0], whole, some,
             rows.size(), in_float);
  std::fflush(stdout);
}

/// The kernel whole on a GPU, with the rows of it that are compared with the virtual device, and then again,
/// as for a further input set, without them.
void on_gpu(std::int64_t n, const compile::Nvrtc& nvrtc, const std::string& device, const model::Case& bound,
            const oracle::InputBuffers& inputs) {
  const int ordinal = cuda::parse_cuda_ordinal(device).value();
  std::string arch;
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (entry.ordinal == ordinal) arch = entry.info.arch;
  }
  if (arch.empty()) throw model::Exception(model::ExitCode::environment, "there is no " + device);
  const auto own = cuda::open_context(ordinal);
  const auto side =
      std::make_shared<reference::SideDevice>(device, [&] { return cuda::open_beside(ordinal, *own); });
  const reference::KernelReference kernel(compiled(nvrtc, n, "double", arch),
                                          compiled(nvrtc, n, "float", arch), side);
  row("kernel, on " + device + ", first", bound, inputs, kernel, true);
  row("kernel, on " + device + ", again", bound, inputs, kernel, true);
}

void all_kinds(std::int64_t n, const compile::Nvrtc& nvrtc, const fs::path& folder,
               const std::string& device) {
  const model::Case bound = product(n);
  const oracle::Catalogue known;
  const auto inputs = oracle::make_inputs(known, bound, {"normal", "normal", {}}, {.seed = 1}).value();
  const oracle::ExpressionOracle expression(
      std::vector<model::OracleStatement>{{"C[m, n] = sum(k, A[m, k] * B[k, n])", "bench", 1, 1}});
  row("expression", bound, inputs, expression, true);
  row("kernel, on the virtual device", bound, inputs,
      reference::KernelReference(compiled(nvrtc, n, "double"), compiled(nvrtc, n, "float")), true);
  if (!device.empty()) on_gpu(n, nvrtc, device, bound, inputs);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  };
  std::vector<std::byte> output(static_cast<std::size_t>(oracle::buffer_bytes(bound.arguments[2])));
  const auto recorded = reference::RecordedOracle::load(
      {{"square",
        {{"A", write("A.npy", oracle::npy_of(bound.arguments[0], inputs[0]))},
         {"B", write("B.npy", oracle::npy_of(bound.arguments[1], inputs[1]))},
         {"C", write("C.npy", oracle::npy_of(bound.arguments[2], output))}}}});
  row("files (read before)", bound, inputs, recorded.value(), false);
  model::OracleSource command;
  command.command = {"python3", write("reference.py", numpy)};
  command.folder = folder.string();
  command.content = numpy;
  row("command, NumPy", bound, inputs, reference::CommandOracle(command, {}), false);
  row(
      "command, NumPy, kept", bound, inputs,
      [&] {
        reference::CommandOracle kept(command, folder / "cache");
        (void)kept.compute(bound, inputs);
        return kept;
      }(),
      false);
}

}  // namespace

int main(int argc, char** argv) try {
  const fs::path folder = fs::temp_directory_path() / "evo-oracles";
  fs::create_directories(folder);
  const auto nvrtc = evo::evaluators::compile::Nvrtc::load();
  fmt::print("| oracle | size | whole | sampled rows | in float |\n|---|---|---|---|---|\n");
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string device;
  if (words.size() >= 2 && words[0] == "--device") {
    device = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.empty()) words = {"256", "1024"};
  for (const std::string& size : words) all_kinds(std::stoll(size), nvrtc, folder, device);
  fs::remove_all(folder);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "evo-oracles: {}\n", error.what());
  return 1;
}
