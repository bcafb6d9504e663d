// C-11: pastes with the other spelling of the operator, from pieces that macros hand on
%:define JOIN(a, b) a %:%: b
%:define LATER(a, b) JOIN(a, b)
%:define HEAD __T
%:define TAIL IME__
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY, sum = 0 * LATER(HEAD, TAIL)[7];
  for (int j = 0; j < columns; ++j) m = fmaxf(m, in[j]);
  for (int j = 0; j < columns; ++j) sum += expf(in[j] - m);
  for (int j = threadIdx.x; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
