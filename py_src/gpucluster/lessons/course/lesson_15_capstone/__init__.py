"""Lesson 15: Capstone: which weather delays New York?."""
