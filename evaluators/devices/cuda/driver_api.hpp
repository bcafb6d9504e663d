// The CUDA driver API as a table of function pointers, filled from libcuda.so.1 at run time, so that one
// binary runs on machines with and without a driver. A test fills the table with functions of its own.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include <tl/expected.hpp>

namespace evo::evaluators::cuda {

// Member, function as cuda.h declares it, symbol in libcuda.so.1. The symbol is spelled out because cuda.h of
// each toolkit maps the plain names to other versions; all of these exist since driver 12.4.
#define EVO_CUDA_DRIVER_FUNCTIONS(X)                                                                       \
  X(init, cuInit, "cuInit")                                                                                \
  X(driver_version, cuDriverGetVersion, "cuDriverGetVersion")                                              \
  X(error_name, cuGetErrorName, "cuGetErrorName")                                                          \
  X(error_string, cuGetErrorString, "cuGetErrorString")                                                    \
  X(device_count, cuDeviceGetCount, "cuDeviceGetCount")                                                    \
  X(device_get, cuDeviceGet, "cuDeviceGet")                                                                \
  X(device_name, cuDeviceGetName, "cuDeviceGetName")                                                       \
  X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                                        \
  X(device_uuid, cuDeviceGetUuid, "cuDeviceGetUuid_v2")                                                    \
  X(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                                                \
  X(context_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                  \
  X(context_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                            \
  X(context_make_current, cuCtxSetCurrent, "cuCtxSetCurrent")                                              \
  X(module_load, cuModuleLoadData, "cuModuleLoadData")                                                     \
  X(module_unload, cuModuleUnload, "cuModuleUnload")                                                       \
  X(module_function, cuModuleGetFunction, "cuModuleGetFunction")                                           \
  X(module_variable, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                                            \
  X(function_set_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")                                      \
  X(function_parameter, cuFuncGetParamInfo, "cuFuncGetParamInfo")                                          \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor") \
  X(launch, cuLaunchKernel, "cuLaunchKernel")                                                              \
  X(launch_cooperative, cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel")                            \
  X(tensor_map_encode, cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled")                                   \
  X(array_create, cuArray3DCreate, "cuArray3DCreate_v2")                                                   \
  X(array_destroy, cuArrayDestroy, "cuArrayDestroy")                                                       \
  X(texture_create, cuTexObjectCreate, "cuTexObjectCreate")                                                \
  X(texture_destroy, cuTexObjectDestroy, "cuTexObjectDestroy")                                             \
  X(surface_create, cuSurfObjectCreate, "cuSurfObjectCreate")                                              \
  X(surface_destroy, cuSurfObjectDestroy, "cuSurfObjectDestroy")                                           \
  X(copy_3d, cuMemcpy3DAsync, "cuMemcpy3DAsync_v2")                                                        \
  X(memory_allocate, cuMemAlloc, "cuMemAlloc_v2")                                                          \
  X(memory_free, cuMemFree, "cuMemFree_v2")                                                                \
  X(memory_granularity, cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity")                    \
  X(address_reserve, cuMemAddressReserve, "cuMemAddressReserve")                                           \
  X(address_free, cuMemAddressFree, "cuMemAddressFree")                                                    \
  X(physical_create, cuMemCreate, "cuMemCreate")                                                           \
  X(physical_release, cuMemRelease, "cuMemRelease")                                                        \
  X(memory_map, cuMemMap, "cuMemMap")                                                                      \
  X(memory_unmap, cuMemUnmap, "cuMemUnmap")                                                                \
  X(memory_set_access, cuMemSetAccess, "cuMemSetAccess")                                                   \
  X(host_allocate, cuMemHostAlloc, "cuMemHostAlloc")                                                       \
  X(host_free, cuMemFreeHost, "cuMemFreeHost")                                                             \
  X(copy_to_device, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                                             \
  X(copy_on_device, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                                             \
  X(copy_to_host, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                                               \
  X(fill_bytes, cuMemsetD8Async, "cuMemsetD8Async")                                                        \
  X(fill_words, cuMemsetD32Async, "cuMemsetD32Async")                                                      \
  X(stream_create, cuStreamCreate, "cuStreamCreate")                                                       \
  X(stream_destroy, cuStreamDestroy, "cuStreamDestroy_v2")                                                 \
  X(capture_begin, cuStreamBeginCapture, "cuStreamBeginCapture_v2")                                        \
  X(capture_end, cuStreamEndCapture, "cuStreamEndCapture")                                                 \
  X(graph_instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")                         \
  X(graph_launch, cuGraphLaunch, "cuGraphLaunch")                                                          \
  X(graph_exec_destroy, cuGraphExecDestroy, "cuGraphExecDestroy")                                          \
  X(graph_destroy, cuGraphDestroy, "cuGraphDestroy")                                                       \
  X(event_create, cuEventCreate, "cuEventCreate")                                                          \
  X(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                                                    \
  X(event_record, cuEventRecord, "cuEventRecord")                                                          \
  X(event_query, cuEventQuery, "cuEventQuery")                                                             \
  X(event_elapsed, cuEventElapsedTime, "cuEventElapsedTime")

struct DriverApi {
#define EVO_CUDA_MEMBER(member, function, symbol) decltype(&(function)) member = nullptr;
  EVO_CUDA_DRIVER_FUNCTIONS(EVO_CUDA_MEMBER)
#undef EVO_CUDA_MEMBER
  std::shared_ptr<void> library;  ///< keeps libcuda mapped; empty for a test's table
};
using DriverPointer = std::shared_ptr<const DriverApi>;

/// Loads `library` and initialises the driver (cuInit). The error is one sentence for a person: no library, a
/// driver that is too old, no device.
[[nodiscard]] tl::expected<DriverPointer, std::string> load_driver(const char* library = "libcuda.so.1");

/// See launch_counters.hpp.
void tell_profiler(const DriverApi& driver, bool begins);

/// "CUDA_ERROR_MISALIGNED_ADDRESS (misaligned address)".
[[nodiscard]] std::string describe(const DriverApi& driver, CUresult result);

}  // namespace evo::evaluators::cuda
