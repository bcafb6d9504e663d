#include "report/counters.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "report/artifacts.hpp"

namespace evo::report {

namespace json = boost::json;
namespace devices = evaluators::devices;

json::object counts_json(const devices::LaunchCounts& c) {
  return {{"thread_instructions", c.thread_instructions},
          {"warp_instructions", c.warp_instructions},
          {"fp32", c.fp32},
          {"fp64", c.fp64},
          {"fp16", c.fp16},
          {"integer", c.integer},
          {"conversion", c.conversion},
          {"special", c.special},
          {"control", c.control},
          {"tensor", c.tensor},
          {"shared_accesses", c.shared_accesses},
          {"shared_wavefronts", c.shared_wavefronts},
          {"global_accesses", c.global_accesses},
          {"global_sectors", c.global_sectors},
          {"async_copies", c.async_copies},
          {"async_bytes", c.async_bytes},
          {"async_waits", c.async_waits},
          {"local_accesses", c.local_accesses},
          {"barriers", c.barriers},
          {"shuffles", c.shuffles},
          {"atomics", c.atomics},
          {"unique_global_bytes", c.unique_global_bytes},
          {"longest_warp_instructions", c.longest_warp_instructions}};
}

namespace {

namespace oracle = evaluators::oracle;
namespace vd = evaluators::virtual_device;

/// About a second and a half of the virtual device on two cores, for the launches of one page together.
constexpr double most_operations = 5e8;
/// Of a problem without a work model.
constexpr double operations_a_thread = 2000;
constexpr std::uint64_t most_instructions = 2'000'000'000;

json::object to_json(const vd::ModelledLatency& modelled) {
  json::object parts;
  for (const auto& [name, microseconds] : modelled.parts) parts[name] = microseconds;
  return {{"microseconds", modelled.microseconds},
          {"method", modelled.method},
          {"bottleneck", modelled.bottleneck},
          {"waves", modelled.waves},
          {"parts_us", std::move(parts)}};
}

json::value occupancy_of(const engine::TrialRecord& trial, const model::Case& bound,
                         const model::TargetProfile& target) {
  if (!trial.resources) return nullptr;
  const vd::Occupancy occupancy = vd::occupancy_of(*trial.resources, bound.launch, target);
  return json::object{{"blocks_per_sm", occupancy.blocks_per_sm},
                      {"warps_per_sm", occupancy.warps_per_sm},
                      {"limiter", occupancy.limiter},
                      {"blocks", vd::count_of(bound.launch.grid)},
                      {"threads_per_block", vd::count_of(bound.launch.block)},
                      {"dynamic_smem_bytes", bound.launch.dynamic_smem}};
}

/// Those that the virtual device times a trial with; normal ones where the set is a guest's and not known
/// here.
evaluators::gates::Outcome<void> write_inputs(evaluators::gates::CaseBuffers& buffers,
                                              const model::Experiment& experiment, const model::Case& bound) {
  const oracle::Catalogue known;
  const model::InputSet normal{"normal", "normal", {}};
  const auto& sets = experiment.problem.input_sets;
  const oracle::InputKey key{.seed = 1, .rotation = 1};
  auto inputs = oracle::make_inputs(known, bound, sets.empty() ? normal : sets.front(), key);
  if (!inputs) inputs = oracle::make_inputs(known, bound, normal, key);
  if (!inputs) return {};
  if (auto done = buffers.write_inputs(*inputs); !done) return done;
  return buffers.poison(1, false);
}

/// {"counts", "model"}; nullopt where the launch did not finish.
std::optional<json::object> count(const model::Experiment& experiment, const model::Artifact& artifact,
                                  const model::Case& bound) {
  devices::VirtualDevice device(experiment.target);
  const auto module = device.load(artifact);
  if (!module) return std::nullopt;
  auto buffers = evaluators::gates::CaseBuffers::create(device, bound, evaluators::gates::as_allocated);
  if (!buffers || !write_inputs(*buffers, experiment, bound)) return std::nullopt;
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::none;
  options.instruction_budget = most_instructions;
  options.count = true;
  const auto launched = device.launch(*module, bound.launch, buffers->arguments(), options);
  if (!launched) return std::nullopt;
  json::object result{{"counts", counts_json(launched->counts)}, {"model", nullptr}};
  // Counts of several kernels are sums, and the model is of one launch.
  if (model::kernels_of(bound.launch).size() != 1) return result;
  const vd::ModelledLatency modelled =
      vd::model_latency(launched->counts, artifact.resources, bound.launch, experiment.target);
  // Infinite where a block does not fit on an SM, which is no number in JSON.
  if (std::isfinite(modelled.microseconds)) result["model"] = to_json(modelled);
  return result;
}

class Counters {
 public:
  Counters(const RunView& view, Remembered* remembered)
      : view_(view), artifacts_(view), remembered_(remembered != nullptr ? *remembered : own_) {}

  void add(const ShownVariant& shown) {
    const evaluators::gates::TemplateContext context =
        evaluators::gates::make_context(view_.experiment, shown.entry->kernel_template);
    const auto bound = evaluators::gates::bind_variant(context, shown.trial->genome);
    if (!bound) return;
    for (const model::Case& workload : bound->workloads) {
      json::object entry{{"trial", shown.trial->index},
                         {"workload", workload.name},
                         {"occupancy", occupancy_of(*shown.trial, workload, view_.experiment.target)},
                         {"counts", nullptr},
                         {"model", nullptr}};
      if (const json::object* counted = counts_of(shown, workload)) {
        entry["counts"] = counted->at("counts");
        entry["model"] = counted->at("model");
      } else {
        ++uncounted_;
      }
      list_.push_back(std::move(entry));
    }
  }
  [[nodiscard]] json::object take() {
    return {{"basis", "virtual_device"}, {"of", std::move(list_)}, {"uncounted", uncounted_}};
  }

 private:
  /// nullptr where there are none.
  const json::object* counts_of(const ShownVariant& shown, const model::Case& workload) {
    const std::string key = view_.folder.string() + '\n' + shown.variant.id + '\n' + workload.name;
    const auto known = remembered_.counters.find(key);
    if (known != remembered_.counters.end()) return &known->second;
    const double work =
        workload.flops > 0 ? workload.flops : operations_a_thread * model::threads_in(workload.launch);
    if (spent_ + work > most_operations) return nullptr;
    const auto artifact = artifacts_.find(shown);
    if (!artifact) return nullptr;
    spent_ += work;
    auto counted = count(view_.experiment, *artifact, workload);
    if (!counted) return nullptr;
    return &remembered_.counters.emplace(key, std::move(*counted)).first->second;
  }

  const RunView& view_;
  Artifacts artifacts_;
  Remembered own_;
  Remembered& remembered_;
  double spent_ = 0;
  std::int64_t uncounted_ = 0;
  json::array list_;
};

}  // namespace

json::object counters_of(const RunView& view, const ShownVariants& shown, const json::array& path,
                         Remembered* remembered) {
  Counters counters(view, remembered);
  std::set<std::int64_t> trials{0};
  for (const json::value& step : path) trials.insert(step.at("trial").as_int64());
  for (const ShownVariant& each : shown.list)
    if (trials.contains(each.trial->index) && each.trial->correct()) counters.add(each);
  return counters.take();
}

}  // namespace evo::report
