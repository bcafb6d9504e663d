#include "intake/reference_cost.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "intake/probe_run.hpp"
#include "intake/problem_text.hpp"

namespace evo::intake {
namespace {

struct Launched {
  std::vector<double> sizes;
  double instructions = 0;
};

/// What a reference may take that takes too much at usual small sizes: some seconds.
constexpr std::uint64_t most_of_the_least = 600'000'000;

/// At the sizes that `run` has.
std::optional<Launched> launch(const Draft& draft, ProbeRun& run) {
  std::vector<std::int64_t> bytes(draft.arguments.size(), 0);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const DraftArgument& argument = draft.arguments[i];
    if (argument.role == "scalar") continue;
    const auto elements = run.elements_of(argument.shape);
    if (!elements || argument.shape.empty() || *elements > (std::int64_t{1} << 22)) return std::nullopt;
    bytes[i] = *elements * run.element_bytes(i);
    if (argument.role == "output" || argument.role == "inout") most = std::max(most, *elements);
  }
  if (draft.reference_grid.empty()) {
    run.set_launch({static_cast<std::uint32_t>((most + 255) / 256), 1, 1}, {256, 1, 1});
  } else if (!run.set_launch(draft.reference_grid, draft.reference_block, "")) {
    return std::nullopt;
  }
  if (!run.fits(bytes, ProbeFill::ones)) return std::nullopt;
  Launched launched;
  launched.instructions = static_cast<double>(run.warp_instructions());
  // Ones may be soon done: of a matrix of ones, an elimination has nothing left after its first step.
  if (run.fits(bytes, ProbeFill::mixed))
    launched.instructions = std::max(launched.instructions, static_cast<double>(run.warp_instructions()));
  else if (run.ran_out())
    return std::nullopt;
  for (const DraftAxis& axis : draft.axes)
    launched.sizes.push_back(static_cast<double>(run.value_of(axis.name).value_or(1)));
  return launched;
}

std::optional<Launched> launch_at(const Draft& draft, const model::Artifact& reference, std::int64_t scale) {
  ProbeRun run(draft, reference, Probed::reference, scale);
  if (!run.ready()) return std::nullopt;
  run.count(true);
  run.set_budget(most_of_the_least);
  return launch(draft, run);
}

bool has_key(const DraftAxis& axis, std::string_view name) {
  return std::ranges::any_of(axis.keys, [&](const auto& key) { return key.first == name; });
}

bool has_name(std::string_view expression, std::string_view name) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = expression.find(name); at != std::string_view::npos;
       at = expression.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool inside =
        (at > 0 && part(expression[at - 1])) || (end < expression.size() && part(expression[end]));
    if (!inside) return true;
  }
  return false;
}

std::int64_t number_of(const DraftAxis& axis, std::string_view name, std::int64_t otherwise) {
  for (const auto& [key, value] : axis.keys) {
    std::int64_t number = 0;
    const bool read = std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc{};
    if (key == name && read) return number;
  }
  return otherwise;
}

/// One axis at `size`, the others at `others`.
std::vector<std::int64_t> sizes_alone(const Draft& draft, std::size_t axis, std::int64_t size,
                                      std::int64_t others) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < draft.axes.size(); ++i)
    sizes.push_back(legal_size(draft.axes[i], i == axis ? size : others));
  return sizes;
}

/// What the reference takes with one axis at `size` and at four times that; nothing where it cannot be run.
std::optional<std::array<double, 2>> at_two_sizes(const Draft& draft, ProbeRun& run, std::size_t axis,
                                                  std::int64_t size, std::int64_t others) {
  std::array<double, 2> instructions{};
  for (const std::size_t i : {0U, 1U}) {
    run.set_sizes(sizes_alone(draft, axis, i == 0 ? size : 4 * size, others));
    const auto launched = launch(draft, run);
    if (!launched) return std::nullopt;
    instructions.at(i) = launched->instructions;
  }
  return instructions;
}

/// The largest size up to wide_size at which the reference keeps to cost_alone, the others at `others`; 0
/// where it cannot be run.
std::int64_t affordable_alone(const Draft& draft, ProbeRun& run, std::size_t axis, std::int64_t others) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 21;
  const bool only = draft.axes.size() == 1;
  std::optional<std::array<double, 2>> instructions;
  std::int64_t shorter = 0;
  // What takes n^3 in one thread is too much at 2048, and still worth seeing beyond a warp.
  for (const std::int64_t first : {512, 32}) {
    shorter = first;
    instructions = at_two_sizes(draft, run, axis, shorter, others);
    if (instructions) break;
    if (!run.ran_out()) return 0;
  }
  if (!instructions) return 0;
  const std::int64_t longer = 4 * shorter;
  // Blocks of threads that have nothing to do cost as much as others, so that small sizes show less growth.
  const double power = std::max(1.0, std::log2((*instructions)[1] / (*instructions)[0]) / 2);
  const double size =
      static_cast<double>(longer) * std::pow(cost_alone / std::max((*instructions)[1], 1.0), 1 / power);
  auto most = static_cast<std::int64_t>(std::min(size, static_cast<double>(only ? widest_alone : wide_size)));
  const auto fits = [&](std::int64_t candidate) {
    run.set_sizes(sizes_alone(draft, axis, candidate, others));
    return std::ranges::all_of(draft.arguments, [&](const DraftArgument& argument) {
      return run.elements_of(argument.shape).value_or(most_elements + 1) <= most_elements;
    });
  };
  while (most > longer && !fits(most)) most -= most / 4;
  // Growth may show late, and a row may have no room in what the reference holds: what is promised is seen to
  // run, all of it.
  run.count(false);
  std::int64_t found = 0;
  for (int tries = 0; tries < 4 && found == 0; ++tries, most /= 4) {
    if (fits(most) && launch(draft, run)) found = most;
  }
  run.count(true);
  return found;
}

/// Holds what is expected at some sizes against a launch there: two launches at small sizes tell nothing of
/// an axis that has no smaller one, nor of a loop over it that stands in another.
class SeenCost {
 public:
  SeenCost(const Draft& draft, const model::Artifact& reference)
      : draft_(draft), run_(draft, reference, Probed::reference, 1) {
    run_.count(true);
    run_.set_budget(most_of_the_least);
  }
  /// Whether the reference takes more than twice usual_cost at `sizes`. False where it cannot be run there,
  /// and where so little is expected that a launch is not worth its time.
  bool is_more(const std::optional<ReferenceCost>& cost, const std::vector<double>& sizes) {
    constexpr double far_below = 1.0 / 64;
    if (!run_.ready() || (cost && cost->at(sizes) < far_below * usual_cost)) return false;
    std::vector<std::int64_t> legal;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      legal.push_back(legal_size(draft_.axes[i], static_cast<std::int64_t>(sizes[i])));
    run_.set_sizes(legal);
    const auto launched = launch(draft_, run_);
    return launched ? launched->instructions > 2 * usual_cost : run_.ran_out();
  }

 private:
  const Draft& draft_;
  ProbeRun run_;
};

/// 1200 -> 1024: a size that is easy to read.
std::int64_t power_of_two_below(double size) {
  return std::int64_t{1} << static_cast<int>(std::floor(std::log2(std::max(size, 1.0))));
}

}  // namespace

std::int64_t legal_size(const DraftAxis& axis, std::int64_t size) {
  if (axis.compile_time || has_key(axis, "allowed")) return axis.values.front();
  const std::int64_t step = std::max<std::int64_t>(number_of(axis, "multiple_of", 1), 1);
  size = std::min(size, number_of(axis, "max", size));
  return std::max({size / step * step, number_of(axis, "min", 1), step});
}

std::optional<ReferenceCost> ReferenceCost::measure(const Draft& draft, const model::Artifact& reference) {
  const std::size_t axes = draft.axes.size();
  if (axes == 0) return std::nullopt;
  for (std::int64_t scale : {axes == 1 ? 16 : axes == 2 ? 4 : 2, 1}) {
    const auto small = launch_at(draft, reference, scale), large = launch_at(draft, reference, 2 * scale);
    if (!small || !large) continue;
    ReferenceCost cost;
    cost.sizes_ = large->sizes;
    cost.instructions_ = large->instructions;
    double doublings = 0;
    int counted = 0;
    for (std::size_t i = 0; i < axes; ++i) {
      if (large->sizes[i] <= small->sizes[i]) continue;
      doublings += std::log2(large->sizes[i] / small->sizes[i]);
      ++counted;
    }
    if (counted == 0) return std::nullopt;
    const double steps = doublings / counted;
    cost.power_ = std::max(0.0, std::log2(large->instructions / small->instructions) / steps);
    return cost;
  }
  return std::nullopt;
}

double ReferenceCost::at(const std::vector<double>& sizes) const {
  double growth = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) growth += std::log2(std::max(sizes[i], 1.0) / sizes_[i]);
  return instructions_ * std::exp2(power_ * growth / static_cast<double>(sizes.size()));
}

void widen_sizes(Draft& draft, const ReferenceCost& cost, const std::string& ptx) {
  if (draft.axes.size() != 1 || draft.axes[0].compile_time) return;
  DraftAxis& axis = draft.axes[0];
  for (const char* key : {"max", "allowed", "multiple_of"}) {
    if (has_key(axis, key)) return;
  }
  const auto asks = [&](const std::string& expression) { return has_name(expression, axis.name); };
  if (!std::ranges::any_of(draft.launch.grid, asks)) return;
  if (std::ranges::any_of(draft.launch.block, asks) || asks(draft.launch.dynamic_smem)) return;
  for (const char* word : {"%envreg", "atom.", ".volatile", ".acquire"}) {
    if (ptx.find(word) != std::string::npos) return;
  }
  if (greatest_size(axis, 1) >= wide_size || cost.at({static_cast<double>(wide_size)}) > usual_cost) return;
  axis.keys.emplace_back("max", std::to_string(wide_size));
  axis.widened = true;
}

void show_sizes_alone(Draft& draft, const model::Artifact& reference, bool limited_only) {
  // A greatest size that evo gave is no bound of one axis alone.
  Draft unbounded = draft;
  for (DraftAxis& axis : unbounded.axes) {
    if (axis.limited) std::erase_if(axis.keys, [](const auto& key) { return key.first == "max"; });
  }
  ProbeRun run(unbounded, reference, Probed::reference, 1);
  if (!run.ready()) return;
  run.count(true);
  run.set_budget(most_of_the_least);
  for (std::size_t i = 0; i < draft.axes.size(); ++i) {
    DraftAxis& axis = draft.axes[i];
    if (axis.compile_time) continue;
    if (has_key(axis, "max") && !axis.widened && !axis.limited) continue;
    if (limited_only && !axis.limited) continue;
    if (has_key(axis, "allowed") || has_key(axis, "alone")) continue;
    std::int64_t size = 0;
    for (const std::int64_t others : {3, 9, 1}) {
      if (size == 0) size = affordable_alone(unbounded, run, i, others);
    }
    if (size < 2 * greatest_size(axis, draft.axes.size())) continue;
    axis.keys.emplace_back("alone", std::to_string(size));
  }
}

void limit_sizes(Draft& draft, const std::optional<ReferenceCost>& cost, const model::Artifact& reference) {
  if (draft.axes.empty()) return;
  std::vector<double> workload, greatest;
  for (const DraftAxis& axis : draft.axes) {
    workload.push_back(static_cast<double>(*std::ranges::max_element(axis.values)));
    greatest.push_back(static_cast<double>(greatest_size(axis, draft.axes.size())));
  }
  const auto expected = [&](const std::vector<double>& sizes) { return cost ? cost->at(sizes) : 0; };
  const double of_workload = expected(workload), usual = expected(greatest);
  if (of_workload > long_cost) {
    draft.notes.push_back(fmt::format(
        "the reference is expected to take {:.1e} instructions for the largest workload, which is minutes on "
        "the "
        "virtual device: a smaller --axis, or a reference with a thread for each element, is sooner done",
        of_workload));
  }
  // All axes are brought closer to their workloads by the same share.
  std::vector<double> limited = greatest;
  SeenCost seen(draft, reference);
  for (int step = 1; step <= 8 && (expected(limited) > usual_cost || seen.is_more(cost, limited)); ++step) {
    for (std::size_t i = 0; i < limited.size(); ++i) {
      if (has_key(draft.axes[i], "max") || has_key(draft.axes[i], "allowed") || draft.axes[i].compile_time)
        continue;
      const double share = static_cast<double>(step) / 8;
      limited[i] = workload[i] * std::pow(std::max(greatest[i] / workload[i], 1.0), 1 - share);
    }
  }
  std::string said;
  for (std::size_t i = 0; i < limited.size(); ++i) {
    DraftAxis& axis = draft.axes[i];
    if (limited[i] >= greatest[i]) continue;
    std::int64_t size = std::max(power_of_two_below(limited[i]), static_cast<std::int64_t>(workload[i]));
    for (const auto& [key, value] : axis.keys) {
      std::int64_t step = 0;
      const bool number = std::from_chars(value.data(), value.data() + value.size(), step).ec == std::errc{};
      if (key == "multiple_of" && number && step > 0)
        size = size / step * step;  // else the loader refuses it
    }
    axis.keys.emplace_back("max", std::to_string(size));
    axis.limited = true;
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", axis.name, size);
  }
  if (said.empty()) return;
  draft.notes.push_back(
      fmt::format("the reference {}: sizes are drawn up to {}; --axis 'NAME=SIZE max=...' says otherwise",
                  usual > usual_cost
                      ? fmt::format("is expected to grow with the power {:.1f} of the sizes, to {:.1e} "
                                    "instructions a case",
                                    cost->power(), usual)
                      : fmt::format("takes more than {:.1e} instructions at the greatest sizes", usual_cost),
                  said));
}

}  // namespace evo::intake
