"""What differs between operating systems, with a replacement for each thing that only Linux has.

Other packages use no Linux-only name (``/proc``, ``O_PATH``, ``prctl``, …), which a test checks. This package imports
none of ours.

* Identity of a process: start in ticks since boot, boot id and pidfd; elsewhere the start as psutil reports it.
* Nothing outlives a supervisor: ``PR_SET_PDEATHSIG`` and ``PR_SET_CHILD_SUBREAPER``; elsewhere a process at the other
  end of a pipe, which remembers descendants (``end_descendants``).
* Start of workers: forked from a process that has imported everything; elsewhere a new Python each, because
  system libraries of macOS fail after a fork.
* The peer of a socket: ``SO_PEERCRED``; ``LOCAL_PEERCRED`` on macOS; else the folder's mode and the secret.
* Sockets with long paths or without a name: ``O_PATH`` and ``/proc/self/fd``; elsewhere refused.
* Usable memory and processors: control groups and affinity; elsewhere those of the machine.
* Memory of a process and its limit: ``/proc`` and ``RLIMIT_AS``; elsewhere psutil, and what uses more is killed.
* Confining submissions: Landlock, seccomp and capabilities; elsewhere grading needs ``--unprotected``.
"""

import os
import sys

SWITCH = "GPUCLUSTER_PORTABLE"  # For tests: with 1, this process and its children use nothing that only Linux has.
LINUX: bool = sys.platform == "linux" and os.environ.get(SWITCH) != "1"  # Whether Linux-only calls may be used.
