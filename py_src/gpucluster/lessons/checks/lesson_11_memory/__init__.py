"""Checks of lesson 11: warps, pools, sizes, spilling, options, references."""
