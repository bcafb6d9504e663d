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
#include "evaluators/code/elf.hpp"
#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
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
  for (const model::TemplateDesign& start : kernel.initial_designs) {
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

/// What the compiler makes of a line of a sample; `reason` of the failure where it makes nothing.
evaluators::compile::CompileResult compile(const evaluators::compile::Nvrtc& nvrtc,
                                           const model::Problem& problem, const std::string& template_name,
                                           const model::TargetProfile& target, const std::string& axes_text,
                                           const std::string& genome_text) {
  const auto unknown = [](const char* what) {
    return tl::make_unexpected(model::Failure{model::Status::compile_error, what, {}});
  };
  const model::Template* kernel = problem.find_template(template_name);
  if (kernel == nullptr) return unknown("no such template");
  Axes axes;
  std::istringstream parts(axes_text == "-" ? "" : axes_text);
  for (std::string part; std::getline(parts, part, ',');)
    axes[part.substr(0, part.find('='))] = std::stoll(part.substr(part.find('=') + 1));
  const model::Space space = model::bind_space(problem, *kernel, axes, target);
  model::Genome genome = space.initial();
  if (!set_genes(space, genome_text, genome)) return unknown("no such genome");
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
  return evaluators::compile::run_compile(nvrtc, request);
}

/// Over the module's machine code and what a launch of it depends on: registers, literals, shared memory,
/// launch bounds. Not over globals that no code refers to, as each constant of a source is one; they make
/// another code identity of a variant, though nothing is executed differently.
std::string hash_of(const model::Artifact& artifact) {
  const auto elf = evaluators::code::Elf::parse(artifact.cubin);
  if (!elf) throw model::Exception(model::ExitCode::failed, "the compiler's cubin is no ELF file");
  std::multiset<std::string> parts;  // functions may change places
  for (std::size_t i = 0; i < elf->sections().size(); ++i) {
    const auto& section = elf->sections()[i];
    const bool code = section.name.starts_with(".text.");
    // Constant bank 4 holds the addresses of globals.
    const bool counts = code || section.name.starts_with(".nv.shared") ||
                        (section.name.starts_with(".nv.constant") && section.name[12] != '4');
    if (!counts) continue;
    model::Hasher hasher;
    hasher.add(section.bytes).add(std::to_string(section.size));
    if (code) hasher.add(std::to_string(section.info >> 24));  // registers
    for (const auto& relocation : elf->relocations_of(i))
      hasher.add(fmt::format("{} {} {}", relocation.offset, relocation.type, relocation.addend));
    parts.insert(hasher.finish());
  }
  std::istringstream lines(artifact.ptx);
  for (std::string line; std::getline(lines, line);) {
    for (const char* bound :
         {".maxntid", ".minnctapersm", ".reqnctapercluster", ".maxnreg", ".explicitcluster"}) {
      if (line.starts_with(bound)) parts.insert(line);
    }
  }
  model::Hasher all;
  for (const std::string& part : parts) all.add(part);
  return all.finish();
}

void print_ptx(const std::string& ptx) {
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".section") == 0) break;  // line tables
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line.compare(first, 2, "//") != 0 &&
        line.compare(first, 4, ".loc") != 0)
      fmt::print("{}\n", line);
  }
}

/// Compiles every `parts`-th line of the input.
int run_compiles(const fs::path& tree, std::size_t part, std::size_t parts, bool ptx) {
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
    const auto artifact = compile(nvrtc, problems.at(fields[0]), fields[1],
                                  *model::find_target(targets, fields[2]), fields[3], fields[4]);
    if (ptx && artifact) {
      print_ptx(artifact->ptx);
      continue;
    }
    fmt::print("{}\t{}\n", line, artifact ? hash_of(*artifact) : "no code: " + artifact.error().reason);
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
  if (verb == "hash" && argc == 5) return run_compiles(argv[2], number(argv[3]), number(argv[4]), false);
  if (verb == "ptx" && argc == 3) return run_compiles(argv[2], 0, 1, true);
  fmt::print(stderr, "usage: evo-same-code sample TREE COUNT | hash TREE PART PARTS | ptx TREE\n");
  return 2;
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-same-code: {}\n", error.what());
  return static_cast<int>(error.code());
}
