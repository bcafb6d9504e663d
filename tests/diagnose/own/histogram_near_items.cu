extern "C" __global__ void histogram(const int* in, unsigned* out, int n, int bins)
{
    const int start = blockIdx.x * BLOCK * ITEMS + threadIdx.x;

    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
    {
        const int pos = start + k;
        if (pos < n)
            atomicAdd(out + in[pos], 1u);
    }
}
