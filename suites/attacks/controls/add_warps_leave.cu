// control: right, warps without elements and lanes behind the end leave before the barriers of the others
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  __shared__ float tile[THREADS];
  const int first = blockIdx.x * THREADS;
  const int here = min(THREADS, n - first);  // elements of the block
  const int warp_first = threadIdx.x / 32 * 32;
  if (warp_first >= here) return;            // whole warps
  const int t = threadIdx.x;
  if (t >= here) return;                     // lanes of the last warp
  // In reverse: thread t stages the element of thread here - 1 - t.
  tile[here - 1 - t] = a[first + here - 1 - t];
  __syncthreads();
  const float x = tile[t];
  __syncthreads();
  tile[t] = x + b[first + t];
  __syncthreads();
  const int turned = here - 1 - t;
  c[(long long)(first + turned) * c_stride] = tile[turned];
}
