"""Checks of lesson 02: graphs, counting, keeping, collections."""
