"""Kernels in CUDA C++: how to launch them, and checks that a GPU computes correctly with them."""
