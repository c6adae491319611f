"""Names of the workloads and sizes, for whoever only needs to offer them."""

from __future__ import annotations

NAMES = (
    "transpose-sum",
    "merge",
    "frame-sum",
    "svd",
    "kmeans",
    "pca",
    "truncated-svd",
    "nearest-neighbors",
    "allreduce-latency",
    "allreduce-bandwidth",
    "mpi-allreduce-latency",
    "mpi-allreduce-bandwidth",
    "mpi-kmeans",
    "flights-etl",
)
SIZES = ("tiny", "small", "medium", "large")
