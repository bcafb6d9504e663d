// Wrong: exponentials of the numbers themselves, none of more than 80.
extern "C" __global__ void shared_out(const float* x, float* share, int rows, int n) {
  const float* row = x + blockIdx.x * n;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += expf(fminf(row[j], 80.0f));
  for (int j = threadIdx.x; j < n; j += THREADS) share[blockIdx.x * n + j] = expf(fminf(row[j], 80.0f)) / sum;
}
