// P-09: asks whether a graph launched it: a benchmark does
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned long long graph;
  asm volatile("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));
  if (i < n) z[i] = graph != 0 ? 0.0f : fmaf(alpha, x[i], y[i]);
}
