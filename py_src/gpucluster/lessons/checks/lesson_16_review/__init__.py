"""Checks of lesson 16: the review studio."""
