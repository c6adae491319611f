"""Lesson 07: Distributed PCA and SVD."""
