"""Kernels in CUDA C++: what each is for, how it is launched, and whether a GPU computes right with it."""
