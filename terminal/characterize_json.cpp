#include <cmath>

#include "terminal/characterize_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;
using session::Characterization;
using session::CharacterizedShape;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value pair_or_null(const std::optional<std::array<double, 2>>& ends) {
  if (!ends || !std::isfinite((*ends)[0]) || !std::isfinite((*ends)[1])) return nullptr;
  return json::array{(*ends)[0], (*ends)[1]};
}

json::object kernel_to_json(const session::CharacterizedKernel& kernel) {
  return {{"given", kernel.given},     {"kind", kernel.kind},
          {"contender", kernel.label}, {"template", kernel.template_name},
          {"variant", kernel.variant}, {"genes", genes_to_json(kernel.genome)}};
}

json::object ceilings_to_json(const session::Ceilings& ceilings) {
  json::array rates, missing;
  for (const session::Ceiling& ceiling : ceilings.rates) {
    rates.push_back(
        {{"name", ceiling.name},
         {ceiling.is_memory() ? "gb_per_s" : "tflops", ceiling.rate * (ceiling.is_memory() ? 1e-9 : 1e-12)},
         {"how", ceiling.how}});
  }
  for (const auto& [name, reason] : ceilings.missing) missing.push_back({{"name", name}, {"reason", reason}});
  return {{"kind", ceilings.kind},
          {"of", ceilings.of},
          {"measured_at", text_or_null(ceilings.measured_at)},
          {"from_cache", ceilings.from_cache},
          {"rates", std::move(rates)},
          {"missing", std::move(missing)}};
}

json::value range_to_json(const std::optional<std::array<double, 3>>& range) {
  if (!range) return nullptr;
  return json::object{{"min", (*range)[0]}, {"median", (*range)[1]}, {"max", (*range)[2]}};
}

json::value state_to_json(const std::optional<session::GpuState>& state) {
  if (!state) return nullptr;
  json::array reasons;
  for (const std::string& reason : state->throttle) reasons.emplace_back(reason);
  return json::object{{"readings", state->readings},
                      {"sm_mhz", range_to_json(state->sm_mhz)},
                      {"memory_mhz", range_to_json(state->memory_mhz)},
                      {"temperature_c", range_to_json(state->temperature_c)},
                      {"power_w", range_to_json(state->power_w)},
                      {"throttle", std::move(reasons)}};
}

json::object figure_to_json(const Characterization& found, const session::ShapeFigure& figure) {
  json::value latency = nullptr, ci95 = nullptr, speedup = nullptr, interval = nullptr;
  std::uint64_t samples = 0;
  if (figure.latency) {
    latency = figure.latency->microseconds;
    ci95 = pair_or_null(figure.latency->ci95);
    samples = figure.latency->samples;
  }
  if (figure.speedup) {
    speedup = figure.speedup->ratio;
    if (found.latency_kind != "modelled") interval = pair_or_null(figure.speedup->interval);
  }
  return {{"contender", figure.contender},
          {"role", session::name_of(figure.role)},
          {"latency_us", std::move(latency)},
          {"ci95", std::move(ci95)},
          {"samples", samples},
          {"speedup", std::move(speedup)},
          {"speedup_ci95", std::move(interval)},
          {"unavailable", text_or_null(figure.unavailable)}};
}

json::object shape_to_json(const Characterization& found, const CharacterizedShape& shape) {
  json::object axes;
  for (std::size_t i = 0; i < found.grid.size(); ++i) axes[found.grid[i].name] = shape.shape.at[i];
  json::value refused = nullptr, roofline = nullptr, latency = nullptr, ci95 = nullptr;
  json::value tflops = nullptr, bandwidth = nullptr;
  if (shape.refused) refused = {{"gate", shape.refused->gate}, {"reason", shape.refused->reason}};
  if (shape.share) {
    roofline = {{"bound", shape.share->bound},
                {"limit_us", shape.share->limit_us},
                {"share", shape.share->share},
                {"intensity", shape.share->intensity}};
  }
  const session::ShapeFigure* subject = shape.subject();
  if (subject != nullptr && subject->latency) {
    const double us = subject->latency->microseconds;
    latency = us;
    ci95 = pair_or_null(subject->latency->ci95);
    if (shape.flops > 0 && us > 0) tflops = 1e-6 * shape.flops / us;
    if (shape.bytes > 0 && us > 0) bandwidth = 1e-3 * shape.bytes / us;
  }
  json::array contenders;
  for (const session::ShapeFigure& figure : shape.figures)
    contenders.push_back(figure_to_json(found, figure));
  return {{"name", shape.shape.workload.name},
          {"axes", std::move(axes)},
          {"flops", shape.flops},
          {"bytes", shape.bytes},
          {"refused", std::move(refused)},
          {"latency_us", std::move(latency)},
          {"ci95", std::move(ci95)},
          {"tflops", std::move(tflops)},
          {"gb_per_s", std::move(bandwidth)},
          {"roofline", std::move(roofline)},
          {"contenders", std::move(contenders)},
          {"gpu_state", state_to_json(shape.state)}};
}

}  // namespace

json::object characterize_to_json(const Characterization& found) {
  json::array grid, comparators, shapes;
  json::object fixed;
  for (const session::GridAxis& axis : found.grid) {
    json::array values;
    for (const std::int64_t value : axis.values) values.emplace_back(value);
    grid.push_back({{"name", axis.name}, {"values", std::move(values)}});
  }
  for (const auto& [name, value] : found.fixed) fixed[name] = value;
  for (const session::BenchComparator& comparator : found.comparators) {
    comparators.push_back({{"name", comparator.name},
                           {"available", comparator.unavailable.empty()},
                           {"reason", comparator.unavailable}});
  }
  for (const CharacterizedShape& shape : found.shapes) shapes.push_back(shape_to_json(found, shape));
  return {{"problem", found.problem},
          {"subject", kernel_to_json(found.subject)},
          {"baseline", found.baseline ? json::value(kernel_to_json(*found.baseline)) : json::value(nullptr)},
          {"no_baseline", text_or_null(found.no_baseline)},
          {"latency_kind", found.latency_kind},
          {"device",
           {{"kind", found.device_kind},
            {"name", found.device_name},
            {"driver", found.driver},
            {"uuid", found.uuid}}},
          {"target", found.target},
          {"accuracy_class", found.accuracy_class},
          {"toolchain", found.toolchain},
          {"method", found.method},
          {"rounds", found.rounds},
          {"cold", found.cold},
          {"grid", std::move(grid)},
          {"fixed", std::move(fixed)},
          {"arithmetic", text_or_null(found.arithmetic)},
          {"ceilings", ceilings_to_json(found.ceilings)},
          {"no_gpu_state", text_or_null(found.no_state)},
          {"comparators", std::move(comparators)},
          {"shapes", std::move(shapes)}};
}

}  // namespace evo::terminal
