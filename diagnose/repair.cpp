#include "diagnose/repair.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "model/variant.hpp"

namespace evo::diagnose {
namespace {

using Kinds = std::vector<std::string>;

/// What a launch of a correct kernel stays below, however it is written: more is a loop without an end.
constexpr std::uint64_t few_instructions = std::uint64_t{1} << 20, instructions_a_flop = 256;
constexpr int most_tries = 200;
constexpr int tries_with_leads = 90;
constexpr int tries_after_evasive = 60;
constexpr double small_flops = 1 << 23;

Kinds usual_kinds(const Facts& facts) {
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return facts.has(name); });
  };
  if (has({"finding.barrier_divergence"})) return {"hoist", "removal", "order", "condition", "comparison"};
  if (has({"finding.race_shared", "finding.race_global"}))
    return {"exchange", "order", "constant",  "comparison", "operand",
            "index",    "bound", "condition", "arithmetic", "removal"};
  if (has({"finding.out_of_bounds", "finding.misaligned", "finding.hang", "wrong.gap_overwritten",
           "wrong.guard_overwritten"}))
    return {"comparison", "exchange", "guard",    "width",    "condition", "bound",    "arithmetic",
            "index",      "operand",  "constant", "grouping", "function",  "arguments"};
  if (has({"finding.uninitialized"}))
    return {"initialiser", "comparison", "bound",   "constant", "condition",
            "exchange",    "index",      "operand", "order",    "arithmetic"};
  if (has({"wrong.unwritten"}))
    return {"bound",      "comparison", "exchange", "constant", "condition",
            "arithmetic", "index",      "operand",  "width",    "removal"};
  Kinds kinds{"rescale",   "start",    "reset", "comparison", "factor",      "function", "arguments",
              "condition", "constant", "order", "bound",      "initialiser", "grouping", "arithmetic",
              "index",     "operand",  "width", "exchange",   "type",        "removal"};
  if (has({"error.small"})) kinds.insert(kinds.begin(), "type");
  if (has({"wrong.non_finite"})) kinds.insert(kinds.begin(), "infinity");
  return kinds;
}

/// Those that a lead names first.
Kinds kinds_for(const Facts& facts, const std::vector<Lead>& leads) {
  Kinds kinds;
  const auto add = [&](const Kinds& more) {
    for (const std::string& kind : more) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
  };
  for (const Lead& lead : leads) add(lead.kinds);
  add(usual_kinds(facts));
  return kinds;
}

/// What a lead points to, then what stands beside the finding, then by kind.
void rank(std::vector<Mutant>& mutants, const Kinds& kinds, const std::vector<Lead>& leads, int found_at) {
  constexpr int near = 3;
  constexpr std::ptrdiff_t no_lead = 4;
  if (mutants.empty()) return;
  const auto position = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) - list.begin();
  };
  const auto key = [&](const Mutant& mutant) {
    std::ptrdiff_t led = no_lead, place = 0;
    for (const Lead& lead : leads) {
      const bool kind = std::find(lead.kinds.begin(), lead.kinds.end(), mutant.kind) != lead.kinds.end();
      const bool line = std::find(lead.lines.begin(), lead.lines.end(), mutant.line) != lead.lines.end();
      const bool first = position(lead.kinds, mutant.kind) < 2;
      const std::ptrdiff_t value = kind && line ? 0 : kind && first ? 1 : line ? 2 : kind ? 3 : no_lead;
      if (value < led) {
        led = value;
        place = value < 2 ? position(lead.kinds, mutant.kind) : 0;
      }
    }
    const bool far = found_at > 0 && std::abs(mutant.line - found_at) > near;
    return std::tuple(led < 2 ? 0 : 1 + far, led, place, position(kinds, mutant.kind),
                      found_at > 0 ? std::abs(mutant.line - found_at) : 0);
  };
  // Where nothing leads, each kind in its turn: a kind of many changes must not keep the others waiting.
  using Key = decltype(key(mutants.front()));
  std::vector<std::pair<Key, std::size_t>> order;
  std::map<std::string, std::ptrdiff_t> of_kind;
  for (const Mutant& mutant : mutants) {
    Key value = key(mutant);
    if (std::get<1>(value) == no_lead && found_at == 0) std::get<2>(value) = of_kind[mutant.kind]++;
    order.emplace_back(value, order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<Mutant> sorted;
  for (const auto& [value, index] : order) sorted.push_back(std::move(mutants[index]));
  mutants = std::move(sorted);
}

/// A condition that is turned round, or a statement that is left out, may make a kernel correct by keeping it
/// from the wrong place rather than by mending that.
bool may_evade(const Mutant& mutant, const Roles& roles) {
  constexpr std::array<std::string_view, 15> direct{
      "hoist", "reset", "exchange", "infinity", "factor", "rescale",  "function",   "arguments",
      "index", "type",  "width",    "order",    "start",  "grouping", "initialiser"};
  if (std::find(direct.begin(), direct.end(), mutant.kind) != direct.end()) return false;
  if (mutant.kind == "removal" || mutant.kind == "guard") return true;
  const std::set<std::string> here = roles.at(mutant.line);
  const bool computes = here.contains("input") || here.contains("output") || here.contains("sum") ||
                        here.contains("shuffle") || here.contains("flag") || here.contains("exponential");
  return mutant.kind == "operand" ? !computes && !here.contains("shared")
                                  : !computes && !here.contains("loop");
}

/// Small workloads that the change must leave correct, or make so.
std::vector<Setup> checks(const Subject& subject, const Failing& first, const Failing& smallest) {
  std::vector<Setup> setups{first.setup};
  for (const model::Workload& workload : subject.workloads) {
    const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                        subject.candidate.genome, workload);
    if (!bound || bound->flops > small_flops) continue;
    Setup setup = smallest.setup;
    setup.workload = workload;
    setups.push_back(setup);
  }
  for (std::size_t set = 0; set < subject.input_sets.size() && setups.size() > 1; ++set) {
    Setup setup = setups.back();
    setup.input_set = set;
    setups.push_back(setup);
  }
  return setups;
}

}  // namespace

std::optional<Repair> find_repair(Lab& lab, const Roles& roles, const Failing& first, const Failing& smallest,
                                  const Facts& facts, const std::vector<Lead>& leads, double seconds) {
  if (roles.names() == nullptr) return std::nullopt;
  const Subject& subject = lab.subject();
  const Kinds kinds = kinds_for(facts, leads);
  std::vector<Mutant> mutants = mutants_of(subject.candidate.source, *roles.names(), kinds);
  const int found_at =
      smallest.seen.failure->evidence.empty() ? 0 : smallest.seen.failure->evidence.front().line;
  rank(mutants, kinds, leads, found_at);
  const double until = lab.seconds() + seconds;
  const std::vector<Setup> others = checks(subject, first, smallest);
  const auto correct = [&](const Mutant& mutant, Setup setup, bool quick) {
    const auto bound = model::bind_case(subject.problem, subject.kernel_template, subject.space,
                                        subject.candidate.genome, setup.workload);
    setup.instruction_budget =
        few_instructions + instructions_a_flop * static_cast<std::uint64_t>(bound ? bound->flops : 0);
    setup.quick_build = quick;
    return !lab.observe({mutant.source, subject.candidate.genome}, setup).failed();
  };
  const auto heals = [&](const Mutant& mutant) {
    return correct(mutant, smallest.setup, true) &&
           std::all_of(others.begin(), others.end(),
                       [&](const Setup& setup) { return correct(mutant, setup, false); });
  };
  std::optional<Repair> evasive;
  int tried = 0, left = leads.empty() ? most_tries : tries_with_leads;
  for (Mutant& mutant : mutants) {
    if (left <= 0 || lab.expired() || lab.seconds() > until) break;
    const bool evades = may_evade(mutant, roles);
    if (evasive && evades) continue;
    --left;
    ++tried;
    if (!heals(mutant)) continue;
    if (!evades) return Repair{std::move(mutant), tried};
    evasive = Repair{std::move(mutant), tried};
    left = std::min(left, tries_after_evasive);
  }
  return evasive;
}

void add_repair_facts(const Repair& repair, const Roles& roles, Facts& facts) {
  const Mutant& mutant = repair.mutant;
  facts.add("heals." + mutant.kind, fmt::format("line {}: {}, and it is correct", mutant.line, mutant.text));
  for (const std::string& what : roles.at(mutant.line))
    facts.add("at." + what, fmt::format("line {}: {}", mutant.line, what));
}

}  // namespace evo::diagnose
