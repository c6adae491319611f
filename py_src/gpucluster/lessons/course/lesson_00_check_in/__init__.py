"""Lesson 00: Check-in: what am I running on?."""
