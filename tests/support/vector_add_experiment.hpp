// An experiment around vector addition that goes up the whole ladder, with fakes or with a real compiler and
// the virtual device.
#pragma once

#include <stdexcept>
#include <string>

#include "model/experiment.hpp"
#include "model/variant.hpp"

#include "tests/support/targets.hpp"

namespace evo::tests {

inline model::Expression parsed(const std::string& text, int line = 1) {
  auto expression = model::Expression::parse(text, "add.yaml", line, 1);
  if (!expression) throw std::runtime_error(expression.error().text());
  return *expression;
}

/// The arguments of vector_add_case: a, b, c, n, c_stride.
inline std::vector<model::Argument> vector_add_arguments() {
  std::vector<model::Argument> arguments;
  for (const char* name : {"a", "b", "c"}) {
    model::Argument argument;
    argument.name = name;
    argument.role = name[0] == 'c' ? model::ArgumentRole::output : model::ArgumentRole::input;
    argument.dtype = model::DType::f32;
    argument.shape = {parsed("n")};
    argument.strides = {parsed(name[0] == 'c' ? "c_stride" : "1")};
    arguments.push_back(argument);
  }
  for (const char* name : {"n", "c_stride"}) {
    model::Argument argument;
    argument.name = name;
    argument.role = model::ArgumentRole::scalar;
    argument.dtype = model::DType::i32;
    argument.scalar.expression = parsed(name);
    arguments.push_back(argument);
  }
  return arguments;
}

inline model::Template vector_add_template() {
  model::Template kernel;
  kernel.name = "plain";
  kernel.source_file = "plain.cu";
  kernel.entry = "add";
  kernel.headers = {{"evo_add.cuh", "#define EVO_ADD(x, y) ((x) + (y))\n"}};
  kernel.source = R"(#include "evo_add.cuh"
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  __shared__ float tile[THREADS];
  const int first = blockIdx.x * THREADS;
  const int i = first + threadIdx.x;
  const int other = THREADS - 1 - threadIdx.x;
  tile[other] = first + other < n ? a[first + other] : 0.0f;
  __syncthreads();
  if (i < n) c[i * c_stride] = EVO_ADD(tile[threadIdx.x], b[i]);
}
)";
  model::Gene threads;
  threads.name = "THREADS";
  threads.values = {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{2048}};
  threads.initial = std::int64_t{64};
  model::Gene extra;
  extra.name = "EXTRA_SMEM";
  extra.values = {std::int64_t{0}, std::int64_t{1024}, std::int64_t{65536}};
  extra.initial = std::int64_t{0};
  kernel.space = model::Space({threads, extra},
                              {{parsed("THREADS != 128 or EXTRA_SMEM == 0"), "128 threads need it all"}});
  kernel.launch.grid[0] = parsed("ceil_div(n, THREADS)", 20);
  kernel.launch.grid[1] = kernel.launch.grid[2] = parsed("1");
  kernel.launch.block[0] = parsed("THREADS", 21);
  kernel.launch.block[1] = kernel.launch.block[2] = parsed("1");
  kernel.launch.dynamic_smem = parsed("EXTRA_SMEM");
  kernel.launch.static_smem = parsed("4 * THREADS");
  kernel.sanitize_shapes = {{{"n", parsed("2 * THREADS + 5")}, {"c_stride", parsed("1")}},
                            {{"n", parsed("THREADS - 1")}, {"c_stride", parsed("2")}}};
  return kernel;
}

inline model::Experiment vector_add_experiment() {
  model::Experiment experiment;
  experiment.name = "add";
  model::Problem& problem = experiment.problem;
  problem.name = "vector_add";
  problem.oracle = "vector_add";
  model::Axis n;
  n.name = "n";
  model::Axis stride;
  stride.name = "c_stride";
  stride.initial = 1;
  problem.axes = {n, stride};
  problem.arguments = vector_add_arguments();
  problem.input_sets = {{"normal", "normal", {}}, {"shifted", "normal", {{"mean", 50}}}};
  problem.tolerances = {{"fp32", 1e-6, 1e-5, {}}, {"narrow", 1e-6, 1e-5, {"shifted"}}};
  problem.work.flops = parsed("n");
  problem.work.bytes = parsed("12 * n");
  problem.check_workloads = {
      {"one", 1, {{"n", 1}}}, {"strided", 1, {{"n", 100}, {"c_stride", 3}}}, {"as_given", 1, {}}};
  problem.templates = {vector_add_template()};
  experiment.workloads = {{"small", 1, {{"n", 300}}}, {"large", 2, {{"n", 1000}}}};
  tests::set_shipped_target(experiment, "l4");
  experiment.accuracy_class = "fp32";
  experiment.baseline_template = "plain";
  experiment.baseline = problem.templates[0].space.initial();
  experiment.input_seed = 99;
  experiment.gates.repeated_launches = 6;
  experiment.gates.timing_samples = 10;
  return experiment;
}

inline model::Variant vector_add_variant(const model::Experiment& experiment, std::int64_t threads = 64,
                                         std::int64_t extra_smem = 0) {
  const model::Template& kernel = experiment.problem.templates.front();
  model::Genome genome = kernel.space.initial();
  genome.set("THREADS", threads);
  genome.set("EXTRA_SMEM", extra_smem);
  const model::Space space = model::bind_space(experiment.problem, kernel, {}, experiment.target);
  return model::make_variant(kernel, space, genome);
}

}  // namespace evo::tests
