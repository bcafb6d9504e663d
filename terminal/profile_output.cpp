#include "terminal/profile_output.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "evaluators/profile/limit.hpp"
#include "evaluators/profile/reading_json.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;
using model::CounterBasis;
using model::CounterReading;
using model::KernelCounters;

constexpr std::size_t shown_lines = 8, shown_stalls = 6, json_lines = 200;

/// Whole numbers as they are, others with a few digits.
std::string counter_text(const std::optional<double>& value) {
  if (!value) return "-";
  if (*value == std::floor(*value) && std::abs(*value) < 1e15) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.{}f}", *value, std::abs(*value) < 10 ? 3 : std::abs(*value) < 1000 ? 1 : 0);
}

const KernelCounters* same_launch(const std::optional<CounterReading>& reading,
                                  const KernelCounters& wanted) {
  if (!reading) return nullptr;
  for (const KernelCounters& kernel : reading->kernels) {
    if (kernel.workload == wanted.workload && kernel.kernel == wanted.kernel) return &kernel;
  }
  return nullptr;
}

std::optional<double> value_of(const KernelCounters* kernel, std::string_view name) {
  return kernel == nullptr ? std::nullopt : kernel->find(name);
}

/// " [3.2, 3.6]" where the launches that were counted differ by more than this share of what is shown.
constexpr double told_spread = 0.02;
std::string spread_text(const KernelCounters* measured, const model::CounterName& counter) {
  if (measured == nullptr) return {};
  const auto found = measured->spread.find(counter.name);
  if (found == measured->spread.end()) return {};
  const auto [low, high] = found->second;
  const double value = measured->find(counter.name).value_or(0);
  if (high - low <= told_spread * std::abs(value)) return {};
  return fmt::format("  [{}, {}]", counter_text(low), counter_text(high));
}

std::string counter_table(const KernelCounters* measured, const KernelCounters* modelled) {
  std::string text = fmt::format("  {:<22}{:>14}{:>14}\n", "counter", measured ? "measured" : "",
                                 modelled ? "modelled" : "");
  for (const model::CounterName& counter : model::counter_names()) {
    if (counter.name.starts_with("stall_")) continue;
    const auto a = value_of(measured, counter.name), b = value_of(modelled, counter.name);
    if (!a && !b) continue;
    text += fmt::format("  {:<22}{:>14}{:>14}  {}{}\n", counter.name, measured ? counter_text(a) : "",
                        modelled ? counter_text(b) : "", counter.text, spread_text(measured, counter));
  }
  if (measured != nullptr && measured->launches > 1)
    text += fmt::format(
        "  measured: medians of {} launches; in brackets the lowest and the highest, where they are more "
        "than "
        "{:.0f} % apart\n",
        measured->launches, 100 * told_spread);
  return text;
}

std::string stalls_of(const KernelCounters& kernel, bool all) {
  std::vector<std::pair<double, const model::CounterName*>> stalls;
  for (const model::CounterName& counter : model::counter_names()) {
    const auto value = kernel.find(counter.name);
    if (value && counter.name.starts_with("stall_")) stalls.emplace_back(*value, &counter);
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (stalls.empty()) return {};
  std::string text = "  cycles of a warp for each instruction that it issues, measured\n";
  for (std::size_t i = 0; i < stalls.size() && (all || i < shown_stalls); ++i)
    text += fmt::format("  {:<22}{:>14.2f}  {}{}\n", stalls[i].second->name, stalls[i].first,
                        stalls[i].second->text, spread_text(&kernel, *stalls[i].second));
  return text;
}

/// What a line has of everything that is counted by line.
struct LineShares {
  const model::LineCount* line;
  double instructions = 0, sectors = 0, conflicts = 0;  ///< percent of the kernel's
  [[nodiscard]] double most() const { return std::max({instructions, sectors, conflicts}); }
};

std::vector<LineShares> shares_of(const std::vector<model::LineCount>& lines) {
  std::uint64_t instructions = 0, sectors = 0, conflicts = 0;
  for (const model::LineCount& line : lines) {
    instructions += line.warp_instructions;
    sectors += line.sectors;
    conflicts += line.bank_conflicts;
  }
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
  };
  std::vector<LineShares> shares;
  for (const model::LineCount& line : lines)
    shares.push_back({&line, share(line.warp_instructions, instructions), share(line.sectors, sectors),
                      share(line.bank_conflicts, conflicts)});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const LineShares& a, const LineShares& b) { return a.most() > b.most(); });
  return shares;
}

/// A line that is behind many of the bank conflicts may be few of the instructions: the lines are those that
/// have most of anything.
std::string lines_of(const KernelCounters& kernel, bool all) {
  if (kernel.lines.empty()) return {};
  std::string text =
      "  source lines with most of the PTX instructions, sectors or bank conflicts, percent of the kernel's, "
      "modelled\n  instr. sectors conflicts\n";
  const std::vector<LineShares> shares = shares_of(kernel.lines);
  const auto cell = [](double percent) {
    return percent > 0 ? fmt::format("{:.1f}", percent) : std::string("-");
  };
  for (std::size_t i = 0; i < shares.size() && (all || i < shown_lines); ++i) {
    const model::LineCount& line = *shares[i].line;
    const std::string place = line.line == 0 ? "without a line" : fmt::format("{}:{}", line.file, line.line);
    text +=
        fmt::format("  {:>6} {:>7} {:>9}  {}{}{}\n", cell(shares[i].instructions), cell(shares[i].sectors),
                    cell(shares[i].conflicts), place, line.text.empty() ? "" : "  ", line.text);
  }
  if (!all && shares.size() > shown_lines)
    text += fmt::format("  and {} more (--all)\n", shares.size() - shown_lines);
  return text;
}

/// "long_scoreboard 61, wait 20": what most of its samples waited for, in percent of them.
std::string reasons_of(const model::LineSamples& line) {
  constexpr std::size_t shown = 3;
  std::vector<std::pair<std::uint64_t, std::string_view>> reasons;
  for (const auto& [reason, count] : line.stalls) reasons.emplace_back(count, reason);
  std::ranges::stable_sort(reasons, std::ranges::greater{}, [](const auto& one) { return one.first; });
  const double all = static_cast<double>(std::max<std::uint64_t>(line.samples(), 1));
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, reasons.size()); ++i)
    text += fmt::format("{}{} {:.0f}", i == 0 ? "" : ", ", reasons[i].second,
                        100 * static_cast<double>(reasons[i].first) / all);
  return text;
}

std::string sampled_lines_of(const KernelCounters& kernel, bool all) {
  std::uint64_t total = 0;
  for (const model::LineSamples& line : kernel.sampled) total += line.samples();
  if (total == 0) return {};
  std::string text = fmt::format(
      "  source lines where warps were, percent of {} samples{}, and what for (selected: they issue), "
      "percent of the line's, measured\n",
      total,
      kernel.samples_dropped == 0 ? "" : fmt::format(" ({} more were dropped)", kernel.samples_dropped));
  for (std::size_t i = 0; i < kernel.sampled.size() && (all || i < shown_lines); ++i) {
    const model::LineSamples& line = kernel.sampled[i];
    const std::string place =
        line.file.empty() ? "without a line" : fmt::format("{}:{}", line.file, line.line);
    text += fmt::format("  {:>6.1f}  {:<44}  {}{}{}\n",
                        100 * static_cast<double>(line.samples()) / static_cast<double>(total),
                        reasons_of(line), place, line.text.empty() ? "" : "  ", line.text);
  }
  if (!all && kernel.sampled.size() > shown_lines)
    text += fmt::format("  and {} more (--all)\n", kernel.sampled.size() - shown_lines);
  return text;
}

std::string counted_kernel_text(const KernelCounters* measured, const KernelCounters* modelled, bool all) {
  const KernelCounters& any = measured != nullptr ? *measured : *modelled;
  std::string text = fmt::format("\n{}, {}\n", any.workload, any.kernel);
  if (measured != nullptr)
    text += fmt::format("  {}\n", evaluators::profile::limit_of(*measured, CounterBasis::measured).sentence);
  if (modelled != nullptr)
    text += fmt::format("  {}\n", evaluators::profile::limit_of(*modelled, CounterBasis::modelled).sentence);
  text += counter_table(measured, modelled);
  if (measured != nullptr) text += stalls_of(*measured, all) + sampled_lines_of(*measured, all);
  if (modelled != nullptr) text += lines_of(*modelled, all);
  if (measured != nullptr && measured->sampled.empty() && (modelled == nullptr || modelled->lines.empty()))
    text +=
        "  no source lines: nobody sampled the launch, a GPU's counters are of whole launches, and the "
        "virtual device did not count this one\n";
  return text;
}

json::value reading_or_null(const std::optional<CounterReading>& reading) {
  if (!reading) return nullptr;
  return evaluators::profile::to_json(*reading, json_lines);
}

}  // namespace

std::string profile_text(const session::Profile& profile, bool all) {
  std::string text =
      fmt::format("{}: variant {} of {}\n", profile.given, profile.variant, profile.template_name);
  if (!profile.wrong.empty()) text += fmt::format("refused: {}\n", profile.wrong);
  if (profile.measured)
    text += fmt::format("measured on {} by {}\n", profile.measured->device, profile.measured->method);
  if (profile.modelled)
    text += fmt::format(
        "modelled for {} by {}: counts are of PTX instructions on the virtual device, shares are estimates; "
        "no profiler has measured them\n",
        profile.modelled->device, profile.modelled->method);
  for (const evaluators::gates::NoProfile& tool : profile.refused)
    text += fmt::format("not counted by {}: {}\n", tool.tool, tool.reason);
  if (profile.device != "virtual" && !profile.measured && profile.wrong.empty())
    text += fmt::format("no counters of the GPU: {}\n", evaluators::gates::refusal_of(profile.refused));
  if (profile.measured) {
    for (const KernelCounters& kernel : profile.measured->kernels)
      text += counted_kernel_text(&kernel, same_launch(profile.modelled, kernel), all);
  }
  if (profile.modelled) {
    for (const KernelCounters& kernel : profile.modelled->kernels) {
      if (same_launch(profile.measured, kernel) == nullptr)
        text += counted_kernel_text(nullptr, &kernel, all);
    }
  }
  if (!profile.stored.empty()) text += fmt::format("\nstored in {}\n", profile.stored);
  return text;
}

json::object profile_to_json(const session::Profile& profile) {
  json::array refused;
  for (const evaluators::gates::NoProfile& tool : profile.refused)
    refused.push_back({{"tool", tool.tool}, {"reason", tool.reason}, {"not_permitted", tool.not_permitted}});
  return {{"subject", profile.given},
          {"kind", profile.kind},
          {"variant", profile.variant},
          {"template", profile.template_name},
          {"device", profile.device},
          {"wrong", profile.wrong.empty() ? json::value(nullptr) : json::value(profile.wrong)},
          {"measured", reading_or_null(profile.measured)},
          {"modelled", reading_or_null(profile.modelled)},
          {"refused", std::move(refused)},
          {"stored", profile.stored.empty() ? json::value(nullptr) : json::value(profile.stored)}};
}

}  // namespace evo::terminal
