"""Checks of lesson 00, the check-in."""
