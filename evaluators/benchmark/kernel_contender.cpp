#include "evaluators/benchmark/kernel_contender.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/reduced.hpp"

namespace evo::evaluators::benchmark {
namespace {

template <class T>
Attempt<void> require(const devices::Outcome<T>& outcome) {
  if (!outcome) return tl::make_unexpected(line_of(outcome.error()));
  return {};
}

}  // namespace

std::string line_of(const model::Failure& failure) {
  std::string line = fmt::format("{}: {}", model::name_of(failure.status), failure.reason);
  if (!failure.evidence.empty()) line += ": " + failure.evidence.front().message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

KernelContender::KernelContender(std::string name, devices::Device& device, KernelSource source)
    : name_(std::move(name)), device_(device), source_(std::move(source)) {}

KernelContender::~KernelContender() {
  release();
}

void KernelContender::release() {
  sets_.clear();
  if (module_ && !device_.lost()) device_.unload(*module_);
  module_.reset();
  kernel_.reset();
  inputs_.clear();
}

bool KernelContender::adds_in_tensor_cores() const {
  return kernel_ && gates::adds_in_tensor_cores(kernel_->artifact.ptx);
}

Attempt<void> KernelContender::grow(std::size_t sets) {
  sets_.reserve(sets);
  while (sets_.size() < sets) {
    auto buffers = gates::CaseBuffers::create(device_, kernel_->bound, gates::as_allocated);
    if (!buffers) return tl::make_unexpected(line_of(buffers.error()));
    if (auto done = require(buffers->write_inputs(inputs_)); !done) return done;
    if (auto done = require(buffers->poison(static_cast<std::uint32_t>(sets_.size()) + 1, false)); !done) {
      return done;
    }
    sets_.push_back(std::move(*buffers));
  }
  return {};
}

Attempt<Outputs> KernelContender::compute(const model::Case& bound, const oracle::InputBuffers& inputs) {
  release();
  if (device_.lost()) return tl::make_unexpected("the device was lost to an earlier kernel");
  auto kernel = source_(bound);
  if (!kernel) return tl::make_unexpected(kernel.error());
  kernel_ = std::move(*kernel);
  inputs_ = inputs;
  const auto module = device_.load(kernel_->artifact);
  if (!module) return tl::make_unexpected(line_of(module.error()));
  module_ = *module;
  if (auto grown = grow(1); !grown) return tl::make_unexpected(grown.error());
  if (auto done = require(device_.launch(*module_, kernel_->bound.launch, sets_[0].arguments(), {})); !done) {
    return tl::make_unexpected(done.error());
  }
  if (auto done = require(device_.synchronize()); !done) return tl::make_unexpected(done.error());
  if (auto done = require(device_.check_guards()); !done) return tl::make_unexpected(done.error());
  const auto contents = sets_[0].read_outputs();
  if (!contents) return tl::make_unexpected(line_of(contents.error()));
  Outputs outputs;
  std::size_t next = 0;
  for (const model::BoundArgument& argument : kernel_->bound.arguments) {
    if (model::is_judged(argument.role))
      outputs.push_back(oracle::as_one_slice(argument, (*contents)[next++].span()));
  }
  return outputs;
}

Attempt<std::vector<double>> KernelContender::time(const TimingRequest& request) {
  if (!module_) return tl::make_unexpected("nothing is prepared");
  if (auto grown = grow(static_cast<std::size_t>(request.sets)); !grown) {
    return tl::make_unexpected(grown.error());
  }
  std::vector<std::vector<devices::KernelArgument>> arguments;
  for (std::size_t i = 0; i < static_cast<std::size_t>(request.sets); ++i) {
    arguments.emplace_back(sets_[i].arguments().begin(), sets_[i].arguments().end());
  }
  const auto timing = device_.time(*module_, kernel_->bound.launch, arguments,
                                   {.warmup = request.warmup,
                                    .samples = request.samples,
                                    .launches = request.launches,
                                    .empty_cache = request.emptying_bytes > 0});
  if (!timing) return tl::make_unexpected(line_of(timing.error()));
  method_ = timing->method;
  return timing->samples_us;
}

}  // namespace evo::evaluators::benchmark
