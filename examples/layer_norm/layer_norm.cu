#include <cuda_fp16.h>

__device__ float sum_of_block(float value, float* shared) {
  shared[threadIdx.x] = value;
  for (int width = THREADS / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) shared[threadIdx.x] += shared[threadIdx.x + width];
  }
  __syncthreads();
  const float sum = shared[0];
  __syncthreads();
  return sum;
}

// With two_pass the variance is taken about the mean; without, from sums of differences to the row's first element.
__global__ void layer_norm(const __half* x, const float* weight, __half* y, int columns, float epsilon) {
  __shared__ float shared[THREADS];
  const __half* row = x + (long long)blockIdx.x * columns;
  __half* out = y + (long long)blockIdx.x * columns;
  const float origin = __half2float(row[0]);
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += THREADS) {
    const float value = __half2float(row[c]) - origin;
    sum += value;
    squares += value * value;
  }
  const float mean = sum_of_block(sum, shared) / columns;
  float variance = sum_of_block(squares, shared) / columns - mean * mean;
  if (two_pass) {
    float about = 0;
    for (int c = threadIdx.x; c < columns; c += THREADS) {
      const float value = __half2float(row[c]) - origin - mean;
      about += value * value;
    }
    variance = sum_of_block(about, shared) / columns;
  }
  const float scale = rsqrtf(fmaxf(variance, 0) + epsilon);
  for (int c = threadIdx.x; c < columns; c += THREADS)
    out[c] = __float2half((__half2float(row[c]) - origin - mean) * scale * weight[c]);
}
