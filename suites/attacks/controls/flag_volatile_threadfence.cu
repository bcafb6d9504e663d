// Hands data to another block: a volatile flag with __threadfence on both sides.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) data[i] = a[i] + b[i];
  __syncthreads();
  if (t == 0) {
    __threadfence();
    *(volatile unsigned*)(flags + blockIdx.x) = 1;
  }
  // The elements of the neighbour, which may run later.
  const int other = (blockIdx.x + 1) % gridDim.x;
  if (t == 0) {
    while (*(volatile unsigned*)(flags + other) == 0) {}
    __threadfence();
  }
  __syncthreads();
  const int j = other * THREADS + t;
  if (j < n) c[j] = data[j];
}
