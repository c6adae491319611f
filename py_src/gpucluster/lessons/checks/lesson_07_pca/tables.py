"""Tables for the checks of lesson 07."""

from __future__ import annotations

import numpy as np

from ..answers import Floats, random_cuts


def mixed_table(rng: np.random.Generator, n: int, d: int, spread: float = 3.0) -> Floats:
    """Return rows whose columns depend on each other, with clearly different principal variances, away from zero."""
    directions, _ = np.linalg.qr(rng.normal(size=(d, d)))
    sizes = np.geomspace(spread, spread / 30, d)
    table: Floats = (rng.normal(size=(n, d)) * sizes) @ directions.T + rng.normal(0, 2, d)
    return table


def split(rng: np.random.Generator, table: Floats, count: int) -> list[Floats]:
    """Cut a table into parts of clearly different size."""
    return [table[part] for part in random_cuts(rng, len(table), count)]
