#include "cli/farm_side.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "session/farm_run.hpp"

namespace evo::cli {

int FarmSide::device_threads(int threads) const {
  constexpr int most = 256;
  if (farm_.url.empty()) return threads;
  return std::clamp(static_cast<int>(experiment_.search.window), threads, std::max(threads, most));
}

session::StackParts FarmSide::join(session::StackParts parts, const std::stop_token& stop) {
  if (farm_.url.empty()) return parts;
  session::Tell tell;
  if (!common_.quiet) tell = [this](const std::string& line) { progress_.line("evo: farm: " + line); };
  session::OnFarm joined = session::on_farm(std::move(parts), {farm_.url, farm_.token_file, farm_.ca_file},
                                            experiment_, folder_, stop, tell);
  counts_ = std::move(joined.counts);
  return std::move(joined.parts);
}

void FarmSide::tell_counts() const {
  if (!counts_ || common_.quiet) return;
  const farm::FarmCounts c = counts_();
  fmt::print(
      stderr,
      "evo: farm: {} jobs, {} answered by workers ({} of them computed here too), {} run here, {} put again; "
      "results refused: {}\n",
      c.jobs, c.answered, c.audited, c.local, c.put_again, c.refused());
}

boost::json::object FarmSide::counts_json() const {
  const farm::FarmCounts c = counts_ ? counts_() : farm::FarmCounts{};
  return {{"jobs", c.jobs},
          {"answered", c.answered},
          {"audited", c.audited},
          {"failed", c.failed},
          {"local", c.local},
          {"put_again", c.put_again},
          {"refused", boost::json::object{{"malformed", c.malformed},
                                          {"other_run", c.other_run},
                                          {"not_waited", c.not_waited},
                                          {"forged", c.forged}}}};
}

}  // namespace evo::cli
