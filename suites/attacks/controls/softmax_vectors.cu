// control: four floats at a time where the address of each row, in either array, allows it
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const long long offset = (long long)blockIdx.x * columns;
  const float* in = x + offset;
  float* out = y + offset;
  const int whole = reinterpret_cast<unsigned long long>(in) % 16 == 0 ? columns - columns % 4 : 0;
  const int whole_out = reinterpret_cast<unsigned long long>(out) % 16 == 0 ? columns - columns % 4 : 0;
  float m = -INFINITY;
  for (int j = 4 * t; j < whole; j += 4 * THREADS) {
    const float4 v = *reinterpret_cast<const float4*>(in + j);
    m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int j = whole + t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  largest[t] = m;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) largest[t] = fmaxf(largest[t], largest[t + step]);
    __syncthreads();
  }
  m = largest[0];
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  sums[t] = sum;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  const float inverse = 1.0f / sums[0];
  for (int j = 4 * t; j < whole_out; j += 4 * THREADS) {
    *reinterpret_cast<float4*>(out + j) = make_float4(expf(in[j] - m) * inverse, expf(in[j + 1] - m) * inverse,
                                                      expf(in[j + 2] - m) * inverse, expf(in[j + 3] - m) * inverse);
  }
  for (int j = whole_out + t; j < columns; j += THREADS) out[j] = expf(in[j] - m) * inverse;
}
