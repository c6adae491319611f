"""Lesson 02: Lazy on purpose."""
