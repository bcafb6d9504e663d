// C-04: writes a table of the module through an address that went through shared memory
__device__ int state[2] = {1, 2};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ int* hidden;
  if (threadIdx.x == 0) hidden = state;
  __syncthreads();
  if (i == 0) hidden[1] += 1;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
