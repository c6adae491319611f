"""Lesson 03: The kitchen: schedulers, sharing, starvation."""
