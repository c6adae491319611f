"""Lesson 11: GPU memory: pools, spilling, limits."""
