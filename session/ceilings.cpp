#include "session/ceilings.hpp"

#include <algorithm>

#include "evaluators/devices/virtual/model/pipe_rates.hpp"
#include "model/dtype.hpp"

namespace evo::session {

double Ceilings::rate(std::string_view name) const {
  for (const Ceiling& ceiling : rates) {
    if (ceiling.name == name) return ceiling.rate;
  }
  return 0;
}

Ceilings ceilings_of(const model::TargetProfile& target) {
  constexpr double lanes = 32, flops_of_fma = 2, bytes_of_wavefront = 128;
  const auto sm = evaluators::virtual_device::pipe_rates(target.compute_major, target.compute_minor);
  const double cycles = 1e9 * target.clock_ghz * target.sm_count;
  Ceilings ceilings{"target_data", target.name, {}};
  const auto add = [&](const char* name, double rate, const char* how) {
    if (rate > 0) {
      ceilings.rates.push_back({name, rate, how});
    } else {
      ceilings.missing.emplace_back(name, "the target's file does not have it");
    }
  };
  add("dram", 1e9 * target.dram_gb_per_s, "dram_gb_per_s of the target");
  add("l2", 1e9 * target.l2_gb_per_s, "l2_gb_per_s of the target");
  add("shared", cycles * bytes_of_wavefront * sm.load_store, "the model's rate of an SM, at the boost clock");
  add("fp32", cycles * lanes * flops_of_fma * sm.fp32, "the model's rate of an SM, at the boost clock");
  add("tensor_fp16", cycles * target.tensor_flops_per_cycle, "tensor_fp16_flops_per_sm_cycle of the target");
  return ceilings;
}

std::string arithmetic_of(const model::Problem& problem) {
  bool half = false, single = false, other = false;
  for (const model::Argument& argument : problem.arguments) {
    if (!model::is_given(argument.role) && !model::is_judged(argument.role)) continue;
    if (!model::is_floating(argument.dtype)) continue;
    const std::int64_t bytes = model::size_of(argument.dtype);
    (bytes == 2 ? half : bytes == 4 ? single : other) = true;
  }
  if (other) return {};
  return half ? "tensor_fp16" : single ? "fp32" : "";
}

std::optional<RoofShare> share_of_roof(const Ceilings& ceilings, std::string_view memory,
                                       std::string_view arithmetic, double flops, double bytes,
                                       double latency_us) {
  RoofShare share;
  const auto raise = [&](std::string_view name, double amount) {
    const double rate = ceilings.rate(name);
    if (!(rate > 0) || !(amount > 0)) return;
    const double us = 1e6 * amount / rate;
    if (us <= share.limit_us) return;
    share.limit_us = us;
    share.bound = name;
  };
  raise(memory, bytes);
  if (!arithmetic.empty()) raise(arithmetic, flops);
  if (share.bound.empty() || !(latency_us > 0)) return std::nullopt;
  share.share = share.limit_us / latency_us;
  if (bytes > 0) share.intensity = flops / bytes;
  return share;
}

}  // namespace evo::session
