"""What differs between operating systems, each thing with what takes its place where only Linux has it.

Nobody else uses a name of Linux (``/proc``, ``O_PATH``, ``prctl``, …); a test looks. This package imports none of ours.

* Which process is meant: start in ticks since boot, boot id and pidfd; elsewhere the start as psutil has it.
* Nothing outlives a supervisor: ``PR_SET_PDEATHSIG`` and ``PR_SET_CHILD_SUBREAPER``; elsewhere a process at the other
  end of a pipe, which remembers descendants (``end_descendants``).
* Where workers come from: forked from a process that has imported everything; elsewhere a new Python each, because
  system libraries of macOS fail after a fork.
* The peer of a socket: ``SO_PEERCRED``; ``LOCAL_PEERCRED`` on macOS; else the folder's mode and the
  secret.
* Sockets with long paths or without a name: ``O_PATH`` and ``/proc/self/fd``; elsewhere refused.
* Memory and processors that may be used: control groups and affinity; elsewhere what the machine has.
* Memory of a process and its limit: ``/proc`` and ``RLIMIT_AS``; elsewhere psutil, and what uses more is ended.
* Confining submissions: Landlock, seccomp and capabilities; elsewhere grading needs ``--unprotected``.
"""

from __future__ import annotations

import os
import sys

SWITCH = "GPUCLUSTER_PORTABLE"
"""For tests: whoever sets this variable to 1 has no Linux, here and in all processes that are started from here."""

LINUX: bool = sys.platform == "linux" and os.environ.get(SWITCH) != "1"  # Whether what only Linux has may be used.
