#include "evaluators/profile/limit.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace evo::evaluators::profile {
namespace {

struct Unit {
  std::string_view counter, name;
};
constexpr auto units = std::to_array<Unit>({{"dram_percent", "DRAM"},
                                            {"l2_percent", "L2"},
                                            {"l1_percent", "L1 with shared memory"},
                                            {"tensor_percent", "the tensor pipe"},
                                            {"fma_percent", "the FMA pipe"},
                                            {"alu_percent", "the ALU pipe"},
                                            {"mufu_percent", "the XU pipe (MUFU, conversions)"},
                                            {"fp64_percent", "the FP64 pipe"},
                                            {"lsu_percent", "the LSU pipe"},
                                            {"issue_percent", "instruction issue"}});

struct Share {
  Unit unit;
  double percent = 0;
};

std::vector<Share> busiest_first(const model::KernelCounters& kernel) {
  std::vector<Share> shares;
  for (const Unit& unit : units) {
    if (const auto value = kernel.find(unit.counter)) shares.push_back({unit, *value});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.percent > b.percent; });
  return shares;
}

/// The state in which warps wait longest; one that could go waits for nothing.
std::optional<std::pair<const model::CounterName*, double>> longest_stall(
    const model::KernelCounters& kernel) {
  std::optional<std::pair<const model::CounterName*, double>> longest;
  for (const model::CounterName& counter : model::counter_names()) {
    if (!counter.name.starts_with("stall_") || counter.name == "stall_not_selected") continue;
    const auto value = kernel.find(counter.name);
    if (value && (!longest || *value > longest->second)) longest = {&counter, *value};
  }
  return longest;
}

std::string residency(const model::KernelCounters& kernel) {
  std::string text;
  if (const auto occupancy = kernel.find("occupancy_percent"))
    text += fmt::format("; {:.0f} % of the warps that an SM holds are resident", *occupancy);
  if (const auto registers = kernel.find("registers"))
    text += fmt::format(", {:.0f} registers a thread", *registers);
  return text;
}

}  // namespace

Limit limit_of(const model::KernelCounters& kernel, model::CounterBasis basis) {
  const bool modelled = basis == model::CounterBasis::modelled;
  const std::string said = modelled ? "modelled, not measured: " : "measured: ";
  const std::vector<Share> shares = busiest_first(kernel);
  if (shares.empty()) return {"", said + "the counters do not tell what limits it"};
  const Share& top = shares.front();
  if (modelled && kernel.bottleneck == "launch")
    return {"launch", said + fmt::format("its launch takes longer than anything that it does; the busiest "
                                         "unit after that is {} with {:.0f} % of the rest",
                                         top.unit.name, top.percent)};
  if (top.percent >= busy_percent) {
    std::string sentence = fmt::format("{} limits it, at {:.0f} % of its peak", top.unit.name, top.percent);
    if (shares.size() > 1)
      sentence += fmt::format("; next is {} at {:.0f} %", shares[1].unit.name, shares[1].percent);
    return {std::string(top.unit.counter), said + sentence};
  }
  std::string sentence =
      fmt::format("it waits: no unit is busy, most {} at {:.0f} % of its peak", top.unit.name, top.percent);
  if (const auto stall = longest_stall(kernel))
    sentence +=
        fmt::format("; longest is {}, {:.1f} cycles for each instruction ({})",
                    stall->first->name.substr(sizeof("stall_") - 1), stall->second, stall->first->text);
  return {"waits", said + sentence + residency(kernel)};
}

}  // namespace evo::evaluators::profile
