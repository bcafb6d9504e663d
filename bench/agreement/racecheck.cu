// What compute-sanitizer's racecheck says of three small kernels whose races are known. To be compiled and run by
// hand where a GPU is:
//   nvcc -lineinfo -arch=sm_90 -o racecheck racecheck.cu
//   compute-sanitizer --tool racecheck ./racecheck turns 256
//
//   turns N   N threads in two groups take turns by bar.arrive and bar.sync, then write, meet all N at one barrier,
//             and read each other's: no race
//   stores N  N threads write, and read their neighbour's without a barrier: a race, with N = 32 within one warp
//   copies N  the same with cp.async, each thread having waited for its own copy
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int MOST = 256;

__device__ int neighbour() {
  return static_cast<int>((threadIdx.x + blockDim.x - 1) % blockDim.x);
}

__global__ void turns(const uint4* in, uint4* out) {
  __shared__ uint4 shared[MOST];
  const int threads = static_cast<int>(blockDim.x), group = static_cast<int>(threadIdx.x) / (threads / 2);
  for (int turn = 0; turn < 4; ++turn) {
    if (turn > 0 || group > 0) asm volatile("bar.sync %0, %1;" ::"r"(2 + group), "r"(threads) : "memory");
    if (turn < 3 || group < 1)
      asm volatile("bar.arrive %0, %1;" ::"r"(2 + (group + 1) % 2), "r"(threads) : "memory");
  }
  shared[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
  out[threadIdx.x] = shared[(threadIdx.x + threads / 2) % threads];
}

__global__ void stores(const uint4* in, uint4* out) {
  __shared__ uint4 shared[MOST];
  shared[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = shared[neighbour()];
}

__global__ void copies(const uint4* in, uint4* out) {
  __shared__ uint4 shared[MOST];
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(shared + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = shared[neighbour()];
}

int main(int count, char** arguments) {
  const int threads = count == 3 ? std::atoi(arguments[2]) : 0;
  if (threads < 32 || threads > MOST || threads % 64 > 32) {
    std::fprintf(stderr, "usage: racecheck turns|stores|copies THREADS (32 to %d)\n", MOST);
    return 2;
  }
  uint4 *in, *out;
  cudaMalloc(&in, sizeof(uint4) * MOST);
  cudaMalloc(&out, sizeof(uint4) * MOST);
  cudaMemset(in, 0, sizeof(uint4) * MOST);
  const char* const which = arguments[1];
  if (std::strcmp(which, "turns") == 0) {
    turns<<<1, threads>>>(in, out);
  } else if (std::strcmp(which, "stores") == 0) {
    stores<<<1, threads>>>(in, out);
  } else {
    copies<<<1, threads>>>(in, out);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s %d: %s\n", which, threads, cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
