// one thread = one output (times ROWS), no shared memory on purpose: B is read coalesced, A is broadcast
template <int BM>
__global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k)
{
    int x = BM * blockIdx.x + threadIdx.x;
    if (x >= n)
        return;

    float dot = 0;
    for (int r = 0; r < ROWS; ++r)
    {
        int y = BM * blockIdx.y + threadIdx.y + r * blockDim.y;
        if (y >= m)
            break;

        const float* pa = A + y * k;
        const float* pb = B + x;
        for (int p = 0; p < k; ++p, pb += n)
            dot += pa[p] * *pb;

        C[y * n + x] = dot;
    }
}
