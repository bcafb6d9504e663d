// Wrong: no more rounds than the maze has rows and columns, and its way may wind.
extern "C" __global__ void flooded(int* dist, const unsigned char* wall, int h, int w) {
  __shared__ int d[2][576];
  __shared__ int changed;
  const int n = h * w, t = threadIdx.x;
  for (int i = t; i < n; i += THREADS) d[0][i] = i == 0 && !wall[0] ? 0 : -1;
  for (int round = 0; round < h + w; ++round) {
    const int* from = d[round % 2];
    __syncthreads();
    if (t == 0) changed = 0;
    __syncthreads();
    for (int i = t; i < n; i += THREADS) {
      int at = from[i];
      if (at < 0 && !wall[i]) {
        const int x = i % w;
        if ((x > 0 && from[i - 1] == round) || (x + 1 < w && from[i + 1] == round) ||
            (i >= w && from[i - w] == round) || (i + w < n && from[i + w] == round)) {
          at = round + 1;
          atomicExch(&changed, 1);
        }
      }
      d[(round + 1) % 2][i] = at;
    }
    __syncthreads();
    if (!changed) break;
  }
  __syncthreads();
  for (int i = t; i < n; i += THREADS) dist[i] = max(d[0][i], d[1][i]);
}
