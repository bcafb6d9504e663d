// evo-inputs EXPERIMENT [--plan]: how long an experiment's inputs and references take to make. For
// every workload, the time of its inputs and references (all input sets of its problem), on one thread and
// on all, in turn. With --plan, of every launch that the correctness gate makes on a GPU.
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>

#include "bench/inputs/plan.hpp"
#include "config/loader.hpp"
#include "engine/search_space.hpp"
#include "evaluators/compile/worker_main.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/builtin.hpp"

namespace {

using namespace evo;

/// Seconds that a fresh cache takes for all input sets of a case.
double seconds_for(const model::Problem& problem, const model::Case& bound, std::size_t threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  evaluators::oracle::ReferenceCache cache(packs::catalogue_of(packs::builtin()));
  const auto begin = std::chrono::steady_clock::now();
  for (const model::InputSet& set : problem.input_sets)
    static_cast<void>(cache.get(problem.oracle, bound, set, {.seed = 1}));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(const std::string& name, bool plan) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(name, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::failed, experiment.error().text());
  if (plan) return bench::print_plan(*experiment);
  const model::Problem& problem = experiment->problem;
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  const engine::SearchTemplate& first = space.templates.front();  // the data is the same for all
  const std::size_t threads = static_cast<std::size_t>(tbb::info::default_concurrency());
  fmt::print("{:<20} {:>10} {:>14} {:>10}\n", "workload", "1 thread", fmt::format("{} threads", threads),
             "times");
  for (const model::Workload& workload : experiment->workloads) {
    const auto bound =
        model::bind_case(problem, first.kernel_template, first.space, first.space.initial(), workload);
    if (!bound) throw model::Exception(model::ExitCode::failed, bound.error().text());
    const double one = seconds_for(problem, *bound, 1);
    const double all = seconds_for(problem, *bound, threads);
    fmt::print("{:<20} {:>8.2f} s {:>12.2f} s {:>10.2f}\n", workload.name, one, all, one / all);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool worker = argc == 2 && std::string_view(argv[1]) == "compile-worker";
  if (worker) return evo::evaluators::compile::compile_worker_main();
  const bool plan = argc == 3 && std::string_view(argv[2]) == "--plan";
  if (argc != 2 && !plan) {
    fmt::print(stderr, "usage: evo-inputs EXPERIMENT [--plan]\n");
    return 2;
  }
  return run(argv[1], plan);
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-inputs: {}\n", error.what());
  return static_cast<int>(error.code());
}
