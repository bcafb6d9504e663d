// A control: right; a running mean and a sum of squares about it, joined pairwise.
struct Moments {
  float count, mean, squares;
};

__device__ Moments joined(Moments a, Moments b) {
  const float count = a.count + b.count, apart = b.mean - a.mean;
  if (count == 0) return a;
  return {count, a.mean + apart * (b.count / count), a.squares + b.squares + apart * apart * (a.count * b.count / count)};
}

extern "C" __global__ void row_moments(const float* x, float* y, float* mean, float* rstd, int rows, int columns,
                                       float epsilon) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + (long long)row * columns;
  Moments own = {0, 0, 0};
  for (int c = threadIdx.x; c < columns; c += 32) {
    const float apart = in[c] - own.mean;
    own.count += 1;
    own.mean += apart / own.count;
    own.squares += apart * (in[c] - own.mean);
  }
  for (int lanes = 1; lanes < 32; lanes *= 2)
    own = joined(own, {__shfl_xor_sync(~0u, own.count, lanes), __shfl_xor_sync(~0u, own.mean, lanes),
                       __shfl_xor_sync(~0u, own.squares, lanes)});
  const float middle = __shfl_sync(~0u, own.mean, 0), scale = 1 / sqrtf(__shfl_sync(~0u, own.squares, 0) / columns + epsilon);
  if (threadIdx.x == 0) mean[row] = middle, rstd[row] = scale;
  for (int c = threadIdx.x; c < columns; c += 32) y[(long long)row * columns + c] = (in[c] - middle) * scale;
}
