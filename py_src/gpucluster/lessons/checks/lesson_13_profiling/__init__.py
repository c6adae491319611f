"""Checks of lesson 13: where the time went, or profiling and monitoring."""
