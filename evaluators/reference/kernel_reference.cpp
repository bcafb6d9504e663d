#include "evaluators/reference/kernel_reference.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/reference/agreement.hpp"
#include "evaluators/reference/directed_roundings.hpp"
#include "evaluators/reference/division_traps.hpp"
#include "evaluators/reference/reference_run.hpp"
#include "model/records.hpp"
#include "model/target.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;

/// What every GPU of the last ten years grants a kernel: a reference has no business to need more.
model::TargetProfile reference_machine() {
  model::TargetProfile machine;
  machine.name = "reference";
  machine.arch = "sm_80";
  machine.compute_major = 8;
  machine.smem_per_block_optin = 49152;
  machine.smem_per_sm = 65536;
  return machine;
}

/// What the virtual device computes in some milliseconds, hundreds of times a run: floating-point operations
/// by the work model, and 64 for each thread where that says less.
constexpr double light_work = 4194304.0;  // 2^22
/// An output of more elements than this is not computed whole: it would take half a gigabyte.
constexpr std::int64_t most_elements = std::int64_t{1} << 26;
/// So many light cases are computed on both devices; what agrees on these is taken from the side device
/// alone.
constexpr std::size_t cases_on_both = 8;

double work_of(const model::Case& bound) {
  double threads = 1;
  for (const auto& sizes : {bound.reference_launch->grid, bound.reference_launch->block}) {
    for (const auto size : sizes) threads *= static_cast<double>(size);
  }
  return std::max(bound.flops, 64 * threads);
}

/// Of each output these rows.
oracle::ReferenceOutputs rows_of(const model::Case& bound, const oracle::ReferenceOutputs& whole,
                                 std::span<const std::int64_t> rows) {
  oracle::ReferenceOutputs some(whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].empty() || bound.arguments[i].shape.empty()) continue;
    const std::int64_t width = bound.arguments[i].shape.back();
    for (const std::int64_t row : rows) {
      const auto begin = whole[i].begin() + row * width;
      some[i].insert(some[i].end(), begin, begin + width);
    }
  }
  return some;
}

}  // namespace

KernelReference::KernelReference(model::Artifact artifact, std::optional<model::Artifact> plain,
                                 std::shared_ptr<SideDevice> side, std::optional<model::Artifact> powers)
    : artifact_(std::move(artifact)),
      plain_(std::move(plain)),
      powers_(std::move(powers)),
      side_(std::move(side)),
      trapping_(artifact_),
      machines_([] { return std::make_unique<devices::VirtualDevice>(reference_machine()); }) {
  trapping_.ptx = with_division_traps(artifact_.ptx);
}

model::Expected<oracle::ReferenceOutputs> KernelReference::compute(const model::Case& bound,
                                                                   const oracle::InputBuffers& inputs) const {
  // A value that nobody gave must not have it divide by 0, or the least integer by -1.
  const bool undeclared =
      bound.undeclared_scalar && !model::is_floating(bound.arguments[*bound.undeclared_scalar].dtype);
  return run(undeclared ? trapping_ : artifact_, model::DType::f64, bound, inputs, {});
}

model::Expected<oracle::ReferenceOutputs> KernelReference::compute_rows(
    const model::Case& bound, const oracle::InputBuffers& inputs, std::span<const std::int64_t> rows) const {
  if (!scatters_) {
    auto some = run(artifact_, model::DType::f64, bound, inputs, rows);
    if (some) return some;
  }
  // A thread need not write the element of its number: a transpose may go by what it reads.
  auto whole = compute(bound, inputs);
  if (!whole) return whole;
  scatters_ = true;
  return rows_of(bound, *whole, rows);
}

model::Expected<oracle::ReferenceOutputs> KernelReference::run_in_float(
    const model::Artifact& artifact, const model::Case& bound, const oracle::InputBuffers& inputs,
    std::span<const std::int64_t> rows) const {
  if (rows.empty() || !scatters_) {
    auto outputs = run(artifact, model::DType::f32, bound, inputs, rows);
    if (outputs || rows.empty()) return outputs;
  }
  auto whole = run(artifact, model::DType::f32, bound, inputs, {});
  if (!whole) return whole;
  scatters_ = true;
  return rows_of(bound, *whole, rows);
}

model::Expected<std::optional<oracle::ReferenceOutputs>> KernelReference::compute_plain(
    const model::Case& bound, const oracle::InputBuffers& inputs, std::span<const std::int64_t> rows) const {
  if (!plain_) return std::nullopt;
  auto outputs = run_in_float(*plain_, bound, inputs, rows);
  if (!outputs) return tl::make_unexpected(outputs.error());
  return std::optional(std::move(*outputs));
}

std::optional<oracle::ReferenceOutputs> KernelReference::compute_otherwise(
    const model::Case& bound, const oracle::InputBuffers& inputs, std::span<const std::int64_t> rows) const {
  if (!powers_) return std::nullopt;
  auto outputs = run_in_float(*powers_, bound, inputs, rows);
  return outputs ? std::optional(std::move(*outputs)) : std::nullopt;
}

std::optional<oracle::ReferenceOutputs> KernelReference::run_as(const model::Artifact& artifact,
                                                                std::string ptx, model::DType real,
                                                                const model::Case& bound,
                                                                const oracle::InputBuffers& inputs) const {
  model::Artifact changed = artifact;
  changed.ptx = std::move(ptx);
  gates::DevicePool::Lease lease = machines_.borrow();
  auto outputs = run_reference(lease.device(), {changed, real, bound, inputs, {}});
  return outputs ? std::optional(std::move(*outputs)) : std::nullopt;
}

std::optional<oracle::ReferenceOutputs> KernelReference::compute_rounded(const model::Case& bound,
                                                                         const oracle::InputBuffers& inputs,
                                                                         std::uint64_t draw) const {
  if (!plain_ || prefers_whole(bound)) return std::nullopt;
  return run_as(*plain_, with_directed_roundings(plain_->ptx, draw), model::DType::f32, bound, inputs);
}

std::optional<oracle::ReferenceOutputs> KernelReference::compute_rounded_in_f64(
    const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const {
  if (prefers_whole(bound)) return std::nullopt;
  return run_as(artifact_, with_directed_f64_roundings(artifact_.ptx, draw), model::DType::f64, bound,
                inputs);
}

std::optional<oracle::ReferenceOutputs> KernelReference::compute_with_other_quotients(
    const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const {
  if (draw >= oracle::quotient_draws || prefers_whole(bound)) return std::nullopt;
  std::string ptx = with_other_quotients(artifact_.ptx, draw);
  if (ptx == artifact_.ptx) return std::nullopt;
  return run_as(artifact_, std::move(ptx), model::DType::f64, bound, inputs);
}

std::optional<oracle::ExactWords> KernelReference::compute_words(const model::Case& bound,
                                                                 const oracle::InputBuffers& inputs) const {
  if (prefers_whole(bound)) return std::nullopt;  // too much for the virtual device
  oracle::ExactWords words;
  gates::DevicePool::Lease lease = machines_.borrow();
  const auto outputs =
      run_reference(lease.device(), {artifact_, model::DType::f64, bound, inputs, {}, false, &words});
  return outputs ? std::optional(std::move(words)) : std::nullopt;
}

std::optional<std::uint64_t> KernelReference::effort(const model::Case& bound,
                                                     const oracle::InputBuffers& inputs) const {
  gates::DevicePool::Lease lease = machines_.borrow();
  return count_instructions(lease.device(), {artifact_, model::DType::f64, bound, inputs, {}});
}

bool KernelReference::computes_rows(const model::Case& bound) const {
  return bound.reference_by_element &&
         std::ranges::count(bound.arguments, ArgumentRole::output, &model::BoundArgument::role) == 1 &&
         std::ranges::none_of(bound.arguments, [](const model::BoundArgument& argument) {
           // Of an array of structs a thread writes a struct, and no element.
           return argument.role == ArgumentRole::inout ||
                  (argument.role == ArgumentRole::output &&
                   (argument.zeroed || !model::record_of(argument.name).empty()));
         });
}

bool KernelReference::prefers_whole(const model::Case& bound) const {
  // A GPU counts no instructions: what has an end by them stays on the virtual device.
  return side_ != nullptr && bound.reference_budget == 0 && work_of(bound) > light_work &&
         std::ranges::all_of(bound.arguments, [](const model::BoundArgument& argument) {
           return !model::is_judged(argument.role) || oracle::element_count(argument) <= most_elements;
         });
}

model::Expected<oracle::ReferenceOutputs> KernelReference::run(const model::Artifact& artifact,
                                                               model::DType real, const model::Case& bound,
                                                               const oracle::InputBuffers& inputs,
                                                               std::span<const std::int64_t> rows) const {
  const bool ask = rows.empty() && begin(asked_, bound.name);
  const ReferenceRun wanted{artifact, real, bound, inputs, rows, ask};
  auto outputs = rows.empty() && prefers_whole(bound) ? on_side(wanted) : checked(wanted);
  if (!outputs && wanted.ask_for_untouched) {
    const std::scoped_lock lock(mutex_);
    asked_.erase(bound.name);  // whoever asks again hears it again
  }
  return outputs;
}

model::Expected<oracle::ReferenceOutputs> KernelReference::checked(const ReferenceRun& run) const {
  auto outputs = [&] {
    gates::DevicePool::Lease lease = machines_.borrow();
    return run_reference(lease.device(), run);
  }();
  if (!outputs || side_ == nullptr || !run.rows.empty() || run.real != model::DType::f64) return outputs;
  {
    const std::scoped_lock lock(mutex_);
    if (compared_.size() >= cases_on_both) return outputs;
  }
  if (!begin(compared_, run.bound.name)) return outputs;
  auto second = launched_on_side(run);
  if (!second) return second;
  if (auto error = difference(*outputs, *second, run.bound, {})) return tl::make_unexpected(*error);
  return outputs;
}

model::Expected<oracle::ReferenceOutputs> KernelReference::on_side(const ReferenceRun& run) const {
  auto outputs = launched_on_side(run);
  if (!outputs || run.real != model::DType::f64 || !computes_rows(run.bound)) return outputs;
  if (!begin(compared_, run.bound.name)) return outputs;
  for (std::size_t i = 0; i < run.bound.arguments.size(); ++i) {
    const model::BoundArgument& output = run.bound.arguments[i];
    if (output.role != ArgumentRole::output) continue;
    const std::int64_t width = output.shape.back(), count = oracle::element_count(output) / width;
    std::vector<std::int64_t> rows{0, count / 2, count - 1};
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    ReferenceRun some{run.artifact, run.real, run.bound, run.inputs, rows, false};
    gates::DevicePool::Lease lease = machines_.borrow();
    const auto exact = run_reference(lease.device(), some);
    if (!exact) {
      scatters_ = true;  // other blocks write these rows; light cases have been compared
      continue;
    }
    if (auto error = difference(*exact, rows_of(run.bound, *outputs, rows), run.bound, rows))
      return tl::make_unexpected(*error);
  }
  return outputs;
}

model::Expected<oracle::ReferenceOutputs> KernelReference::launched_on_side(const ReferenceRun& run) const {
  model::Expected<oracle::ReferenceOutputs> outputs;
  side_->run([&](devices::Device& device) {
    // Machine code of one GPU model does not load on another; of the PTX the driver makes it for any newer
    // one.
    model::Artifact artifact = run.artifact;
    if (artifact.arch != device.info().arch) artifact.cubin = artifact.ptx;
    ReferenceRun there{artifact, run.real, run.bound, run.inputs, run.rows, run.ask_for_untouched};
    outputs = run_reference(device, there);
  });
  if (outputs) return outputs;
  model::Error error = outputs.error();
  error.message += fmt::format(" (on {})", side_->name());
  return tl::make_unexpected(error);
}

std::optional<model::Error> KernelReference::difference(const oracle::ReferenceOutputs& checked,
                                                        const oracle::ReferenceOutputs& side,
                                                        const model::Case& bound,
                                                        std::span<const std::int64_t> rows) const {
  const std::string here = artifact_.source_file + " on the virtual device";
  const std::string there = artifact_.source_file + " on " + side_->name();
  return disagreement({here, checked}, {there, side}, bound, rows);
}

bool KernelReference::begin(std::set<std::string, std::less<>>& names, const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  return names.insert(name).second;
}

}  // namespace evo::evaluators::reference
