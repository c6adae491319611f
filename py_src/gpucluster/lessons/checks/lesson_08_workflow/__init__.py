"""Checks of lesson 08: the six-step workflow, and the estimators behind it."""
