"""Lesson 13: Where did the time go? Profiling and monitoring."""
