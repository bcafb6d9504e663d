#include "evaluators/devices/cuda/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "evaluators/devices/cuda/describe.hpp"
#include "evaluators/devices/cuda/fault.hpp"
#include "model/error.hpp"

namespace evo::evaluators::cuda {

CudaContext::CudaContext(DriverPointer driver, int ordinal)
    : driver_(std::move(driver)),
      nvml_(Nvml::open()),
      strangers_([this] { return nvml_ ? nvml_->computing_ids(info_.uuid) : std::nullopt; }),
      memory_(0),
      pinned_(std::make_shared<PinnedPool>(driver_)) {
  int count = 0;
  require(driver_->device_count(&count), "counting CUDA devices");
  if (ordinal < 0 || ordinal >= count) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("there is no device cuda:{}: the driver reports {} CUDA device{}",
                                       ordinal, count, count == 1 ? "" : "s"));
  }
  require(driver_->device_get(&device_, ordinal), "opening the device");
  std::size_t bytes = 0;
  if (driver_->device_memory(&bytes, device_) != CUDA_SUCCESS) bytes = 0;
  memory_ = MemoryPool(MemoryPool::capacity_for(bytes));
  info_ = describe_device(*driver_, device_, nvml_.get());
  require(driver_->context_retain(&context_, device_), "creating the context");
  require(driver_->context_make_current(context_), "entering the context");
  CUstream stream = nullptr;
  require(driver_->stream_create(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  stream_ = Stream(driver_, stream);
}

CudaContext::~CudaContext() {
  if (loss_) {
    stream_.abandon();
    memory_.abandon();
    pinned_->abandon();
    if (helpers_) helpers_->abandon();
    return;
  }
  helpers_.reset();
  memory_.clear();
  pinned_.reset();  // blocks that are still out are freed too late; nobody keeps any so long
  stream_.reset();
  driver_->context_release(device_);
}

HelperKernels& CudaContext::helpers() {
  if (!helpers_) helpers_ = std::make_unique<HelperKernels>(driver_, device_);
  return *helpers_;
}

void CudaContext::require(CUresult result, const char* action) const {
  if (result == CUDA_SUCCESS) return;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("{}: {}", action, describe(*driver_, result)));
}

model::Failure CudaContext::fail(CUresult result, const std::string& action) {
  const Fault fault = classify(result);
  if (fault.sticky) {
    loss_ = model::Failure{fault.status, fault.reason, {}};  // before failure_of, which may throw
    loss_ = failure_of(*driver_, result, action);
    return *loss_;
  }
  return failure_of(*driver_, result, action);
}

model::Failure CudaContext::hang(const std::string& action, double limit_ms) {
  loss_ = hang_failure(action, limit_ms);
  return *loss_;
}

Event CudaContext::make_event(unsigned flags) {
  CUevent event = nullptr;
  require(driver_->event_create(&event, flags), "creating an event");
  return Event(driver_, event);
}

CUresult CudaContext::wait(CUevent event, double limit_ms, double due_ms) const {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  using namespace std::chrono_literals;
  const auto start = Clock::now();
  const Milliseconds limit(limit_ms);
  // A core that polls feeds no other worker; the rest is awaited awake, so that none is late.
  constexpr Milliseconds awake = 100us;
  if (const Milliseconds due(std::min(due_ms, limit_ms)); due > 2 * awake)
    std::this_thread::sleep_for(due - awake);
  while (true) {
    const CUresult result = driver_->event_query(event);
    const auto waited = Clock::now() - start;
    if (result != CUDA_ERROR_NOT_READY || waited > limit) return result;
    // Short launches are awaited at full speed, long ones without burning the host's core.
    if (waited > 20ms) {
      std::this_thread::sleep_for(1ms);
    } else if (waited > 2ms) {
      std::this_thread::sleep_for(50us);
    } else if (waited - Milliseconds(due_ms) > 150us) {
      std::this_thread::sleep_for(20us);
    }
  }
}

}  // namespace evo::evaluators::cuda
