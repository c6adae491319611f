"""Gauges of one sample: figures, bars, messages, and lines for terminals."""
