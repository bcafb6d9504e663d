#include "tests/cudnn/fake_cudnn.hpp"

#include <cmath>
#include <stdexcept>

#include "evaluators/oracle/elements.hpp"

namespace evo::test {
namespace {

using namespace evaluators;
using cudnn::Attribute;
using cudnn::Kind;
using cudnn::Status;
using cudnn::TensorId;
using cudnn::Type;

FakeCudnn* fake = nullptr;
constexpr Status bad_parameter = 2000, unsupported = 3000;

std::size_t bytes_of(Type type) {
  if (type == Type::boolean) return sizeof(bool);
  const bool word =
      type == Type::handle || type == Type::int64 || type == Type::pointer || type == Type::descriptor;
  return word ? 8 : 4;
}

FakeDescriptor& at(void* raw) {
  return *fake->live.at(raw);
}

struct Tensor {
  const FakeDescriptor* described;
  std::byte* memory;
  [[nodiscard]] std::byte* element(const std::array<std::int64_t, 4>& index) const {
    const auto strides = described->values<std::int64_t>(Attribute::tensor_strides);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < 4; ++i) offset += index[i] * strides[i];
    return memory + offset * 2;
  }
  [[nodiscard]] double operator()(const std::array<std::int64_t, 4>& index) const {
    return oracle::load_element(model::DType::f16, element(index));
  }
};

/// softmax(scale * Q K^T + mask) V as the graph's tensors lie in memory.
void attend(const FakeCudnn::Run& run) {
  const auto operations = run.graph->values<void*>(Attribute::graph_operations);
  const FakeDescriptor& first = *static_cast<const FakeDescriptor*>(operations.front());
  const FakeDescriptor& last = *static_cast<const FakeDescriptor*>(operations.back());
  const auto tensor = [&](const FakeDescriptor& described) {
    const auto id = described.value<std::int64_t>(Attribute::tensor_id);
    return Tensor{&described, static_cast<std::byte*>(run.pointers.at(id))};
  };
  const Tensor q = tensor(first.other(Attribute::matmul_a)), kt = tensor(first.other(Attribute::matmul_b));
  const Tensor v = tensor(last.other(Attribute::matmul_b)), o = tensor(last.other(Attribute::matmul_c));
  const auto scalar = [&](TensorId id) {
    return *static_cast<const float*>(run.pointers.at(static_cast<std::int64_t>(id)));
  };
  const bool causal = run.pointers.contains(static_cast<std::int64_t>(TensorId::masked));
  const auto shape = q.described->values<std::int64_t>(Attribute::tensor_dimensions);
  const auto keys = kt.described->values<std::int64_t>(Attribute::tensor_dimensions)[3];
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      for (std::int64_t i = 0; i < shape[2]; ++i) {
        std::vector<double> weights;
        double largest = -1e300, total = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
          double logit = 0;
          for (std::int64_t d = 0; d < shape[3]; ++d) logit += q({b, h, i, d}) * kt({b, h, d, j});
          logit *= scalar(TensorId::scale);
          if (causal && j > i) logit = scalar(TensorId::masked);
          largest = std::max(largest, logit);
          weights.push_back(logit);
        }
        for (double& weight : weights) total += weight = std::exp(weight - largest);
        for (std::int64_t d = 0; d < shape[3]; ++d) {
          double sum = 0;
          for (std::int64_t j = 0; j < keys; ++j)
            sum += weights[static_cast<std::size_t>(j)] / total * v({b, h, j, d});
          oracle::store_element(model::DType::f16, sum, o.element({b, h, i, d}));
        }
      }
    }
  }
}

Status finalize(void* raw) {
  FakeDescriptor& made = at(raw);
  if (made.kind == Kind::tensor && made.value<std::int64_t>(Attribute::tensor_id) == fake->refuse_tensor)
    return bad_parameter;
  if (made.kind == Kind::execution_plan &&
      fake->refused_engines.contains(made.other(Attribute::plan_engine_config).config)) {
    return unsupported;
  }
  made.finalized = true;
  return 0;
}

Status set_attribute(void* raw, Attribute name, Type type, std::int64_t count, const void* values) {
  const auto* first = static_cast<const std::byte*>(values);
  const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(type);
  if (type == Type::descriptor) {
    for (std::int64_t i = 0; i < count; ++i)
      if (!at(static_cast<void* const*>(values)[i]).finalized) {
        // Engine configs come finished out of the heuristics.
        fake->used_unfinalized |= at(static_cast<void* const*>(values)[i]).config < 0;
      }
  }
  at(raw).attributes[name] = {type, count, {first, first + bytes}};
  return at(raw).finalized ? bad_parameter : 0;
}

Status get_attribute(void* raw, Attribute name, Type, std::int64_t wanted, std::int64_t* count,
                     void* values) {
  const FakeDescriptor& asked = at(raw);
  if (name == Attribute::heuristics_results) {
    *count = fake->engines.at(asked.value<cudnn::Heuristics>(Attribute::heuristics_mode));
    const bool fallback =
        asked.value<cudnn::Heuristics>(Attribute::heuristics_mode) == cudnn::Heuristics::fallback;
    for (std::int64_t i = 0; i < std::min(wanted, *count); ++i)
      at(static_cast<void**>(values)[i]).config = static_cast<int>(i) + (fallback ? 100 : 0);
    return 0;
  }
  *count = 1;
  if (name == Attribute::plan_workspace_size) *static_cast<std::int64_t*>(values) = fake->workspace_bytes;
  if (name == Attribute::engine_config_engine) at(*static_cast<void**>(values)).config = asked.config;
  if (name == Attribute::engine_index) *static_cast<std::int64_t*>(values) = asked.config;
  return 0;
}

Status execute(void*, void* plan, void* pack) {
  if (fake->execute_status != 0) return fake->execute_status;
  ++fake->executions;
  (void)plan;
  const auto ids = at(pack).values<std::int64_t>(Attribute::pack_ids);
  const auto pointers = at(pack).values<void*>(Attribute::pack_pointers);
  FakeCudnn::Run run;
  for (std::size_t i = 0; i < ids.size(); ++i) run.pointers[ids[i]] = pointers[i];
  for (const auto& [raw, descriptor] : fake->live)
    if (descriptor->kind == Kind::operation_graph) run.graph = descriptor.get();
  fake->runs.push_back(run);
  // Through the driver, as the library would: so that it lands in a capture that is under way.
  const auto driver = fake->gpu->driver();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver->module_load(&module, nullptr);
  driver->module_function(&function, module, "fake_attention");
  std::uint64_t index = fake->runs.size() - 1;
  void* argument = &index;
  const CUresult result = driver->launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, &argument, nullptr);
  driver->module_unload(module);
  return result == CUDA_SUCCESS ? 0 : 5000;
}

}  // namespace

FakeCudnn::FakeCudnn(FakeGpu* on) : gpu(on) {
  if (fake != nullptr) throw std::logic_error("one FakeCudnn at a time");
  fake = this;
  if (gpu != nullptr) {
    gpu->kernels["fake_attention"] = {
        {8}, [](const FakeLaunch& launch) { attend(fake->runs.at(launch.argument<std::uint64_t>(0))); }};
  }
}
FakeCudnn::~FakeCudnn() {
  fake = nullptr;
}

cudnn::ApiPointer FakeCudnn::api() const {
  auto table = std::make_shared<cudnn::Api>();
  table->version = [] { return fake->version; };
  table->error_string = [](Status status) { return status == unsupported ? "NOT_SUPPORTED" : "BAD_PARAM"; };
  table->last_error = [](char* text, std::size_t bytes) { std::strncpy(text, "as the fake\nsays", bytes); };
  table->create = [](void** handle) { return *handle = fake, ++fake->handles, 0; };
  table->destroy = [](void*) { return --fake->handles, 0; };
  table->set_stream = [](void*, void*) { return 0; };
  table->create_descriptor = [](Kind kind, void** raw) {
    auto made = std::make_unique<FakeDescriptor>();
    made->kind = kind;
    *raw = made.get();
    fake->live.emplace(*raw, std::move(made));
    return 0;
  };
  table->destroy_descriptor = [](void* raw) { return fake->live.erase(raw) == 1 ? 0 : bad_parameter; };
  table->finalize = &finalize;
  table->set_attribute = &set_attribute;
  table->get_attribute = &get_attribute;
  table->execute = &execute;
  return table;
}

}  // namespace evo::test
