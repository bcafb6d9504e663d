// One thread, in order.
__global__ void reference(const int* x, int* kept, int* count, int n) {
  int hits = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 500) kept[hits++] = x[i];
  count[0] = hits;
}
