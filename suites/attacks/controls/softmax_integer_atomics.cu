// control: right, with atomics on integers, whose order does not matter
// The largest element is found with atomicMax on integers that are ordered like the floats they stand for, and the sum is
// one of fixed point: 40 bits behind the point of values up to 1.
__device__ __forceinline__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ unsigned long long sums[THREADS / 2];
  int* top = reinterpret_cast<int*>(largest);
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  if (t == 0) top[0] = ordered(-INFINITY);
  if (t == 0) sums[0] = 0;
  __syncthreads();
  for (int j = t; j < columns; j += THREADS) atomicMax(&top[0], ordered(in[j]));
  __syncthreads();
  const int bits = top[0];
  const float m = __int_as_float(bits < 0 ? bits ^ 0x7fffffff : bits);
  for (int j = t; j < columns; j += THREADS) {
    atomicAdd(&sums[0], static_cast<unsigned long long>(expf(in[j] - m) * 1099511627776.0f));
  }
  __syncthreads();
  const float sum = static_cast<float>(sums[0]) / 1099511627776.0f;
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
