// A thread for each element of the output: a body and an axis.
extern "C" __global__ void reference(const EVO_REAL* bodies, EVO_REAL* acceleration, int n, EVO_REAL softening) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 3, axis = t % 3;
  if (i >= n) return;
  EVO_REAL sum = 0;
  for (int j = 0; j < n; ++j) {
    EVO_REAL square = softening;
    for (int d = 0; d < 3; ++d) {
      const EVO_REAL away = bodies[4 * j + d] - bodies[4 * i + d];
      square += away * away;
    }
    sum += bodies[4 * j + 3] * (bodies[4 * j + axis] - bodies[4 * i + axis]) / (square * sqrt(square));
  }
  acceleration[t] = sum;
}
