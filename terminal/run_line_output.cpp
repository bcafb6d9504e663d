#include "terminal/run_line_output.hpp"

#include <cstdint>

#include <fmt/format.h>

#include <boost/json.hpp>

namespace evo::terminal {
namespace {

namespace json = boost::json;

std::string text_or_dash(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : "-";
}

std::string age_text(const json::value& age) {
  if (!age.is_int64()) return "-";
  const std::int64_t seconds = age.as_int64();
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

}  // namespace

std::string run_line_text(const json::object& line) {
  if (const auto& problem = line.at("problem").as_string(); !problem.empty())
    return fmt::format("{}  cannot be read: {}\n", text_or_dash(line.at("run")), std::string(problem));
  const json::value &latency = line.at("latency_us"), &speedup = line.at("speedup");
  // How it ended, where that is not what one hopes for.
  const std::string status = text_or_dash(line.at("status"));
  const bool bad =
      line.at("state") == "finished" && (status == "baseline_invalid" || status == "no_valid_candidate");
  return fmt::format(
      "{}\n  {:<8} {:>6} trials  {:>7} ago  {}  champion {}{}{}{}\n", text_or_dash(line.at("run")),
      text_or_dash(line.at("state")), line.at("trials").to_number<std::int64_t>(),
      age_text(line.at("age_seconds")), text_or_dash(line.at("device")), text_or_dash(line.at("champion")),
      latency.is_double()
          ? fmt::format("  {:.3f} us ({})", latency.as_double(), text_or_dash(line.at("latency_kind")))
          : std::string(),
      speedup.is_double() ? fmt::format("  {:.3f}x the baseline's speed: {}", speedup.as_double(),
                                        text_or_dash(line.at("verdict")))
                          : std::string(),
      bad ? "  (" + status + ")" : std::string());
}

}  // namespace evo::terminal
