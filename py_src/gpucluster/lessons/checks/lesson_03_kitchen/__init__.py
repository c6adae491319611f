"""Checks of lesson 03: the kitchen, or schedulers, sharing and starvation."""
