"""Each function is a backend of `evo bench` on a GPU: here cuBLAS, by way of PyTorch."""


def cublas(A, B):
    return A @ B
