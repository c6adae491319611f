"""Checks of lesson 10: networks, data parallelism, the ring, pipelines, tiles, published results."""
