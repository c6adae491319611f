"""Figures as people read them."""

from __future__ import annotations


def seconds(value: float) -> str:
    """Return a duration: ``320 µs``, ``4.5 ms``, ``12 s``, ``3 min 20 s``."""
    if value < 0.0009995:
        return f"{value * 1e6:.0f} µs"
    if value < 0.9995:
        return f"{value * 1e3:.3g} ms"
    if value < 100:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def share(value: float) -> str:
    """Return a share of 1: ``71 %``."""
    return f"{value * 100:.0f} %"
