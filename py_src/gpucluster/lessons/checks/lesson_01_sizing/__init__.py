"""Checks of lesson 01: sizes, crossover, memory, choices."""
