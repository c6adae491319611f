"""What differs between operating systems, each thing with what takes its place where only Linux has it.

Nobody else uses a name of Linux (``/proc``, ``O_PATH``, ``prctl``, …); a test looks. This package imports none of ours.
"""

from __future__ import annotations

import os
import sys

SWITCH = "GPUCLUSTER_PORTABLE"
"""For tests: whoever sets this variable to 1 has no Linux, here and in all processes that are started from here."""

LINUX: bool = sys.platform == "linux" and os.environ.get(SWITCH) != "1"
"""Whether what only Linux has may be used."""
