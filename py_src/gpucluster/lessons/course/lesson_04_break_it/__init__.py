"""Lesson 04: Break it: failure and recovery."""
