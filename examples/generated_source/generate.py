"""Reads a genome as JSON, writes the kernel for it: each of the ITEMS elements of a thread has lines of its own."""
import json
import sys

genes = json.load(sys.stdin)
block, items = genes["BLOCK"], genes["ITEMS"]
print('extern "C" __global__ void axpy(float* y, const float* x, const float* y0, float a, int n) {')
print(f"  const int first = blockIdx.x * {block * items} + threadIdx.x;")
for item in range(items):
    at = f"first + {item * block}"
    print(f"  if ({at} < n) y[{at}] = a * x[{at}] + y0[{at}];")
print("}")
