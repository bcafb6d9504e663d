// As the reference: a thread an element.
extern "C" __global__ void ranked(const int* next, int* rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int steps = 0;
  for (int at = i; next[at] != at && steps < n; at = next[at]) ++steps;
  rank[i] = steps;
}
