"""Lesson 12: Moving bytes: copies, links, zero-copy."""
