// Counters that no profiler measured, stored as evo profile stores its own, for runs that nobody ran.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "model/counters.hpp"
#include "report/run_view.hpp"
#include "report/shown_variants.hpp"
#include "session/profile_file.hpp"

namespace evo::report::testing {

/// Between 0 and 1, the same for the same words.
inline double invented_share(const std::string& variant, std::string_view counter,
                             const std::string& workload) {
  return static_cast<double>(std::hash<std::string>{}(variant + std::string(counter) + workload) % 1000) /
         1000;
}

/// Every counter that CUPTI or ncu measures, of one launch.
inline model::KernelCounters invented_counters(const ShownVariant& shown, const std::string& workload) {
  model::KernelCounters kernel;
  kernel.workload = workload;
  kernel.kernel = shown.entry->kernel_template.entry;
  for (const model::CounterName& counter : model::counter_names()) {
    if (counter.metric.empty()) continue;
    const double share = invented_share(shown.variant.id, counter.name, workload);
    const bool percent = counter.name.ends_with("_percent"), stall = counter.name.starts_with("stall_");
    kernel.values.emplace(counter.name, percent ? 90 * share : stall ? 4 * share : std::floor(1e6 * share));
  }
  for (const model::WorkloadLatency& timed : shown.trial->latencies)
    if (timed.workload == workload) kernel.values["duration_us"] = timed.latency.microseconds;
  if (const auto& used = shown.trial->resources) kernel.values.emplace("registers", used->registers);
  return kernel;
}

/// For the `most` first variants that a page shows: champion, baseline, then the champion's path.
inline void store_invented_profiles(const std::string& folder, std::size_t most = 3) {
  const RunView view = read_run(folder);
  std::vector<std::string> notices;
  const ShownVariants shown = shown_variants(view, notices);
  for (std::size_t i = 0; i < std::min(most, shown.list.size()); ++i) {
    const ShownVariant& each = shown.list[i];
    session::StoredProfile profile;
    profile.variant = each.variant.id;
    profile.template_name = each.trial->template_name;
    profile.measured = model::CounterReading{
        model::CounterBasis::measured, "CUPTI range profiler", view.ledger.meta->device_name, {}};
    for (const model::WorkloadLatency& timed : each.trial->latencies)
      profile.measured->kernels.push_back(invented_counters(each, timed.workload));
    session::store_profile(folder, profile);
  }
}

}  // namespace evo::report::testing
