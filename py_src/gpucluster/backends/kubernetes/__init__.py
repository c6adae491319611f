"""Scheduler and workers as pods."""
