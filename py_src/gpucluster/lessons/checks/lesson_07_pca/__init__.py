"""Checks of lesson 07: distributed PCA and SVD."""
