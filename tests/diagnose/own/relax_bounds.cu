#define AT(a, y, x) ((a)[(size_t)(y) * width + (x)])

extern "C" __global__ void relax(float* u, const float* heat, int height, int width, float omega)
{
    int j = blockIdx.x * BLOCK_X + threadIdx.x;
    int i = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (i == 0 || j == 0) return;
    if (i >= width - 1 || j >= height - 1) return;
    if ((i + j) & 1) return;

    float c = AT(u, i, j);
    float sum = AT(u, i - 1, j);
    sum += AT(u, i + 1, j);
    sum += AT(u, i, j - 1);
    sum += AT(u, i, j + 1);
    sum += AT(heat, i, j);
    AT(u, i, j) = c + omega * (sum / 4 - c);
}
