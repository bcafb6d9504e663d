// Paths that go through the pivot, where they are shorter. The pivot's own row and column stay: no length is
// negative.
extern "C" __global__ void relax(int* paths, int n, int pivot) {
  const int column = blockIdx.x * BX + threadIdx.x, row = blockIdx.y * BY + threadIdx.y;
  if (row >= n || column >= n) return;
  const int through = paths[row * n + pivot] + paths[pivot * n + column];
  if (through < paths[row * n + column]) paths[row * n + column] = through;
}
