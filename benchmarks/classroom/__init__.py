"""A class of thirty on one machine: ``python -m benchmarks.classroom`` (root, Linux)."""
