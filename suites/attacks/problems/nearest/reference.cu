extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* least, int* place, int n) {
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] < x[at]) at = i;
  least[0] = x[at];
  place[0] = at;
}
