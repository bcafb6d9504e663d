#include "packs/attention/cudnn/cudnn_contender.hpp"

#include <fmt/format.h>

#include "evaluators/benchmark/kernel_contender.hpp"

namespace evo::packs::attention::cudnn {
namespace {

template <class T>
Attempt<void> require(const devices::Outcome<T>& outcome) {
  if (!outcome) return tl::make_unexpected(line_of(outcome.error()));
  return {};
}

devices::Outcome<void> refused(const std::string& line) {
  model::Failure failure{model::Status::launch_error, "cudnn", {}};
  failure.evidence.push_back({"cudnn", line, {}, 0, {}});
  return tl::make_unexpected(std::move(failure));
}

void* pointer_of(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): how cuDNN takes one
}

}  // namespace

struct CudnnContender::Prepared {
  Prepared(model::Case of, oracle::InputBuffers data, const Attention& told, Plan found, float masked_with)
      : bound(std::move(of)),
        inputs(std::move(data)),
        attention(told),
        scale(told.scale),
        masked(masked_with),
        plan(std::move(found)) {}

  model::Case bound;
  oracle::InputBuffers inputs;
  Attention attention;
  float scale, masked;  ///< read by every execution: they must stay where they are
  Plan plan;
  std::optional<devices::BufferId> workspace;  ///< of all sets: launches of one stream do not overlap
  std::vector<gates::CaseBuffers> sets;
  std::vector<Descriptor> packs;
};

CudnnContender::CudnnContender(std::string name, cuda::CudaDevice& device, std::shared_ptr<Session> session)
    : name_(std::move(name)), device_(device), session_(std::move(session)) {}

CudnnContender::~CudnnContender() {
  release();
  if (device_.lost()) session_->abandon();
}

void CudnnContender::release() {
  if (prepared_ && prepared_->workspace) device_.release(*prepared_->workspace);
  prepared_.reset();
}

devices::Outcome<void> CudnnContender::launch(void* stream, std::size_t set) {
  if (const auto entered = session_->use_stream(stream); !entered) return refused(entered.error());
  if (const auto done = prepared_->plan.execute(prepared_->packs[set]); !done) return refused(done.error());
  return {};
}

Attempt<void> CudnnContender::grow(std::size_t sets) {
  Prepared& held = *prepared_;
  held.sets.reserve(sets);
  while (held.sets.size() < sets) {
    auto buffers = gates::CaseBuffers::create(device_, held.bound, gates::as_allocated);
    if (!buffers) return tl::make_unexpected(line_of(buffers.error()));
    if (auto done = require(buffers->write_inputs(held.inputs)); !done) return done;
    const auto draw = static_cast<std::uint32_t>(held.sets.size()) + 1;
    if (auto done = require(buffers->poison(draw, false)); !done) return done;
    const auto address = [&](const AttentionTensor& tensor) {
      const auto& argument = std::get<devices::BufferArgument>(buffers->arguments()[tensor.argument]);
      return pointer_of(device_.address(argument.buffer));
    };
    void* const workspace = held.workspace ? pointer_of(device_.address(*held.workspace)) : nullptr;
    auto pack = held.plan.pack({{TensorId::q, address(held.attention.q)},
                                {TensorId::k, address(held.attention.k)},
                                {TensorId::v, address(held.attention.v)},
                                {TensorId::o, address(held.attention.o)},
                                {TensorId::scale, &held.scale},
                                {TensorId::masked, &held.masked}},
                               workspace);
    if (!pack) return tl::make_unexpected(pack.error());
    held.sets.push_back(std::move(*buffers));
    held.packs.push_back(std::move(*pack));
  }
  return {};
}

Attempt<Outputs> CudnnContender::compute(const model::Case& bound, const oracle::InputBuffers& inputs) {
  release();
  if (device_.lost()) return tl::make_unexpected("the device was lost to an earlier kernel");
  const auto attention = attention_of(bound);
  if (!attention) return tl::make_unexpected(attention.error());
  auto plan = Plan::find(session_, *attention);
  if (!plan) return tl::make_unexpected(plan.error());
  prepared_ =
      std::make_unique<Prepared>(bound, inputs, *attention, std::move(*plan), masked_logit(*session_->api()));
  if (const std::int64_t bytes = prepared_->plan.workspace_bytes(); bytes > 0) {
    const auto workspace = device_.allocate({static_cast<std::uint64_t>(bytes), 0, "the workspace of cuDNN"});
    if (!workspace) return tl::make_unexpected(line_of(workspace.error()));
    prepared_->workspace = *workspace;
  }
  if (auto grown = grow(1); !grown) return tl::make_unexpected(grown.error());
  const auto work = [this](void* stream, std::size_t set) { return launch(stream, set); };
  if (auto done = require(device_.run(name_, work)); !done) return tl::make_unexpected(done.error());
  if (auto done = require(device_.check_guards()); !done) return tl::make_unexpected(done.error());
  const auto bytes = prepared_->sets[0].read(attention->o.argument);
  if (!bytes) return tl::make_unexpected(line_of(bytes.error()));
  return Outputs{{bytes->span().begin(), bytes->span().end()}};
}

Attempt<std::vector<double>> CudnnContender::time(const TimingRequest& request) {
  if (!prepared_) return tl::make_unexpected("nothing is prepared");
  const auto sets = static_cast<std::size_t>(request.sets);
  if (auto grown = grow(sets); !grown) return tl::make_unexpected(grown.error());
  const auto work = [this](void* stream, std::size_t set) { return launch(stream, set); };
  const auto timing = device_.time(name_, sets, work,
                                   {.warmup = request.warmup,
                                    .samples = request.samples,
                                    .launches = request.launches,
                                    .empty_cache = request.emptying_bytes > 0});
  if (!timing) return tl::make_unexpected(line_of(timing.error()));
  method_ = fmt::format("{}; {}", timing->method, prepared_->plan.text());
  return timing->samples_us;
}

}  // namespace evo::packs::attention::cudnn
