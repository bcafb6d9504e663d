__global__ void reference(int* dist, const unsigned char* wall, int h, int w) {
  const int n = h * w;
  for (int i = 0; i < n; ++i) dist[i] = -1;
  if (wall[0]) return;
  dist[0] = 0;
  for (int d = 0, changed = 1; changed; ++d) {
    changed = 0;
    for (int i = 0; i < n; ++i) {
      if (dist[i] != d) continue;
      const int x = i % w;
      if (x > 0 && !wall[i - 1] && dist[i - 1] < 0) dist[i - 1] = d + 1, changed = 1;
      if (x + 1 < w && !wall[i + 1] && dist[i + 1] < 0) dist[i + 1] = d + 1, changed = 1;
      if (i >= w && !wall[i - w] && dist[i - w] < 0) dist[i - w] = d + 1, changed = 1;
      if (i + w < n && !wall[i + w] && dist[i + w] < 0) dist[i + w] = d + 1, changed = 1;
    }
  }
}
