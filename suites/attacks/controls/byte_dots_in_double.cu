// control: right, in double
extern "C" __global__ void byte_dots(const signed char* a, const signed char* b, int* y, int columns) {
  __shared__ double all[THREADS];
  const long long first = (long long)blockIdx.x * columns;
  const int t = threadIdx.x;
  double sum = 0;
  for (int c = t; c < columns; c += THREADS) sum += double(int(a[first + c]) * int(b[first + c]));
  all[t] = double(sum);
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) all[t] += all[t + k];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = int(all[0]);
}
