#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/first_outputs.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/perturbation.hpp"

namespace evo::evaluators::gates {
namespace {

/// About as long as a batch of short launches with their fills; long ones outlive it.
constexpr std::chrono::microseconds load_duration{1000};

/// A buffer that nobody uses.
class Spacer {
 public:
  static Outcome<Spacer> create(devices::Device& device, std::uint64_t bytes) {
    auto buffer = device.allocate({bytes, 0, "spacer"});
    if (!buffer) return tl::make_unexpected(buffer.error());
    return Spacer(device, *buffer);
  }
  ~Spacer() {
    if (device_ != nullptr) device_->release(buffer_);
  }
  Spacer(Spacer&& other) noexcept : device_(std::exchange(other.device_, nullptr)), buffer_(other.buffer_) {}
  Spacer& operator=(Spacer&&) = delete;

 private:
  Spacer(devices::Device& device, devices::BufferId buffer) : device_(&device), buffer_(buffer) {}
  devices::Device* device_;
  devices::BufferId buffer_;
};

class Perturber {
 public:
  Perturber(const JobContext& context, devices::LaunchConditions& around)
      : context_(context), around_(around) {}

  Outcome<void> run(const PerturbedBatch& batch) {
    const model::Case& bound = context_.job.cases[batch.case_index];
    const model::InputSet& set = context_.job.input_sets.front();
    const auto reference =
        context_.reference(bound, set, {.seed = context_.job.input_seed, .rotation = batch.rotation});
    const devices::DeviceLock lock = context_.device.lock_device();
    auto spacer = Spacer::create(context_.device, batch.spacer_bytes);
    if (!spacer) return tl::make_unexpected(spacer.error());
    std::vector<CaseBuffers> sets;
    sets.reserve(batch.poisons.size());
    for (const std::uint32_t poison : batch.poisons) {
      auto buffers = CaseBuffers::create(context_.device, bound, in_turn(bound, batch.alignment_shift));
      if (!buffers) return tl::make_unexpected(buffers.error());
      if (auto done = buffers->write_inputs(reference->inputs); !done) return done;
      if (auto done = buffers->poison(poison, batch.finite_poison); !done) return done;
      sets.push_back(std::move(*buffers));
    }
    if (auto done = launch(batch, bound, sets); !done) return done;
    return compare(batch, bound, sets, *reference);
  }

 private:
  Outcome<void> launch(const PerturbedBatch& batch, const model::Case& bound,
                       const std::vector<CaseBuffers>& sets) {
    // What was copied and poisoned must not eat the time of the load.
    if (auto done = context_.device.synchronize(); !done) return done;
    if (batch.load) {
      if (auto done = around_.start_load(load_duration); !done) return done;
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (batch.cold) {
        if (auto done = around_.flush_cache(); !done) return done;
      }
      if (auto done = context_.poison_shared(batch.poisons[i], batch.finite_poison); !done) return done;
      const auto launched = context_.device.launch(context_.module, bound.launch, sets[i].arguments(),
                                                   context_.launch_options(bound));
      if (!launched) return tl::make_unexpected(launched.error());
    }
    return context_.device.synchronize();
  }

  Outcome<void> compare(const PerturbedBatch& batch, const model::Case& bound,
                        const std::vector<CaseBuffers>& sets, const oracle::ReferenceData& reference) {
    auto [answer, fresh] = answers_.try_emplace({batch.case_index, batch.rotation}, bound);
    for (const CaseBuffers& buffers : sets) {
      auto outputs = buffers.read_outputs(answer->second.known(context_.device));
      if (!outputs) return tl::make_unexpected(outputs.error());
      if (auto same = answer->second.compare(std::move(*outputs), "perturbed_differs", text_of(batch)); !same)
        return same;
    }
    // Bits that need not repeat say nothing: then every launch is held against the reference.
    const bool each = !repeats(bound);
    if (!fresh && !each) return context_.device.check_guards();
    for (const CaseBuffers& buffers : std::span(sets).first(each ? sets.size() : 1)) {
      auto failure =
          judge(workload_bounds(context_.job, bound), bound, take_snapshot(context_, buffers, Guards::check),
                reference, {{"manner", text_of(batch)}});
      if (failure) return tl::make_unexpected(std::move(*failure));
    }
    return {};
  }

  const JobContext& context_;
  devices::LaunchConditions& around_;
  /// By case and inputs.
  std::map<std::pair<std::size_t, std::uint64_t>, FirstOutputs> answers_;
};

/// What the launches have shown of the cases' outputs.
std::string agreement(const std::vector<model::Case>& cases) {
  return std::ranges::all_of(cases, repeats) ? "gave the same bits" : "were correct";
}

model::Evidence summary(const DeviceJob& job, const std::vector<PerturbedBatch>& batches) {
  std::size_t launches = 0, cold = 0, loaded = 0;
  for (const PerturbedBatch& batch : batches) {
    launches += batch.poisons.size();
    if (batch.cold) cold += batch.poisons.size();
    if (batch.load) loaded += batch.poisons.size();
  }
  return {"perturbed",
          fmt::format("{} launches {}: {} with a cold L2, {} with a load beside, in fresh "
                      "buffers at {} base alignments. The order of blocks is the hardware's and was not "
                      "shuffled; a load beside changes which blocks run together",
                      launches, agreement(job.cases), cold, loaded, alignment_count),
          {},
          0,
          {{"launches", std::to_string(launches)},
           {"cold", std::to_string(cold)},
           {"load", std::to_string(loaded)}}};
}

}  // namespace

std::optional<model::Failure> check_perturbed(const JobContext& context,
                                              std::vector<model::Evidence>& notes) {
  if (context.job.perturbed_launches <= 0) return std::nullopt;
  devices::LaunchConditions* around = context.device.launch_conditions();
  if (around == nullptr) {
    notes.push_back({"perturbed",
                     fmt::format("{} permuted warp and block orders {}", context.job.settings.permuted_runs,
                                 agreement(context.job.cases)),
                     {},
                     0,
                     {{"orders", std::to_string(context.job.settings.permuted_runs)}}});
    return std::nullopt;
  }
  const std::vector<PerturbedBatch> batches = plan_perturbation(context.job);
  Perturber perturber(context, *around);
  for (const PerturbedBatch& batch : batches) {
    if (auto done = perturber.run(batch); !done) {
      return located(std::move(done.error()), {{"case", context.job.cases[batch.case_index].name},
                                               {"input_set", context.job.input_sets.front().name},
                                               {"perturbation", text_of(batch)}});
    }
  }
  notes.push_back(summary(context.job, batches));
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
