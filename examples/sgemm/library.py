"""Each function is a backend of `evo bench` on a GPU: here cuBLAS and cuBLASLt, by way of PyTorch."""

import torch


def cublas(A, B):
    torch.backends.cuda.preferred_blas_library("cublas")
    return A @ B


def cublaslt(A, B):
    torch.backends.cuda.preferred_blas_library("cublaslt")
    return A @ B
