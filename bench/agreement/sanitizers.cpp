// Clean genomes and mutants through the virtual device's sanitize gate and through compute-sanitizer.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/agreement/classes.hpp"
#include "bench/agreement/drawn.hpp"
#include "bench/agreement/launch_folder.hpp"
#include "bench/agreement/pair.hpp"
#include "bench/agreement/sanitizer_runs.hpp"
#include "config/loader.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/sanitize.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/builtin.hpp"

namespace evo::bench {
namespace {

namespace fs = std::filesystem;
namespace gates = evaluators::gates;

constexpr std::int64_t most_seq = 176;  ///< of a sanitize shape: small launches, many variants

struct Judged {
  Drawn drawn;
  std::string compile_error;              ///< such a variant is left out
  std::optional<model::Failure> failure;  ///< of the sanitize gate
  int launches = -1;                      ///< its number in the folder of launches
};

/// The architecture to compile for: that of the GPU here, so that both checkers judge the same code.
std::string arch_here(const model::Experiment& experiment) {
  const auto list = evaluators::cuda::list_cuda_devices();
  if (list.devices.empty()) return experiment.target.arch;
  const std::string& arch = list.devices.front().info.arch;
  return arch == "sm_90" ? "sm_90a" : arch;
}

class VirtualSide {
 public:
  VirtualSide(const model::Experiment& experiment, fs::path folder)
      : experiment_(experiment),
        folder_(std::move(folder)),
        arch_(arch_here(experiment)),
        service_(service_options()),
        cache_(evaluators::compile::ArtifactCache::default_folder()),
        compiler_(service_, cache_) {}

  void judge_all(std::vector<Judged>& all) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr first;
    const auto work = [&] {
      evaluators::devices::VirtualDevice device(experiment_.target);
      for (std::size_t i = next++; i < all.size(); i = next++) {
        try {
          judge(device, all[i]);
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!first) first = std::current_exception();
          next = all.size();
        }
      }
    };
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back(work);
    }
    if (first) std::rethrow_exception(first);
  }

 private:
  void judge(evaluators::devices::Device& device, Judged& judged) {
    const Drawn& drawn = judged.drawn;
    const gates::TemplateContext context = gates::make_context(experiment_, drawn.kernel);
    const auto bound = gates::bind_variant(context, drawn.genome);
    if (!bound) {
      judged.compile_error = bound.error().text();
      return;
    }
    evaluators::compile::CompileRequest request;
    request.source = model::render_source(drawn.kernel, context.space, drawn.genome);
    request.source_file = drawn.kernel.source_file;
    request.entry = drawn.kernel.entry;
    request.arch = arch_;
    request.headers = drawn.kernel.headers;
    const auto artifact = compiler_.compile(request);
    if (!artifact) {
      judged.compile_error = artifact.error().reason;
      return;
    }
    model::GateSettings settings = experiment_.gates;
    settings.instruction_budget = std::max<std::uint64_t>(settings.instruction_budget, 300'000'000);
    judged.failure =
        gates::sanitize(device, *artifact, bound->sanitize_shapes, {},
                        {packs::catalogue_of(packs::builtin()), experiment_.problem.input_sets.front()},
                        settings)
            .failure;
    write_launches(folder_, drawn.index, *artifact, bound->sanitize_shapes,
                   experiment_.problem.input_sets.front());
    judged.launches = drawn.index;
  }

  const model::Experiment& experiment_;
  fs::path folder_;
  std::string arch_;
  evaluators::compile::CompileService service_;
  evaluators::compile::ArtifactCache cache_;
  evaluators::compile::CachingCompiler compiler_;
};

std::string describe(const std::vector<model::Evidence>& evidence) {
  if (evidence.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(evidence.size(), 4); ++i) {
    text +=
        fmt::format("{}{} {}:{}", i == 0 ? "" : ", ", evidence[i].kind, evidence[i].file, evidence[i].line);
  }
  if (evidence.size() > 4) text += fmt::format(" and {} more", evidence.size() - 4);
  return text;
}

const std::vector<model::Evidence>& evidence_of(const Judged& judged) {
  static const std::vector<model::Evidence> none;
  return judged.failure ? judged.failure->evidence : none;
}

/// The gate's classes; a refusal without evidence (a launch that is not possible) is "other".
std::set<std::string> virtual_classes(const Judged& judged) {
  std::set<std::string> classes = classes_of(evidence_of(judged));
  if (judged.failure && classes.empty()) classes.insert("other");
  return classes;
}

void print_virtual(const std::vector<Judged>& all) {
  for (const bool mutants : {false, true}) {
    std::map<std::string, int> counts;
    int number = 0, left_out = 0;
    for (const Judged& judged : all) {
      if (judged.drawn.mutant != mutants) continue;
      ++number;
      if (judged.launches < 0) {
        ++left_out;
      } else {
        ++counts[leading(virtual_classes(judged))];
      }
    }
    std::string text;
    for (const auto& [name, count] : counts) text += fmt::format("{} {}, ", count, name);
    fmt::print("virtual device, {} {}: {}{} do not compile\n", number, mutants ? "mutants" : "clean genomes",
               text, left_out);
  }
}

struct Table {
  std::map<std::pair<std::string, std::string>, int> cells;
  int compared = 0, agree = 0, explained = 0, unexplained = 0, false_alarms = 0;
};

void print_disagreement(const Judged& judged, const ToolFindings& found, const std::string& why) {
  fmt::print("v{:03} {} {}\n", judged.drawn.index, judged.drawn.kernel.name,
             judged.drawn.mutant ? judged.drawn.change : "clean");
  fmt::print("     genes    {}\n", judged.drawn.genome.text());
  fmt::print("     virtual  {}\n", judged.failure && judged.failure->evidence.empty()
                                       ? judged.failure->reason
                                       : describe(evidence_of(judged)));
  fmt::print("     sanitizer {}{}\n", describe(found.evidence),
             found.trouble.empty() ? "" : "; " + found.trouble.front());
  fmt::print("     because  {}\n", why.empty() ? "UNEXPLAINED" : why);
}

/// Prints every variant on which the two differ, with the reason; counts them.
Table compare(const std::vector<Judged>& all, const std::map<int, ToolFindings>& findings) {
  Table table;
  for (const Judged& judged : all) {
    if (judged.launches < 0) continue;
    const auto at = findings.find(judged.drawn.index);
    const ToolFindings found = at == findings.end() ? ToolFindings{} : at->second;
    const std::set<std::string> here = virtual_classes(judged);
    std::set<std::string> there = classes_of(found.evidence);
    // A launch that never ends, or that the driver refuses, is no report of a tool but a verdict all the
    // same.
    for (const std::string& trouble : found.trouble)
      there.insert(trouble.find("hang") != std::string::npos ? "barrier" : "other");
    ++table.compared;
    ++table.cells[{leading(here), leading(there)}];
    if (here.empty() == there.empty()) {
      ++table.agree;
      continue;
    }
    const std::string why = there.empty() ? blind_spot(evidence_of(judged)) : "";
    ++(why.empty() ? table.unexplained : table.explained);
    print_disagreement(judged, found, why);
  }
  return table;
}

void print_table(const Table& table) {
  static constexpr std::array names{"clean", "race", "bounds", "uninit", "barrier", "other"};
  fmt::print("\nrows: virtual device; columns: compute-sanitizer (leading class of each)\n{:<10}", "");
  for (const char* name : names) fmt::print("{:>9}", name);
  fmt::print("\n");
  for (const char* row : names) {
    fmt::print("{:<10}", row);
    for (const char* column : names) {
      const auto cell = table.cells.find({row, column});
      fmt::print("{:>9}", cell == table.cells.end() ? 0 : cell->second);
    }
    fmt::print("\n");
  }
  fmt::print(
      "{} compared: {} agree whether anything is wrong, {} disagree for a reason that is known, {} without\n",
      table.compared, table.agree, table.explained, table.unexplained);
}

fs::path new_folder() {
  std::string pattern = (fs::temp_directory_path() / "evo-agreement.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw model::Exception(model::ExitCode::environment, "no temporary folder can be made: " + pattern);
  return pattern;
}

}  // namespace

int compare_sanitizers(const std::string& experiment_file, const std::string& bugs_file, int count,
                       std::uint64_t seed) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(experiment_file, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::invalid_configuration, experiment.error().text());
  const auto bugs = suites::load_seeded_bugs(bugs_file);
  if (!bugs) throw model::Exception(model::ExitCode::invalid_configuration, bugs.error().text());
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  std::vector<Judged> all;
  for (Drawn& drawn : draw_variants(*experiment, space, bugs->bugs, count, seed, most_seq))
    all.push_back({std::move(drawn), {}, {}, -1});
  const fs::path folder = new_folder();
  VirtualSide side(*experiment, folder);
  side.judge_all(all);
  print_virtual(all);
  const auto sanitizer = evaluators::sanitizer::find_compute_sanitizer();
  if (!sanitizer) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw model::Exception(model::ExitCode::environment,
                           "compute-sanitizer is not installed (EVO_COMPUTE_SANITIZER names it)");
  }
  SanitizerOptions options;
  options.sanitizer = sanitizer->string();
  options.launcher = {evaluators::process::self_path(), "launch"};
  const auto findings = run_tools(folder, static_cast<int>(all.size()), options);
  const Table table = compare(all, findings);
  print_table(table);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return table.unexplained;
}

}  // namespace evo::bench
