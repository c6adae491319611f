"""Names of the workloads, sizes and transports, without importing the workloads."""

from __future__ import annotations

from typing import Literal, get_args

NAMES = (
    "transpose-sum", "merge", "frame-sum", "svd", "kmeans", "pca", "truncated-svd", "nearest-neighbors",
    "allreduce-latency", "allreduce-bandwidth", "mpi-allreduce-latency", "mpi-allreduce-bandwidth", "mpi-kmeans",
    "flights-etl",
)  # fmt: skip
Size = Literal["tiny", "small", "medium", "large"]
SIZES: tuple[Size, ...] = get_args(Size)
TRANSPORTS = ("unix", "tls", "tcp", "mpi", "ucx")  # Choices of ``--transports``.
