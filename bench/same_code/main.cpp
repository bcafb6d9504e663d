// What scripts/same-code asks: which genomes of a tree's templates are a fair sample, and what machine code a
// tree makes of each.
//   evo-same-code sample TREE COUNT < TEXT    up to COUNT genomes of each template, one a line: problem,
//   template,
//                                             target, compile-time axes, genome
//   evo-same-code hash TREE PART PARTS < LINES    every PARTS-th of those lines, and the hash of its machine
//   code
// TREE holds kernels/, examples/ and targets/. TEXT is searched for "GENE=value,GENE=value": those come
// first.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "config/loader.hpp"
#include "config/targets.hpp"
#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "model/error.hpp"
#include "model/legality.hpp"
#include "model/variant.hpp"

namespace {

using namespace evo;
namespace fs = std::filesystem;

using Axes = std::map<std::string, std::int64_t, std::less<>>;

model::Problem load(const fs::path& tree, const std::string& problem) {
  auto loaded =
      config::load_problem((tree / problem).string(), {{tree / "kernels"}, {tree / "targets"}, {}, {}});
  if (!loaded) throw model::Exception(model::ExitCode::invalid_configuration, loaded.error().text());
  return std::move(*loaded);
}

std::vector<model::TargetProfile> targets_of(const fs::path& tree) {
  auto targets = config::load_targets({(tree / "targets").string()});
  if (!targets) throw model::Exception(model::ExitCode::invalid_configuration, targets.error().text());
  return std::move(*targets);
}

/// Sets what `text` ("A=1,B=2") names; false for a gene or a value that the space does not have.
bool set_genes(const model::Space& space, const std::string& text, model::Genome& genome) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    const model::Gene* gene = space.find(part.substr(0, equals));
    if (gene == nullptr || equals == std::string::npos) return false;
    const auto value = std::find_if(gene->values.begin(), gene->values.end(), [&](const model::Value& one) {
      return model::to_string(one) == part.substr(equals + 1);
    });
    if (value == gene->values.end()) return false;
    genome.set(gene->name, *value);
  }
  return true;
}

std::optional<model::Genome> random_legal(const model::Space& space, std::mt19937& random) {
  const model::Legality legality(space);
  const auto& genes = space.genes();
  for (int attempt = 0; attempt < 400000; ++attempt) {
    std::vector<std::size_t> chosen(genes.size());
    std::vector<model::Operand> values(genes.size());
    for (std::size_t i = 0; i < genes.size(); ++i) {
      const std::size_t count = genes[i].values.size();
      // Barriers mostly at full strength, or hardly any genome would have all of them.
      const bool full = genes[i].role == model::GeneRole::sync && random() % 8 != 0;
      chosen[i] = full ? count - 1 : random() % count;
      values[i] = legality.value(i, chosen[i]);
    }
    bool legal = true;
    for (std::size_t rule = 0; legal && rule < legality.constraints(); ++rule)
      legal = legality.holds(rule, values);
    if (!legal) continue;
    model::Genome genome;
    for (std::size_t i = 0; i < genes.size(); ++i) genome.set(genes[i].name, genes[i].values[chosen[i]]);
    if (space.legal(genome)) return genome;
  }
  return std::nullopt;
}

/// Values of the compile-time axes, the `turn`-th combination; each axis goes round its values.
Axes axes_of(const model::Problem& problem, std::size_t turn) {
  Axes axes;
  for (const model::Axis& axis : problem.axes) {
    if (!axis.compile_time) continue;
    axes[axis.name] = axis.allowed.empty() ? axis.initial.value_or(axis.minimum.value_or(1))
                                           : axis.allowed[turn % axis.allowed.size()];
  }
  return axes;
}

std::string text_of(const Axes& axes) {
  std::string text;
  for (const auto& [name, value] : axes) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text.empty() ? "-" : text;
}

/// Prints the sample of one template.
void sample(const std::string& problem_name, const model::Problem& problem, const model::Template& kernel,
            const std::vector<model::TargetProfile>& targets, std::size_t count,
            const std::vector<std::string>& named) {
  const std::vector<std::string> models =
      kernel.arch.empty() ? std::vector<std::string>{"l4", "a100", "h200"} : std::vector<std::string>{"h200"};
  std::mt19937 random(1);
  std::set<std::string> lines;
  std::size_t turn = 0;
  const auto add = [&](const auto& genome_in) {
    // The target changes with each round over the axes' values, so that all pairs come.
    const std::string& target = models[turn / 3 % models.size()];
    const Axes axes = axes_of(problem, turn++);
    const model::Space space = model::bind_space(problem, kernel, axes, *model::find_target(targets, target));
    const std::optional<model::Genome> genome = genome_in(space);
    if (!genome || !space.legal(*genome)) return;
    const std::string line =
        fmt::format("{}\t{}\t{}\t{}\t{}", problem_name, kernel.name, target, text_of(axes), genome->text());
    if (lines.insert(line).second) fmt::print("{}\n", line);
  };
  for (int i = 0; i < 3; ++i) add([](const model::Space& space) { return std::optional(space.initial()); });
  for (const model::StartingPoint& start : kernel.starts) {
    for (int i = 0; i < 3; ++i)
      add([&](const model::Space&) { return std::optional<model::Genome>(start.genome); });
  }
  for (const std::string& text : named) {
    add([&](const model::Space& space) -> std::optional<model::Genome> {
      model::Genome genome = space.initial();
      return set_genes(space, text, genome) ? std::optional(genome) : std::nullopt;
    });
  }
  for (std::size_t tries = 0; lines.size() < count && tries < 4 * count; ++tries)
    add([&](const model::Space& space) { return random_legal(space, random); });
}

int run_sample(const fs::path& tree, std::size_t count) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  // Documents break a long genome over lines.
  static const std::regex genes("[A-Z][A-Z0-9_]*=[A-Za-z0-9_]+(,\\s*[A-Z][A-Z0-9_]*=[A-Za-z0-9_]+)+");
  static const std::regex blanks("\\s+");
  std::vector<std::string> named;
  for (std::sregex_iterator at(text.begin(), text.end(), genes), end; at != end; ++at) {
    const std::string genome = std::regex_replace(at->str(), blanks, "");
    if (std::find(named.begin(), named.end(), genome) == named.end()) named.push_back(genome);
  }
  const auto targets = targets_of(tree);
  std::vector<std::string> problems;
  for (const char* folder : {"kernels", "examples"}) {
    for (const auto& entry : fs::directory_iterator(tree / folder)) {
      if (fs::exists(entry.path() / "problem.yaml"))
        problems.push_back(folder + ("/" + entry.path().filename().string()));
    }
  }
  std::sort(problems.begin(), problems.end());
  for (const std::string& name : problems) {
    const model::Problem problem = load(tree, name);
    for (const model::Template& kernel : problem.templates) {
      if (kernel.generator_command.empty()) sample(name, problem, kernel, targets, count, named);
    }
  }
  return 0;
}

std::string hash_of(const evaluators::compile::Nvrtc& nvrtc, const model::Problem& problem,
                    const std::string& template_name, const model::TargetProfile& target,
                    const std::string& axes_text, const std::string& genome_text) {
  const model::Template* kernel = problem.find_template(template_name);
  if (kernel == nullptr) return "no such template";
  Axes axes;
  std::istringstream parts(axes_text == "-" ? "" : axes_text);
  for (std::string part; std::getline(parts, part, ',');)
    axes[part.substr(0, part.find('='))] = std::stoll(part.substr(part.find('=') + 1));
  const model::Space space = model::bind_space(problem, *kernel, axes, target);
  model::Genome genome = space.initial();
  if (!set_genes(space, genome_text, genome)) return "no such genome";
  const model::Variant variant = model::make_variant(*kernel, space, genome);
  std::vector<std::string> entries = model::render_entries(*kernel, space, genome);
  evaluators::compile::CompileRequest request;
  request.source = variant.source;
  request.source_file = kernel->source_file;
  request.entry = entries.front();
  request.other_entries.assign(entries.begin() + 1, entries.end());
  request.arch = target.arch;
  request.headers = kernel->headers;
  request.options = variant.options;
  const auto artifact = evaluators::compile::run_compile(nvrtc, request);
  if (!artifact) return "does not compile: " + artifact.error().reason;
  return artifact->code_hash;
}

int run_hash(const fs::path& tree, std::size_t part, std::size_t parts) {
  const auto targets = targets_of(tree);
  const auto nvrtc = evaluators::compile::Nvrtc::load();
  // Names in line tables are relative to the toolkit's headers.
  const fs::path root = fs::absolute(tree);
  if (!nvrtc.include_folders().empty()) fs::current_path(nvrtc.include_folders().front());
  std::map<std::string, model::Problem> problems;
  std::string line;
  for (std::size_t i = 0; std::getline(std::cin, line); ++i) {
    if (i % parts != part) continue;
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, '\t');) fields.push_back(field);
    if (fields.size() != 5) throw model::Exception(model::ExitCode::usage, "not a line of a sample: " + line);
    if (!problems.contains(fields[0])) problems.emplace(fields[0], load(root, fields[0]));
    fmt::print("{}\t{}\n", line,
               hash_of(nvrtc, problems.at(fields[0]), fields[1], *model::find_target(targets, fields[2]),
                       fields[3], fields[4]));
    std::fflush(stdout);
  }
  return 0;
}

std::size_t number(const char* text) {
  return static_cast<std::size_t>(std::stoul(text));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "sample" && argc == 4) return run_sample(argv[2], number(argv[3]));
  if (verb == "hash" && argc == 5) return run_hash(argv[2], number(argv[3]), number(argv[4]));
  fmt::print(stderr, "usage: evo-same-code sample TREE COUNT | hash TREE PART PARTS\n");
  return 2;
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-same-code: {}\n", error.what());
  return static_cast<int>(error.code());
}
