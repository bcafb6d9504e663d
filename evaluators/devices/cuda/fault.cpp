#include "evaluators/devices/cuda/fault.hpp"

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::evaluators::cuda {

namespace {

Fault device_fault(const char* reason) {
  return {Fault::Blame::candidate, model::Status::device_fault, reason, true};
}
Fault launch_error(const char* reason) {
  return {Fault::Blame::candidate, model::Status::launch_error, reason, false};
}
Fault environment(const char* reason) {
  return {Fault::Blame::environment, model::Status::device_fault, reason, true};
}

}  // namespace

Fault classify(CUresult result) {
  switch (result) {
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return device_fault("misaligned_address");
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return device_fault("illegal_address");
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return device_fault("illegal_instruction");
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return device_fault("invalid_address_space");
    case CUDA_ERROR_INVALID_PC:
      return device_fault("invalid_pc");
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return device_fault("stack_error");
    case CUDA_ERROR_LAUNCH_FAILED:
      return device_fault("launch_failed");
    case CUDA_ERROR_ASSERT:
      return device_fault("assert");
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {Fault::Blame::candidate, model::Status::timeout, "hang", true};

    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return launch_error("launch_out_of_resources");
    case CUDA_ERROR_INVALID_VALUE:
      return launch_error("invalid_configuration");
    case CUDA_ERROR_OUT_OF_MEMORY:
      return launch_error("out_of_memory");
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return launch_error("no_binary_for_gpu");
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_INVALID_PTX:
      return launch_error("invalid_image");
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return launch_error("unsupported_ptx_version");
    case CUDA_ERROR_NOT_FOUND:
      return launch_error("entry_not_found");
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return launch_error("cooperative_launch_too_large");
    case CUDA_ERROR_NOT_SUPPORTED:
      return launch_error("not_supported");
    // A library did what a capture forbids; the capture is gone, the context is as it was.
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
      return launch_error("stream_capture");

    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
      return environment("driver_gone");
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return environment("driver_mismatch");
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return environment("device_unavailable");
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_INVALID_HANDLE:
      return environment("context_gone");
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
      return environment("hardware_error");
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
      return environment("mps_server");
    default:
      break;
  }
  return device_fault(fmt::format("cuda_error_{}", static_cast<int>(result)).c_str());
}

model::Failure failure_of(const DriverApi& driver, CUresult result, const std::string& action) {
  const Fault fault = classify(result);
  const std::string message = fmt::format("{}: {}", action, describe(driver, result));
  if (fault.blame == Fault::Blame::environment) {
    throw model::Exception(model::ExitCode::environment, fmt::format("{} [{}]", message, fault.reason));
  }
  model::Failure failure{fault.status, fault.reason, {}};
  failure.evidence.push_back({fault.reason, message, {}, 0, {{"cuda_error", std::to_string(result)}}});
  return failure;
}

model::Failure hang_failure(const std::string& action, double limit_ms) {
  model::Failure failure{model::Status::timeout, "hang", {}};
  failure.evidence.push_back({"hang",
                              fmt::format("{}: not finished after {:.0f} ms", action, limit_ms),
                              {},
                              0,
                              {{"limit_ms", fmt::format("{:.0f}", limit_ms)}}});
  return failure;
}

}  // namespace evo::evaluators::cuda
