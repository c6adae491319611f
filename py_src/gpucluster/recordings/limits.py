"""How much a recording may hold: enough for hours, and nothing that could choke a browser."""

from __future__ import annotations

MOST_PACKED_BYTES = 8 * 2**20
"""Of a file packed with gzip."""
MOST_BYTES = 48 * 2**20
"""Of a file that is not packed, and of what comes out of one that is."""
MOST_LINE_BYTES = 2**20
MOST_SAMPLES = 20_000
"""Five and a half hours at one sample a second."""
