#include "cli/farm_side.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "session/farm_run.hpp"

namespace evo::cli {

int FarmSide::device_threads(int threads) const {
  constexpr int most = 256;
  if (farm_.url.empty()) return threads;
  return std::clamp(static_cast<int>(experiment_.search.max_in_flight), threads, std::max(threads, most));
}

session::StackParts FarmSide::join(session::StackParts parts, int threads, const std::stop_token& stop) {
  if (farm_.url.empty()) return parts;
  session::Tell tell;
  if (!common_.quiet) tell = [this](const std::string& line) { progress_.line("evo: farm: " + line); };
  session::OnFarm joined = session::on_farm(std::move(parts), {farm_.url, farm_.token_file, farm_.ca_file},
                                            experiment_, folder_, threads, stop, tell);
  counts_ = std::move(joined.counts);
  comparisons_ = std::move(joined.comparisons);
  return std::move(joined.parts);
}

std::function<double()> FarmSide::cost() const {
  if (!counts_) return {};
  // Owns nothing: what the farm logs goes to this object, so it ends before this does.
  return [this] { return counts_().calls.cost; };
}

void FarmSide::tell_counts() const {
  if (!counts_ || common_.quiet) return;
  const session::FarmCounts c = counts_();
  fmt::print(
      stderr,
      "evo: farm: {} jobs, {} answered by workers ({} of them computed here too), {} run here, {} put again; "
      "{} that no worker had room for, done here; {} compiles were there; results refused: {}\n",
      c.calls.jobs, c.calls.answered, c.audited, c.local, c.calls.put_again, c.here, c.shared,
      c.calls.refused());
}

boost::json::object FarmSide::counts_json() const {
  const session::FarmCounts c = counts_ ? counts_() : session::FarmCounts{};
  boost::json::object lines;
  for (const auto& [line, answered] : c.calls.of_line) lines[line] = answered;
  return {{"jobs", c.calls.jobs},
          {"answered", c.calls.answered},
          {"lines", std::move(lines)},
          {"audited", c.audited},
          {"set_aside", c.set_aside},
          {"failed", c.calls.failed},
          {"local", c.local},
          {"here", c.here},
          {"shared", c.shared},
          {"put_again", c.calls.put_again},
          {"code", c.calls.code},
          {"code_missing", c.calls.code_missing},
          {"given_up", c.calls.given_up},
          {"money", c.calls.cost},
          {"refused", boost::json::object{{"malformed", c.calls.malformed},
                                          {"other_run", c.calls.other_run},
                                          {"not_waited", c.calls.not_waited},
                                          {"forged", c.calls.forged}}}};
}

}  // namespace evo::cli
