// control: right, with pragmas, attributes and a loop over the grid
#pragma nv_diag_suppress 177
#define UNROLL _Pragma("unroll 4")
extern "C" __global__ void __launch_bounds__(THREADS)
    add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int c_stride) {
  int unused;
  UNROLL
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i * c_stride] = a[i] + b[i];
}
