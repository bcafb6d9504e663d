#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "bench/source/bench.hpp"
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

struct Subject {
  std::string name;
  CompileRequest request;
  int threads = 0;  ///< of a block; 0: not known
};

int threads_of(const engine::SearchTemplate& entry, const model::Genome& genome) {
  model::Environment environment = entry.space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  std::int64_t threads = 1;
  for (const model::Expression& size : entry.kernel.launch.block) {
    const auto value = size.evaluate_integer(environment);
    if (!value || *value < 1 || *value > 1024) return 0;
    threads *= *value;
  }
  return threads > 1024 ? 0 : static_cast<int>(threads);
}

struct Row {
  int tried = 0, applied = 0, compiled = 0, changed = 0;
};

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

Subject subject_of(const std::string& name) {
  Subject subject;
  subject.name = name;
  if (name.ends_with(".yaml")) {
    const model::Experiment experiment = session::load_experiment_or_throw(name, {});
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const engine::SearchTemplate& entry = space.templates[space.baseline_template];
    subject.request.source = model::make_variant(entry.kernel, entry.space, space.baseline).source;
    subject.request.source_file = entry.kernel.source_file;
    subject.request.headers = entry.kernel.headers;
    subject.request.entry = model::render_entry(entry.kernel, entry.space, space.baseline);
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
  std::size_t each = 6;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--each" && i + 1 < arguments.size()) {
      each = std::stoul(arguments[++i]);
    } else {
      names.push_back(arguments[i]);
    }
  }
  const auto compiler = session::cached_compiler(2);
  evaluators::compile::HostCodeCompiler tolerant(*compiler);
  std::map<std::string, Row> rows;
  int used = 0;
  for (const std::string& name : names) {
    Subject subject = subject_of(name);
    if (subject.request.entry.empty()) continue;
    const auto before = tolerant.compile(subject.request);
    if (!before) {
      fmt::print("{}: does not compile as it is: {}\n", name,
                 before.error().evidence.empty() ? "" : before.error().evidence.front().message);
      continue;
    }
    ++used;
    const std::string code = code_of(before->ptx);
    const auto edited =
        mutators::edited_source(subject.request.source, {subject.request.entry}, subject.threads);
    for (const auto& mutator : mutators::source_mutators()) {
      auto changes = mutator->changes(edited);
      model::RandomStream random({1, 0, 0, std::string(mutator->name()) + name});
      Row& row = rows[std::string(mutator->name())];
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
        if (code_of(after->ptx) != code) ++row.changed;
      }
    }
  }
  Row all;
  fmt::print("{} kernels\n\n| operator | edits | apply | compile | change the PTX |\n|---|---|---|---|---|\n",
             used);
  const auto print = [](const std::string& name, const Row& row) {
    const auto share = [&](int part) { return row.tried == 0 ? 0.0 : 100.0 * part / row.tried; };
    fmt::print("| `{}` | {} | {:.0f} % | {:.0f} % | {:.0f} % |\n", name, row.tried, share(row.applied),
               share(row.compiled), share(row.changed));
  };
  for (const auto& mutator : mutators::source_mutators()) {
    const Row& row = rows[std::string(mutator->name())];
    if (row.tried == 0) continue;
    print(std::string(mutator->name()), row);
    all.tried += row.tried, all.applied += row.applied, all.compiled += row.compiled,
        all.changed += row.changed;
  }
  print("all", all);
  return 0;
}

}  // namespace evo::bench
