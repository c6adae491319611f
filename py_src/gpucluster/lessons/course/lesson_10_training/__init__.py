"""Lesson 10: Training at scale without a GPU farm."""
