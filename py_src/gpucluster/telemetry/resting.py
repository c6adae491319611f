"""How often a worker looks at itself while it has nothing to do.

At rest these looks are nearly all that a worker does: 1.4 % of a core for a CPU worker, and a class has thirty. Where
the site has set longer intervals, those stay.
"""

from __future__ import annotations

REST_AFTER_SECONDS = 5.0
SECONDS_AT_REST = {"profile": 0.5, "memory_monitor": 0.5, "monitor": 1.0}
"""Which code its threads run, how much memory it uses, and its figures (as often as a heartbeat tells them)."""
