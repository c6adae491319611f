"""Lesson 08: Six steps: cluster, load, choose, fit, predict, collect."""
