// Just enough of the CUDA runtime for exported programs to run on the host: kernels without barriers, whose
// parameters are pointers and integers, one thread after the other. A test's stand-in for nvcc and a GPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <math.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = struct CUstream_st*;

inline const char* cudaGetErrorString(cudaError_t) {
  return "error";
}
inline cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(bytes + 8);
  return *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

#ifndef EVO_HOST_PARAMETERS
#error "say how many parameters the kernels have: -DEVO_HOST_PARAMETERS=3"
#endif

template <class... Word>
void host_call(const void* kernel, void** arguments, Word... words) {
  if constexpr (sizeof...(words) < EVO_HOST_PARAMETERS) {
    std::uint64_t word = 0;
    // An int is four bytes of these, and the callee looks at no more.
    std::memcpy(&word, arguments[sizeof...(words)], sizeof word);
    host_call(kernel, arguments, words..., word);
  } else {
    reinterpret_cast<void (*)(Word...)>(reinterpret_cast<std::uintptr_t>(kernel))(words...);
  }
}

inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t,
                                    cudaStream_t) {
  gridDim = grid;
  blockDim = block;
  for (unsigned b = 0; b < grid.x * grid.y * grid.z; ++b) {
    blockIdx = dim3(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y);
    for (unsigned t = 0; t < block.x * block.y * block.z; ++t) {
      threadIdx = dim3(t % block.x, t / block.x % block.y, t / block.x / block.y);
      host_call(kernel, arguments);
    }
  }
  return cudaSuccess;
}
