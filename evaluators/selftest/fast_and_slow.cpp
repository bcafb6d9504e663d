// Two correct kernels whose order in time is known. They have the same name, so that a runner which keeps the
// first binary under a name, or times something else, is found out.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "evaluators/selftest/cases.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;
using model::DType;

constexpr std::int64_t elements = 1 << 14;
constexpr double least_ratio = 1.5;

/// The chain of square roots depends on the sum and never reaches the value that is asked for.
std::string source_text(int steps) {
  return fmt::format(
      "extern \"C\" __global__ void evo_pair(const float* a, const float* b, float* c, int n) {{\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float sum = a[i] + b[i];\n  float x = sum;\n  for (int k = 0; k < {}; ++k) x = sqrtf(x * x + "
      "1.0f);\n"
      "  c[i] = x == 123456.0f ? x : sum;\n}}\n",
      steps);
}

model::Case add_case() {
  model::Case bound;
  bound.name = "pair";
  for (const char* name : {"a", "b", "c"}) {
    model::BoundArgument argument;
    argument.name = name;
    argument.role = *name == 'c' ? ArgumentRole::output : ArgumentRole::input;
    argument.dtype = DType::f32;
    argument.shape = {elements};
    argument.strides = {1};
    bound.arguments.push_back(argument);
  }
  model::BoundArgument n;
  n.name = "n";
  n.role = ArgumentRole::scalar;
  n.dtype = DType::i32;
  n.scalar_integer = elements;
  n.scalar_float = static_cast<double>(elements);
  bound.arguments.push_back(n);
  bound.launch = {{elements / 128, 1, 1}, {128, 1, 1}, 0};
  bound.flops = static_cast<double>(elements);
  bound.bytes = 12.0 * static_cast<double>(elements);
  return bound;
}

}  // namespace

Check check_fast_and_slow(const Subject& subject) {
  Check check{"fast and slow", false, {}, 0};
  std::vector<model::Artifact> artifacts;
  for (const int steps : {0, 2000}) {
    compile::CompileRequest request;
    request.source = source_text(steps);
    request.source_file = "pair.cu";
    request.entry = "evo_pair";
    auto artifact = compile_for_device(subject, request);
    if (!artifact) {
      check.message = "the pair does not compile: " + describe(&artifact.error());
      return check;
    }
    artifacts.push_back(std::move(*artifact));
  }
  double slowest_fast = 0;
  double fastest_slow = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 4; ++turn) {
    const bool slow = turn % 2 == 1;
    gates::DeviceJob job = make_job(subject, artifacts[slow ? 1 : 0], {add_case()});
    job.oracle = "vector_add";
    job.input_sets = {{"normal", "normal", {}}};
    job.tolerance = {"fp32", 1e-6, 1e-5, {}};
    job.timed_cases = job.cases;
    job.settings.timing_samples = std::min(job.settings.timing_samples, 9);
    const gates::DeviceResult result = subject.runner.run(job);
    if (failure_of(result) != nullptr || result.latencies.empty()) {
      check.message = fmt::format("the {} kernel, which is correct: {}", slow ? "slow" : "fast",
                                  describe(failure_of(result)));
      return check;
    }
    const double us = result.latencies.front().latency.microseconds;
    if (slow) {
      fastest_slow = std::min(fastest_slow, us);
    } else {
      slowest_fast = std::max(slowest_fast, us);
    }
  }
  check.pass = fastest_slow >= least_ratio * slowest_fast;
  check.message =
      fmt::format("alternately, the fast kernel took {:.3g} us at most, the slow one {:.3g} us at least",
                  slowest_fast, fastest_slow);
  return check;
}

}  // namespace evo::evaluators::selftest
