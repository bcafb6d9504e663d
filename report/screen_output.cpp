#include "report/screen_output.hpp"

#include <cmath>

#include <fmt/format.h>

namespace evo::report {
namespace {

namespace json = boost::json;

std::string percent_text(const session::ScreenRate& rate) {
  if (rate.of == 0) return "none was seen";
  return fmt::format("{} of {}, {:.0f} % [{:.0f}, {:.0f}]", rate.count, rate.of,
                     100 * static_cast<double>(rate.count) / static_cast<double>(rate.of),
                     100 * rate.interval[0], 100 * rate.interval[1]);
}

std::string interval_text(double value, const std::array<double, 2>& interval) {
  if (!std::isfinite(interval[0])) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", value, interval[0], interval[1]);
}

json::value interval_json(const std::array<double, 2>& interval) {
  if (!std::isfinite(interval[0])) return nullptr;
  return json::array{interval[0], interval[1]};
}

json::value number_json(double value) {
  return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

json::object rate_json(const session::ScreenRate& rate) {
  return {{"count", rate.count}, {"of", rate.of}, {"ci95", interval_json(rate.interval)}};
}

json::value mean_json(const std::optional<session::ScreenMean>& mean) {
  if (!mean) return nullptr;
  return json::object{{"mean", mean->mean}, {"ci95", interval_json(mean->interval)}, {"explored", mean->n}};
}

}  // namespace

std::string screen_text(const std::optional<session::ScreenReport>& found, model::LatencyKind kind) {
  if (!found) return {};
  const session::ScreenReport& r = *found;
  std::string text =
      fmt::format("screening  {} candidates, {} modelled by {}; {} left out, {} failed before a device\n",
                  r.candidates, r.modelled, r.model, r.left_out, r.failed);
  text += fmt::format("  slots    the model's best {}, explored {}, nothing to choose from {}", r.best,
                      r.explored, r.alone);
  if (r.rested > 0) text += fmt::format(", rested where the model ranks nothing {}", r.rested);
  if (r.all_failed > 0) text += fmt::format(", all failed before a device {}", r.all_failed);
  if (r.not_modelled > 0)
    text += fmt::format(", not modelled and so not screened {} ({})", r.not_modelled, r.why_not_modelled);
  text +=
      fmt::format("\n  cost     a candidate {:.1f} ms of CPU in the model, {:.1f} ms in the gates before\n",
                  r.model_cpu_ms, r.prepare_ms);
  for (const session::ScreenCorrelation& one : r.correlations)
    text += fmt::format("  ranks    {}: modelled and {} go together at {}, {} variants\n", one.template_name,
                        model::name_of(kind), interval_text(one.rho, one.interval), one.n);
  text += fmt::format("  regret   of the explored became champion: {}", percent_text(r.explored_better));
  if (r.explored_gain) text += fmt::format(", by {:.1f} % in the mean", 100 * *r.explored_gain);
  text += fmt::format("; of the model's best: {}\n", percent_text(r.best_better));
  if (r.beats && r.ratio)
    text += fmt::format(
        "           an explored one beats {} of the model's best of its generation, and takes {} of their "
        "time, {} "
        "explored\n",
        interval_text(r.beats->mean, r.beats->interval), interval_text(r.ratio->mean, r.ratio->interval),
        r.beats->n);
  return text;
}

json::value screen_json(const std::optional<session::ScreenReport>& found) {
  if (!found) return nullptr;
  const session::ScreenReport& r = *found;
  json::array correlations;
  for (const session::ScreenCorrelation& one : r.correlations)
    correlations.push_back({{"template", one.template_name},
                            {"spearman", number_json(one.rho)},
                            {"ci95", interval_json(one.interval)},
                            {"variants", one.n}});
  return json::object{
      {"model", r.model},
      {"candidates", r.candidates},
      {"modelled", r.modelled},
      {"left_out", r.left_out},
      {"failed", r.failed},
      {"slots",
       {{"best", r.best},
        {"explored", r.explored},
        {"alone", r.alone},
        {"rested", r.rested},
        {"not_modelled", r.not_modelled},
        {"failed", r.all_failed}}},
      {"why_not_modelled", r.why_not_modelled},
      {"model_cpu_ms", r.model_cpu_ms},
      {"prepare_ms", r.prepare_ms},
      {"regret",
       {{"explored_better", rate_json(r.explored_better)},
        {"best_better", rate_json(r.best_better)},
        {"explored_gain", r.explored_gain ? json::value(*r.explored_gain) : json::value(nullptr)},
        {"explored_beats", mean_json(r.beats)},
        {"explored_over_best", mean_json(r.ratio)}}},
      {"correlations", std::move(correlations)}};
}

}  // namespace evo::report
