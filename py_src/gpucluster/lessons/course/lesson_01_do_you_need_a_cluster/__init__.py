"""Lesson 01: Do you need a cluster?."""
