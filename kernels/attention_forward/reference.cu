// The plain form of the problem, for the self-test of an exported kernel: one thread a query, FP32, no tiles.
// An exported self-test includes this file after it has defined HEAD_DIM and Axes (the run-time axes).
// The parameters are the kernel's, with each output in FP32, and the axes after them.
// threads: batch * heads * seq
__global__ void reference(const __half* q, const __half* k, const __half* v, float* o, long long batch_stride,
                          long long head_stride, long long row_stride, long long o_batch_stride,
                          long long o_head_stride, long long o_row_stride, int seq, int causal, float scale,
                          Axes axes) {
  const long long index = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (index >= axes.batch * axes.heads * axes.seq) return;
  const long long row = index % seq;
  const long long head = index / seq % axes.heads;
  const long long batch = index / seq / axes.heads;
  const long long head_offset = batch * batch_stride + head * head_stride;
  const __half* query = q + head_offset + row * row_stride;
  const int keys = causal ? static_cast<int>(row) + 1 : seq;

  const auto logit = [&](int key) {
    const __half* other = k + head_offset + key * row_stride;
    float sum = 0;
    for (int d = 0; d < HEAD_DIM; ++d) sum += __half2float(query[d]) * __half2float(other[d]);
    return sum * scale;
  };
  float largest = logit(0);
  for (int key = 1; key < keys; ++key) largest = fmaxf(largest, logit(key));

  float total = 0;
  float result[HEAD_DIM];
  for (int d = 0; d < HEAD_DIM; ++d) result[d] = 0;
  for (int key = 0; key < keys; ++key) {
    const float weight = expf(logit(key) - largest);
    total += weight;
    const __half* value = v + head_offset + key * row_stride;
    for (int d = 0; d < HEAD_DIM; ++d) result[d] += weight * __half2float(value[d]);
  }
  float* out = o + batch * o_batch_stride + head * o_head_stride + row * o_row_stride;
  for (int d = 0; d < HEAD_DIM; ++d) out[d] = result[d] / total;
}
