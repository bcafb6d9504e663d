#include "evaluators/reference/add_reference.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/compile/cache.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/reference/command_oracle.hpp"
#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/powers.hpp"
#include "evaluators/reference/problem_oracle.hpp"
#include "evaluators/reference/recorded_oracle.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "model/records.hpp"
#include "source/tokens.hpp"

namespace evo::evaluators::reference {
namespace {

using model::OracleKind;
using model::OracleSource;

[[noreturn]] void refuse(const std::string& text) {
  throw model::Exception(model::ExitCode::invalid_configuration, text);
}

/// The call of a kernel that the file does not have follows its last line, where nobody looks.
std::optional<model::Error> without_entry(const model::ReferenceKernel& reference,
                                          const model::Failure& failure) {
  const std::string_view whole = reference.entry;
  const std::string_view name = whole.substr(0, whole.find('<'));
  const std::vector<source::Token> tokens = source::tokens_of(reference.source);
  const bool undefined = std::ranges::any_of(failure.evidence, [&](const model::Evidence& evidence) {
    return evidence.message.find(fmt::format("\"{}\" is undefined", name)) != std::string::npos;
  });
  if (!undefined || std::ranges::any_of(tokens, [&](const auto& token) { return token.text == name; }))
    return std::nullopt;
  model::Error error{fmt::format("there is no kernel {} in this reference", name), reference.source_file};
  // void NAME(, behind __global__ and what else stands there.
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "__global__") continue;
    std::size_t at = i + 1;
    while (at + 1 < tokens.size() && tokens[at].text != "void") ++at;
    if (at + 1 >= tokens.size()) break;
    error.line = tokens[at + 1].line;
    error.message +=
        fmt::format("; is it {}? Then say so: entry: {}", tokens[at + 1].text, tokens[at + 1].text);
    break;
  }
  return error;
}

/// The call of the reference stands behind its last line: what is wrong there is wrong with its parameters.
bool is_of_the_call(const model::ReferenceKernel& reference, const model::Evidence& evidence) {
  const auto lines = std::ranges::count(reference.source, '\n') + (reference.source.ends_with('\n') ? 0 : 1);
  return (evidence.file.empty() || evidence.file == reference.source_file) && evidence.line > lines;
}

/// "double* x, double* partial (a workspace), int n"
std::string parameters_of(const model::Problem& problem, std::string_view real) {
  std::string text;
  for (const std::uint32_t i : model::reference_arguments(problem.arguments)) {
    const model::Argument& argument = problem.arguments[i];
    if (const auto record = model::record_of(argument.name); !record.empty()) {
      text += fmt::format("{}STRUCT* {}", text.empty() ? "" : ", ", record);
      continue;
    }
    const bool scalar = argument.role == model::ArgumentRole::scalar;
    const std::string_view type =
        model::is_floating(argument.dtype) ? real : model::c_type_of(argument.dtype);
    text += fmt::format("{}{}{} {}{}", text.empty() ? "" : ", ", type, scalar ? "" : "*", argument.name,
                        argument.role == model::ArgumentRole::workspace ? " (a workspace)" : "");
  }
  return text;
}

model::Artifact compiled(const model::Experiment& experiment, compile::Compiler& compiler,
                         std::string_view real) {
  const model::Problem& problem = experiment.problem;
  auto artifact = compiler.compile(
      reference_request(problem, model::compile_time_axes(experiment), experiment.target.arch, real));
  if (!artifact) {
    if (auto missing = without_entry(*problem.oracle_kernel, artifact.error()))
      throw model::Exception(model::ExitCode::invalid_configuration, missing->text());
    std::string text =
        fmt::format("problem {}: the reference kernel {} does not compile{}", problem.name,
                    problem.oracle_kernel->source_file,
                    real == "float" ? " with EVO_REAL as float, which tolerance: auto needs" : "");
    bool called = false;
    for (const model::Evidence& evidence : artifact.error().evidence) {
      if (is_of_the_call(*problem.oracle_kernel, evidence)) {
        if (!std::exchange(called, true))
          text += fmt::format("\n  {}: it takes all arguments of the problem, in their order: {}({})",
                              problem.oracle_kernel->source_file, problem.oracle_kernel->entry,
                              parameters_of(problem, real));
        text += fmt::format("\n  {}: {}", problem.oracle_kernel->source_file, evidence.message);
        continue;
      }
      text += fmt::format("\n  {}:{}: {}",
                          evidence.file.empty() ? problem.oracle_kernel->source_file : evidence.file,
                          evidence.line, evidence.message);
    }
    refuse(text);
  }
  return std::move(*artifact);
}

/// The reference in float with its powers by exp2; nothing where it has none. It widens a tolerance at most:
/// if it does not compile, a function of the file's own called pow, say, there is none.
std::optional<model::Artifact> with_other_powers(const model::Experiment& experiment,
                                                 compile::Compiler& compiler) {
  const model::Problem& problem = experiment.problem;
  if (with_powers_by_exp2(problem.oracle_kernel->source) == problem.oracle_kernel->source)
    return std::nullopt;
  auto artifact = compiler.compile(reference_request(problem, model::compile_time_axes(experiment),
                                                     experiment.target.arch, "float", Powers::by_exp2));
  return artifact ? std::optional(std::move(*artifact)) : std::nullopt;
}

/// Is every floating-point array f64? Then nobody computes in float, and `tolerance: auto` measures in
/// double.
bool only_double(const model::Problem& problem) {
  bool any = false;
  for (const model::Argument& argument : problem.arguments) {
    if (argument.role == model::ArgumentRole::scalar || !model::is_floating(argument.dtype)) continue;
    if (argument.dtype != model::DType::f64) return false;
    any = true;
  }
  return any;
}

/// A problem that was made by hand has a kernel and no list.
std::vector<OracleSource> sources_of(const model::Problem& problem) {
  if (!problem.oracles.empty() || !problem.oracle_kernel) return problem.oracles;
  OracleSource kernel;
  kernel.kind = OracleKind::kernel;
  return {kernel};
}

void check_recordings(const model::Experiment& experiment) {
  const std::vector<OracleKind> kinds = model::oracle_kinds(experiment.problem);
  if (kinds != std::vector{OracleKind::files}) return;
  std::vector<std::string> recorded;
  for (const OracleSource& source : experiment.problem.oracles) {
    for (const model::RecordedWorkload& recording : source.recordings) recorded.push_back(recording.workload);
  }
  for (const model::Workload& workload : experiment.workloads) {
    if (std::ranges::find(recorded, workload.name) == recorded.end()) {
      refuse(fmt::format(
          "problem {}: the workload {} is not among the recorded ones ({}), and there is no other "
          "oracle",
          experiment.problem.name, workload.name, fmt::join(recorded, ", ")));
    }
  }
}

Witness witness_of(const OracleSource& source, const model::OracleParts& parts,
                   const oracle::Catalogue& known, const std::shared_ptr<SideDevice>& side) {
  Witness witness;
  witness.name = std::string(model::name_of(source.kind));
  switch (source.kind) {
    case OracleKind::builtin: {
      const oracle::Oracle* found = known.find_oracle(source.name);
      if (found == nullptr) refuse(fmt::format("there is no oracle called {}", source.name));
      witness.name = source.name;
      witness.builtin = *found;
      break;
    }
    case OracleKind::kernel:
      if (!parts.kernel) refuse("the reference kernel is missing");
      witness.name = parts.kernel->source_file;
      witness.computed =
          std::make_shared<KernelReference>(*parts.kernel, parts.plain_kernel, side, parts.power_kernel);
      break;
    case OracleKind::expression:
      witness.name = "the expression";
      witness.computed = std::make_shared<oracle::ExpressionOracle>(source.statements);
      break;
    case OracleKind::files: {
      auto recorded = RecordedOracle::load(source.recordings);
      if (!recorded) refuse(recorded.error().text());
      witness.name = "the recording";
      witness.rounding = recorded->rounding();
      witness.computed = std::make_shared<RecordedOracle>(std::move(*recorded));
      break;
    }
    case OracleKind::command:
      witness.name = source.command.back();
      witness.computed = std::make_shared<CommandOracle>(
          source, compile::ArtifactCache::default_folder().parent_path() / "oracle");
      break;
  }
  return witness;
}

std::string hash_of(const model::OracleParts& parts) {
  model::Hasher hasher;
  for (const OracleSource& source : parts.sources) {
    hasher.add(model::name_of(source.kind)).add(source.name).add(source.content);
    for (const model::OracleStatement& statement : source.statements) hasher.add(statement.text);
    for (const std::string& word : source.command) hasher.add(word);
  }
  for (const auto& artifact : {parts.kernel, parts.plain_kernel, parts.power_kernel}) {
    if (artifact) hasher.add(artifact->code_hash).add(artifact->ptx);
  }
  return hasher.finish();
}

}  // namespace

void add_reference(oracle::Catalogue& known, const model::OracleParts& parts,
                   const std::shared_ptr<SideDevice>& side) {
  std::vector<Witness> witnesses;
  for (const OracleSource& source : parts.sources)
    witnesses.push_back(witness_of(source, parts, known, side));
  const bool kernel_alone = parts.sources.size() == 1 && parts.sources.front().kind == OracleKind::kernel;
  known.add(kernel_alone ? model::kernel_oracle : model::joined_oracle,
            std::make_shared<ProblemOracle>(std::move(witnesses), parts));
}

void add_reference(oracle::Catalogue& known, const model::Experiment& experiment, compile::Compiler& compiler,
                   const std::shared_ptr<SideDevice>& side) {
  const model::Problem& problem = experiment.problem;
  model::OracleParts parts;
  parts.sources = sources_of(problem);
  const bool named = parts.sources.empty() ||
                     (parts.sources.size() == 1 && parts.sources.front().kind == OracleKind::builtin);
  if (named) return;
  check_recordings(experiment);
  if (problem.oracle_kernel) {
    const bool automatic = std::ranges::any_of(problem.tolerances, &model::Tolerance::automatic);
    parts.kernel = compiled(experiment, compiler, "double");
    // Without tolerance: auto it only says which magnitudes float can take: one that is double throughout
    // does without.
    try {
      parts.plain_kernel = compiled(experiment, compiler, "float");
    } catch (const model::Exception&) {
      if (automatic && !only_double(problem)) throw;
    }
    if (automatic && parts.plain_kernel) parts.power_kernel = with_other_powers(experiment, compiler);
  }
  parts.hash = hash_of(parts);
  add_reference(known, parts, side);
}

}  // namespace evo::evaluators::reference
