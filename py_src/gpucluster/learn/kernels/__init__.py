"""Computations on one block: dense linear algebra, distances, sums."""
