"""How often a worker looks at itself while it has nothing to do.

At rest these looks are nearly all that a worker does: 1.4 % of a core for a CPU worker, and a class has thirty. Where
the site has set longer intervals, those stay.
"""

from __future__ import annotations

AT_REST = {
    "after_seconds": 5.0,
    "profile_seconds": 0.5,
    "memory_seconds": 0.5,
    "figures_seconds": 1.0,
    "tick_seconds": 1.0,
}
"""Figures are as often as heartbeats tell them. Dask complains of an event loop that is three seconds late; where
workers are not the cluster's own processes, it looks 50 times a second, and that was 1 % of a core."""
