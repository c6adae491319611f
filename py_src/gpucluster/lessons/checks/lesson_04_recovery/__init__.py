"""Checks of lesson 04: break it, or failure and recovery."""
