// K staged through shared memory, V straight from global memory.
#include <cuda_fp16.h>

#define TK 16

extern "C" __global__ void attention_forward_scalar(const half* __restrict__ gQ, const half* __restrict__ gK,
                                                    const half* __restrict__ gV, half* __restrict__ gO,
                                                    const long long strideB, const long long strideH,
                                                    const long long strideS, const long long ostrideB,
                                                    const long long ostrideH, const long long ostrideS,
                                                    const int S, const int causal, const float sm_scale)
{
    __shared__ float Ks[TK][HEAD_DIM + 1];
    __shared__ float Ps[BLOCK_M][TK];
    __shared__ float Qs[BLOCK_M][HEAD_DIM + 1];
    __shared__ float row_m[BLOCK_M];
    __shared__ float row_l[BLOCK_M];
    __shared__ float row_f[BLOCK_M];

    const int tid = threadIdx.x;
    const int nth = blockDim.x;
    const int q0 = blockIdx.x * BLOCK_M;
    const size_t in_off = (size_t)blockIdx.z * strideB + (size_t)blockIdx.y * strideH;

    for (int e = tid; e < BLOCK_M * HEAD_DIM; e += nth)
    {
        const int r = e / HEAD_DIM, c = e % HEAD_DIM;
        Qs[r][c] = (q0 + r < S) ? __half2float(gQ[in_off + (q0 + r) * strideS + c]) : 0.0f;
    }
    if (tid < BLOCK_M)
    {
        row_m[tid] = -INFINITY;
        row_l[tid] = 0.0f;
    }

    // thread -> (row, slice of features)
    const int r = tid / 4;
    const int c0 = (tid % 4) * (HEAD_DIM / 4);
    float o[HEAD_DIM / 4];
    for (int c = 0; c < HEAD_DIM / 4; ++c) o[c] = 0.0f;

    for (int k0 = 0; k0 < S; k0 += TK)
    {
        __syncthreads();
        for (int e = tid; e < TK * HEAD_DIM; e += nth)
        {
            const int kr = e / HEAD_DIM, kc = e % HEAD_DIM;
            Ks[kr][kc] = (k0 + kr < S) ? __half2float(gK[in_off + (k0 + kr) * strideS + kc]) : 0.0f;
        }
        __syncthreads();
        for (int e = tid; e < BLOCK_M * TK; e += nth)
        {
            const int pr = e / TK, pc = e % TK;
            float dot = 0.0f;
            for (int d = 0; d < HEAD_DIM; ++d) dot += Qs[pr][d] * Ks[pc][d];
            const bool hidden = k0 + pc >= S || (causal && k0 + pc > q0 + pr);
            Ps[pr][pc] = hidden ? -INFINITY : dot * sm_scale;
        }
        __syncthreads();
        if (tid < BLOCK_M)
        {
            float mx = row_m[tid];
            for (int c = 0; c < TK; ++c) mx = fmaxf(mx, Ps[tid][c]);
            const float f = expf(row_m[tid] - mx);
            float sum = row_l[tid] * f;
            for (int c = 0; c < TK; ++c)
            {
                Ps[tid][c] = expf(Ps[tid][c] - mx);
                sum += Ps[tid][c];
            }
            row_m[tid] = mx;
            row_l[tid] = sum;
            row_f[tid] = f;
        }
        __syncthreads();
        for (int c = 0; c < HEAD_DIM / 4; ++c) o[c] *= row_f[r];
        for (int j = 0; j < TK && k0 + j < S; ++j)
        {
            const float p = Ps[r][j];
            const half* vrow = gV + in_off + j * strideS + c0;
            for (int c = 0; c < HEAD_DIM / 4; ++c) o[c] += p * __half2float(vrow[c]);
        }
    }
    if (q0 + r < S)
    {
        half* dst = gO + (size_t)blockIdx.z * ostrideB + (size_t)blockIdx.y * ostrideH + (q0 + r) * ostrideS + c0;
        for (int c = 0; c < HEAD_DIM / 4; ++c) dst[c] = __float2half(o[c] / row_l[r]);
    }
}
