#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "bench/source/bench.hpp"
#include "bench/source/subject.hpp"
#include "engine/search_space.hpp"
#include "evaluators/compile/host_code_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "model/random.hpp"
#include "model/variant.hpp"
#include "mutators/source_mutator.hpp"
#include "session/compilers.hpp"
#include "session/load.hpp"

namespace evo::bench {
namespace {

using evaluators::compile::CompileRequest;

struct Text {
  std::string name;
  CompileRequest request;
  int threads = 0;  ///< of a block; 0: not known
};

int threads_of(const engine::SearchTemplate& entry, const model::Genome& genome) {
  model::Environment environment = entry.space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  std::int64_t threads = 1;
  for (const model::Expression& size : entry.kernel_template.launch.block) {
    const auto value = size.evaluate_integer(environment);
    if (!value || *value < 1 || *value > 1024) return 0;
    threads *= *value;
  }
  return threads > 1024 ? 0 : static_cast<int>(threads);
}

struct Row {
  int tried = 0, applied = 0, compiled = 0, changed = 0;
  int asked = 0, sanitized = 0, correct = 0;  ///< of those that changed, where there is a problem

  void add(const Row& other) {
    tried += other.tried, applied += other.applied, compiled += other.compiled, changed += other.changed;
    asked += other.asked, sanitized += other.sanitized, correct += other.correct;
  }
};

/// What the gates say of edits.
void prove(Subject& subject, const mutators::Change& change, Row& row) {
  const evaluators::gates::GateReport report = subject.prove(change);
  ++row.asked;
  for (const model::GateResult& gate : report.gates())
    row.sanitized += gate.gate == model::Gate::sanitize && gate.pass() ? 1 : 0;
  row.correct += report.valid() ? 1 : 0;
}

/// A folder stands for the experiments in it, and in its folders.
std::vector<std::string> with_folders(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) {
    if (!std::filesystem::is_directory(name)) {
      all.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(name)) {
      if (file.path().filename() == "experiment.yaml") found.push_back(file.path().string());
    }
    std::ranges::sort(found);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

/// PTX without comments and line information.
std::string code_of(const std::string& ptx) {
  std::string result;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line.compare(first, 4, ".loc") == 0 ||
        line.compare(first, 5, ".file") == 0)
      continue;
    if (line.find(".section") != std::string::npos) break;
    result += line + "\n";
  }
  return result;
}

Text text_of(const std::string& name) {
  Text subject;
  subject.name = name;
  if (name.ends_with(".yaml")) {
    const model::Experiment experiment = session::load_experiment_or_throw(name, {});
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const engine::SearchTemplate& entry = space.templates[space.baseline_template];
    subject.request.source = model::make_variant(entry.kernel_template, entry.space, space.baseline).source;
    subject.request.source_file = entry.kernel_template.source_file;
    subject.request.headers = entry.kernel_template.headers;
    subject.request.entry = model::render_entry(entry.kernel_template, entry.space, space.baseline);
    subject.request.arch = experiment.target.arch;
    subject.threads = threads_of(entry, space.baseline);
    return subject;
  }
  const std::string file = name.substr(0, name.find(".cu") + 3);
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  subject.request.source = text.str();
  subject.request.source_file = file.substr(file.rfind('/') + 1);
  subject.request.arch = "sm_89";
  if (name.size() > file.size()) {
    subject.request.entry = name.substr(file.size() + 1);
    return subject;
  }
  const source::Program program = source::read_program(subject.request.source);
  for (const source::Function& function : program.functions) {
    if (!function.kernel || program.tokens[function.begin].is("template")) continue;
    subject.request.entry = function.name;
    break;
  }
  return subject;
}

}  // namespace

int survival(const std::vector<std::string>& arguments) {
  std::size_t each = 6, proved = 6;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--each" && i + 1 < arguments.size()) {
      each = std::stoul(arguments[++i]);
    } else if (arguments[i] == "--prove" && i + 1 < arguments.size()) {
      proved = std::stoul(arguments[++i]);
    } else {
      names.push_back(arguments[i]);
    }
  }
  const auto compiler = session::cached_compiler(2);
  evaluators::compile::HostCodeCompiler tolerant(*compiler);
  std::map<std::string, Row> rows;
  int used = 0;
  for (const std::string& name : with_folders(names)) {
    Text subject = text_of(name);
    if (subject.request.entry.empty()) continue;
    const auto before = tolerant.compile(subject.request);
    if (!before) {
      fmt::print("{}: does not compile as it is: {}\n", name,
                 before.error().evidence.empty() ? "" : before.error().evidence.front().message);
      continue;
    }
    std::unique_ptr<Subject> problem;
    if (name.ends_with(".yaml")) {
      problem = std::make_unique<Subject>(name);
      if (!problem->prove({}).valid()) {
        fmt::print("{}: the baseline does not pass its gates\n", name);
        continue;
      }
    }
    ++used;
    const std::string code = code_of(before->ptx);
    const auto edited =
        mutators::edited_source(subject.request.source, {subject.request.entry}, subject.threads);
    for (const auto& mutator : mutators::source_mutators()) {
      auto changes = mutator->changes(edited);
      model::RandomStream random({1, 0, 0, std::string(mutator->name()) + name});
      Row& row = rows[std::string(mutator->name())];
      std::size_t asked = 0;
      for (std::size_t k = 0; k < each && !changes.empty(); ++k) {
        const std::size_t at = random.below(changes.size());
        const mutators::Change change = changes[at];
        changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(at));
        ++row.tried;
        const source::Edited result = source::apply_edits(edited.program, change);
        if (!result.dropped.empty()) continue;
        ++row.applied;
        CompileRequest request = subject.request;
        request.source = result.text;
        const auto after = tolerant.compile(request);
        if (!after) continue;
        ++row.compiled;
        if (code_of(after->ptx) == code) continue;
        ++row.changed;
        if (problem && asked++ < proved) prove(*problem, change, row);
      }
    }
  }
  fmt::print(
      "{} kernels\n\n| operator | edits | apply | compile | change the PTX | sanitized | correct "
      "|\n|---|---|---|---|---|---|---|\n",
      used);
  const auto print = [](const std::string& name, const Row& row) {
    const auto share = [&](int part, int of) { return of == 0 ? 0.0 : 100.0 * part / of; };
    fmt::print("| `{}` | {} | {:.0f} % | {:.0f} % | {:.0f} % | {:.0f} % | {:.0f} % |\n", name, row.tried,
               share(row.applied, row.tried), share(row.compiled, row.tried), share(row.changed, row.tried),
               share(row.sanitized, row.asked), share(row.correct, row.asked));
  };
  Row all, barriers;
  for (const auto& mutator : mutators::source_mutators()) {
    const Row& row = rows[std::string(mutator->name())];
    if (row.tried == 0) continue;
    print(std::string(mutator->name()), row);
    all.add(row);
    if (mutator->name().starts_with("barrier_")) barriers.add(row);
  }
  print("barrier_*", barriers);
  print("all", all);
  return 0;
}

}  // namespace evo::bench
