"""What is computed on one block: dense linear algebra, distances, sums."""
