"""How much a recording may hold: enough for hours, and nothing that could choke a browser or whoever reads it."""

from __future__ import annotations

MOST_PACKED_BYTES = 8 * 2**20
"""Of a file packed with gzip."""
MOST_BYTES = 48 * 2**20
"""Of a file that is not packed, and of what comes out of one that is."""
MOST_MEMBERS = 1000
"""Parts of a packed file; some programs write one for each 64 KiB."""
MOST_HEADER_BYTES = 2**18
"""Up to the end of the first line."""
MOST_HEADER_KEYS = 100
MOST_LINE_BYTES = 2**20
MOST_SAMPLES = 20_000
"""Five and a half hours at one sample a second."""
MOST_DAMAGED = 1000
"""Lines that cannot be played; a file with more of them is no recording that was damaged."""
MOST_LINES = 2 * MOST_SAMPLES
"""Lines altogether, empty ones included."""
MOST_SECONDS = 20.0
"""Of computing, for reading one recording."""
